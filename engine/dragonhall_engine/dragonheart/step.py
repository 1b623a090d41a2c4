"""The one place where a move changes a state. Rules: DH-3 to DH-6."""

from dragonhall_engine.core.errors import IllegalMove
from dragonhall_engine.core.game import Seat
from dragonhall_engine.dragonheart.cards import (
    DRAGON_HAND_LIMIT,
    HAND_LIMIT,
    LABELS,
    LAST_SAILING,
    MOVES_UNDER_SHIP,
    TAKES,
    Card,
    CardType,
    Trigger,
    card_type,
)
from dragonhall_engine.dragonheart.facts import (
    CardsDrawn,
    CardSentBack,
    CardsMovedUnderShip,
    CardsPlayed,
    CardsTaken,
    DragonTaken,
    Fact,
    FinalTurnBegan,
    MatchScored,
    ShipsSailed,
)
from dragonhall_engine.dragonheart.legality import canonical, check, fires, free_outlines
from dragonhall_engine.dragonheart.moves import Move
from dragonhall_engine.dragonheart.outcome import points
from dragonhall_engine.dragonheart.state import State


def apply(state: State, seat: Seat, move: Move) -> tuple[State, tuple[Fact, ...]]:
    """Return the next state and the facts, in the order in which they happened.

    Raises:
        IllegalMove: `check` names a violation.
        InvalidSeat: `seat` is neither 0 nor 1.
    """
    violation = check(state, seat, move)
    if violation is not None:
        raise IllegalMove(violation)
    following = state.copy()
    facts: list[Fact] = []
    step(following, canonical(state, move), facts)
    return following, tuple(facts)


def advance(state: State, move: Move) -> None:
    """Carry a move from `legal_moves` of the seat to move out in place, without facts."""
    step(state, move, None)


def step(state: State, move: Move, facts: list[Fact] | None) -> None:
    """Carry a canonical legal move out in place: play, collect, draw, end check (DH-4).

    Args:
        state: changed in place.
        move: a move of the seat to move, as `canonical` returns it.
        facts: what happened is appended; None when nobody asks, for speed.
    """
    seat = state.to_move
    type_ = card_type(move.cards[0])
    firing = fires(type_, len(move.cards), free_outlines(state.board, type_))
    hand = state.hands[seat]
    for card in move.cards:
        hand.remove(card)
    state.board[type_] += move.cards
    if facts is not None:
        facts.append(CardsPlayed(seat, move.cards, move.target))
    if firing:
        _fire(state, type_, move.target, facts)
    _draw(state, facts)
    _end_turn(state, facts)


def _fire(state: State, type_: CardType, target: CardType | None, facts: list[Fact] | None) -> None:
    if type_ == CardType.SHIP:
        _sail(state, facts)
        return
    source = target
    if source is None:  # no choice: the only open pile, if there is one
        source = next((pile for pile in TAKES[type_] if state.board[pile]), None)
    if source is not None:
        _take(state, source, state.board[source], facts)
    if MOVES_UNDER_SHIP[type_]:
        stack = state.board[type_]
        state.under_ship += stack
        if facts is not None:
            facts.append(CardsMovedUnderShip(tuple(stack)))
        stack.clear()
    if source == CardType.PETRIFIED_DRAGON:
        _take_dragon(state, facts)


def _sail(state: State, facts: list[Fact] | None) -> None:
    """DH-3.9: the ships leave the game, what lies under them is taken."""
    state.board[CardType.SHIP].clear()
    state.sailings += 1
    if facts is not None:
        facts.append(ShipsSailed(state.sailings))
    if state.under_ship:
        _take(state, CardType.SHIP, state.under_ship, facts)


def _take(state: State, source: CardType, stack: list[Card], facts: list[Fact] | None) -> None:
    pile = state.piles[state.to_move]
    pile += stack
    pile.sort()
    if facts is not None:
        facts.append(CardsTaken(state.to_move, source, tuple(stack)))
    stack.clear()


def _take_dragon(state: State, facts: list[Fact] | None) -> None:
    """DH-5.1, DH-5.3, DH-5.4."""
    seat, loser = state.to_move, state.dragon
    if loser == seat:
        return
    state.dragon = seat
    if facts is not None:
        facts.append(DragonTaken(seat, loser))
    if loser is not None and len(state.hands[loser]) > HAND_LIMIT:
        _send_back(state, loser, facts)


def _send_back(state: State, loser: Seat, facts: list[Fact] | None) -> None:
    hand = state.hands[loser]
    stream = LABELS.stream(state.root, f"lost-dragon:{state.sent_back}")
    card = hand.pop(stream.below(len(hand)))
    state.decks[loser].append(card)
    state.knows_top[loser] = True
    state.sent_back += 1
    if facts is not None:
        facts.append(CardSentBack(loser, card))


def _draw(state: State, facts: list[Fact] | None) -> None:
    """DH-4.8, DH-5.2: up to the hand limit, or what a short deck has."""
    seat = state.to_move
    hand, deck = state.hands[seat], state.decks[seat]
    limit = DRAGON_HAND_LIMIT if state.dragon == seat else HAND_LIMIT
    count = min(limit - len(hand), len(deck))
    if count <= 0:
        return
    drawn = deck[-count:]
    del deck[-count:]
    hand += drawn
    hand.sort()
    state.knows_top[seat] = False
    if facts is not None:
        facts.append(CardsDrawn(seat, tuple(sorted(drawn)), count, len(deck)))


def _end_turn(state: State, facts: list[Fact] | None) -> None:
    """DH-6.1 to DH-6.3: end after the final turn, else the other seat's turn begins."""
    seat = state.to_move
    if state.triggers:
        state.over = True
        if facts is not None:
            scores = tuple(points(state, each) for each in range(len(state.hands)))
            facts.append(MatchScored(scores, state.dragon))
        return
    state.to_move = 1 - seat
    state.turn += 1
    if state.sailings >= LAST_SAILING or not state.decks[seat]:
        state.triggers = _triggers(state, seat)
        if facts is not None:
            facts.append(FinalTurnBegan(1 - seat, state.triggers))


def _triggers(state: State, seat: Seat) -> tuple[Trigger, ...]:
    ships = (Trigger.SHIPS,) if state.sailings >= LAST_SAILING else ()
    return ships if state.decks[seat] else (*ships, Trigger.DECK)
