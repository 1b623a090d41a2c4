"""The one place that carries rules out: `step` changes a state in place.

Each stage takes a list to append facts to, or None where nobody wants them: search makes
millions of moves and would throw every fact away.
"""

from bisect import insort

from dragonhall_engine.core.errors import IllegalMove
from dragonhall_engine.core.game import Seat
from dragonhall_engine.dragonkeepers import facts as fact
from dragonhall_engine.dragonkeepers.cards import (
    AMULETS_TO_END,
    CRESTS,
    EMPTY,
    LEFT,
    MAX_ROUNDS,
    PIECE_VALUES,
    PIECES_PER_AMULET,
    REWARDS,
    SHADOW,
    SHOWN,
    SLOT_PAGE,
    STALL_ROUNDS,
    Reward,
)
from dragonhall_engine.dragonkeepers.facts import Fact
from dragonhall_engine.dragonkeepers.legality import canonical, check
from dragonhall_engine.dragonkeepers.moves import Book, EndBook, EndTake, Move, Pass, Play, Take
from dragonhall_engine.dragonkeepers.outcome import scores
from dragonhall_engine.dragonkeepers.state import NOBODY, Area, Ending, Phase, State

Log = list[Fact] | None


def apply(state: State, seat: Seat, move: Move) -> tuple[State, tuple[Fact, ...]]:
    """Return the next state and the facts, in the order in which they happened.

    Raises:
        IllegalMove: `check` names a violation.
        InvalidSeat: the match has no such seat.
    """
    if violation := check(state, seat, move):
        raise IllegalMove(violation)
    following = state.copy()
    log: list[Fact] = []
    step(following, canonical(state, move), log)
    return following, tuple(log)


def advance(state: State, move: Move) -> None:
    """Carry a move from `legal_moves` out in place, without facts; legality is not looked at."""
    step(state, move, None)


def step(state: State, move: Move, log: Log) -> None:
    """Carry a canonical legal move of the seat to move out in place.

    Args:
        state: changed in place.
        move: a move as `canonical` returns it.
        log: what happened is appended; None when nobody asks.
    """
    if isinstance(move, Take):
        _take(state, move, log)
    elif isinstance(move, Play):
        _play(state, move, log)
        _next_to_decide(state, log)
    elif isinstance(move, Pass):
        if log is not None:
            log.append(fact.Passed(state.to_move))
        _next_to_decide(state, log)
    elif isinstance(move, Book):
        _book(state, move, log)
    elif isinstance(move, EndTake):
        state.phase = Phase.BOOK
        if log is not None:
            log.append(fact.TakeEnded(state.active))
    else:
        assert isinstance(move, EndBook)
        state.phase = Phase.PLAY
        if log is not None:
            log.append(fact.BookEnded(state.active))


# ---- TAKE and BOOK ------------------------------------------------------------------------------


def _take(state: State, move: Take, log: Log) -> None:
    area = state.areas[state.active]
    card = state.offer[move.slot]
    state.offer[move.slot] = EMPTY
    state.taken += 1
    insort(area.hand, card)
    if log is not None:
        log.append(fact.CardTaken(state.active, move.slot, card))
    if move.with_crystal:
        area.crystals -= 1
        state.crystals += 1
        if log is not None:
            log.append(fact.CrystalSpent(state.active))
    _refill(state, move.slot, log)


def _refill(state: State, slot: int, log: Log) -> None:
    """Turn up a deck's top card into an empty slot, unless it is the last one (DK-3.4)."""
    page = SLOT_PAGE[slot]
    deck = state.decks[page]
    if len(deck) < 2:
        return
    card = state.offer[slot] = deck.pop()
    if state.booked[page]:
        state.booked[page] -= 1
    if log is not None:
        log.append(fact.SlotRefilled(slot, card, SHOWN[deck[-1]]))


def _book(state: State, move: Book, log: Log) -> None:
    _leave_hand(state.areas[state.active], move.card)
    state.decks[move.page].append(move.card)
    state.booked[move.page] += 1
    state.changed[move.page] = True
    if log is not None:
        log.append(fact.CardBooked(state.active, move.page, move.card))


def _leave_hand(area: Area, card: int) -> None:
    """Let a card leave a hand: first the copies that everybody knows of (DK-1.4)."""
    area.hand.remove(card)
    if area.starters and area.starters.count(card) > area.hand.count(card):
        area.starters.remove(card)


# ---- PLAY and its reward ------------------------------------------------------------------------


def _play(state: State, move: Play, log: Log) -> None:
    seat = state.to_move
    area = state.areas[seat]
    number, colour = state.requirement
    for card in move.cards:
        _leave_hand(area, card)
    area.stacks[colour].extend(move.cards)
    state.set_played = True
    if log is not None:
        log.append(fact.SetPlayed(seat, move.cards, colour, move.side))
    if colour not in area.row:
        area.row.insert(0 if move.side == LEFT else len(area.row), colour)
        _give_crest(state, seat, log)
    reward = REWARDS[number]
    _give_piece(state, seat, reward, log)
    _give_bonus(state, seat, reward, log)


def _give_crest(state: State, seat: Seat, log: Log) -> None:
    """Give the highest crest left to a row that has just got its fourth colour (DK-6.2)."""
    area = state.areas[seat]
    if len(area.row) < len(area.stacks) or not state.crests:
        return
    area.crest = CRESTS[len(CRESTS) - state.crests]
    state.crests -= 1
    if log is not None:
        log.append(fact.CrestTaken(seat, area.crest))


def _give_piece(state: State, seat: Seat, reward: Reward, log: Log) -> None:
    piles = [pile for pile in range(len(PIECE_VALUES)) if state.pieces[pile]]
    if not piles:
        return
    pile = piles[-1] if reward.highest else piles[0]
    state.pieces[pile] -= 1
    pieces = state.areas[seat].pieces
    pieces.append(pile)
    if log is not None:
        log.append(fact.PieceTaken(seat, pile))
    if len(pieces) % PIECES_PER_AMULET == 0:
        _complete_amulet(state, seat, log)


def _complete_amulet(state: State, seat: Seat, log: Log) -> None:
    area = state.areas[seat]
    if log is not None:
        log.append(fact.AmuletCompleted(seat, len(area.pieces) // PIECES_PER_AMULET))
    if state.pearls:
        pearl = state.pearls.pop()
        insort(area.pearls, pearl)
        if log is not None:
            log.append(fact.PearlDrawn(seat, pearl))
    completed = sum(len(each.pieces) // PIECES_PER_AMULET for each in state.areas)
    if completed >= AMULETS_TO_END[len(state.areas)]:
        _trigger(state, Ending.AMULETS, log)


def _give_bonus(state: State, seat: Seat, reward: Reward, log: Log) -> None:
    """Give what the supply has of a bonus; the rest is lost (DK-6.1)."""
    area = state.areas[seat]
    if reward.crystal and state.crystals:
        state.crystals -= 1
        area.crystals += 1
        if log is not None:
            log.append(fact.CrystalGained(seat))
    if reward.shadow and state.shadows:
        state.shadows -= 1
        area.hand.append(SHADOW)  # shadows sort last
        if log is not None:
            log.append(fact.ShadowGained(seat))
    if reward.egg and state.eggs:
        state.eggs -= 1
        area.eggs += 1
        if log is not None:
            log.append(fact.EggGained(seat))


# ---- the course of the game ---------------------------------------------------------------------


def _next_to_decide(state: State, log: Log) -> None:
    """Let the next seat follow, or end the turn after the last one has (DK-6.5)."""
    state.phase = Phase.FOLLOW
    state.to_move = (state.to_move + 1) % len(state.areas)
    if state.to_move == state.active:
        _end_turn(state, log)


def _end_turn(state: State, log: Log) -> None:
    following = (state.active + 1) % len(state.areas)
    ending = None
    if following == state.start_seat:
        ending = _end_round(state, log)
    elif not state.edition.finishes_round:
        ending = state.trigger
    if ending is not None:
        _end_match(state, ending, log)
    else:
        _begin_turn(state, following, log)


def _end_round(state: State, log: Log) -> Ending | None:
    """Count a finished round and say whether it was the last (DK-7.1, DK-7.2)."""
    state.quiet_rounds = 0 if state.set_played else state.quiet_rounds + 1
    state.set_played = False
    if log is not None:
        log.append(fact.RoundEnded(state.round, state.quiet_rounds))
    if state.trigger is not None:
        return state.trigger
    if state.quiet_rounds >= STALL_ROUNDS:
        return Ending.STALL
    if state.round >= MAX_ROUNDS:
        return Ending.ROUND_LIMIT
    state.round += 1
    return None


def _begin_turn(state: State, seat: Seat, log: Log) -> None:
    state.active = state.to_move = seat
    state.phase = Phase.TAKE
    state.taken = 0
    state.changed[:] = (False, False)
    if log is not None:
        log.append(fact.TurnBegan(seat, state.round))
    slots = state.edition.slots
    for slot in slots:
        if state.offer[slot] == EMPTY:
            _refill(state, slot, log)
    if all(state.offer[slot] == EMPTY for slot in slots):
        _trigger(state, Ending.EMPTY_OFFER, log)


def _trigger(state: State, ending: Ending, log: Log) -> None:
    """Trigger the end; the first trigger of a match is the one that counts (DK-7.1)."""
    if state.trigger is not None:
        return
    state.trigger = ending
    if log is not None:
        log.append(fact.EndTriggered(ending))


def _end_match(state: State, ending: Ending, log: Log) -> None:
    state.ending = ending
    state.phase = Phase.OVER
    state.to_move = NOBODY
    if log is None:
        return
    log.append(fact.MatchEnded(ending))
    for seat, area in enumerate(state.areas):
        log.append(fact.SeatRevealed(seat, tuple(area.starters), tuple(area.pearls)))
    log.append(_supply_revealed(state))
    for seat, s in enumerate(scores(state)):
        log.append(
            fact.SeatScored(
                seat, s.pieces, s.pearls, s.crest, s.eggs, s.played, s.total, s.row_cards
            )
        )


def _supply_revealed(state: State) -> Fact:
    left, right = (
        tuple(reversed(deck[: len(deck) - booked]))
        for deck, booked in zip(state.decks, state.booked, strict=True)
    )
    return fact.SupplyRevealed(
        left, right, tuple(state.starters_out), tuple(reversed(state.pearls))
    )
