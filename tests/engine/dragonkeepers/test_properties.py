"""What is true of every match: nothing is lost, nothing is changed, everything is told."""

from collections import Counter

import pytest
from hypothesis import given, settings

from dragonhall_engine import dragonkeepers
from dragonhall_engine.core.errors import InvalidSetup
from dragonhall_engine.core.game import Game, Setup
from dragonhall_engine.core.replay import replay
from dragonhall_engine.core.rng import Deal
from dragonhall_engine.dragonkeepers import Fact, Move, Phase, Play, State, View, cards
from dragonhall_engine.dragonkeepers.cards import FRONT, LEFT_DECK, RIGHT_DECK, SHADOW, STARTERS
from dragonhall_engine.dragonkeepers.facts import Passed, SetPlayed
from tests.budget import cases
from tests.engine.dragonkeepers.fold import FoldedView
from tests.engine.dragonkeepers.matches import (
    SETUPS,
    deal,
    dealt,
    decisions,
    longest_match,
    numbers,
    readers,
    setup_of,
)

MATCHES = cases(ci=40, sweep=2000)

AS_A_GAME: Game[State, Move, Fact, View] = dragonkeepers
"""The package itself is a game: mypy looks at this line."""

_PILES = tuple(cards.PIECE_COPIES.values())
_ALL_CARDS = sorted([*LEFT_DECK, *RIGHT_DECK, *STARTERS, *[SHADOW] * cards.SHADOWS])


def _assert_cards(state: State) -> None:
    """123 cards: in decks, offer, hands, rows, among the shadows, or out of the game."""
    lying = [*state.starters_out, *(card for card in state.offer if card >= 0)]
    for deck, booked in zip(state.decks, state.booked, strict=True):
        assert booked < len(deck)
        lying += deck
    for area in state.areas:
        for some in (area.hand, *area.stacks):
            lying += some
        assert area.hand == sorted(area.hand) and area.starters == sorted(area.starters)
        assert all(card in area.hand for card in area.starters), "no two starters are alike"
    assert sorted(lying + [SHADOW] * state.shadows) == _ALL_CARDS


def _assert_other_pieces(state: State) -> None:
    areas = state.areas
    ever_open = state.pieces[:]
    for area in areas:
        for pile in area.pieces:
            ever_open[pile] += 1
    assert all(0 <= n <= most for n, most in zip(ever_open, _PILES, strict=True))
    assert sum(ever_open) == 45 - cards.PIECES_REMOVED[state.seats]
    assert state.crystals + sum(area.crystals for area in areas) == 10
    assert state.eggs + sum(area.eggs for area in areas) == 9
    assert sorted([*state.pearls, *(p for area in areas for p in area.pearls)]) == list(
        cards.PEARLS
    )
    crests = sorted((area.crest for area in areas if area.crest), reverse=True)
    assert (*crests, *cards.CRESTS[3 - state.crests :]) == cards.CRESTS


def _assert_rows(state: State) -> None:
    for area in state.areas:
        assert len(set(area.row)) == len(area.row) <= 4
        for colour, stack in enumerate(area.stacks):
            assert {FRONT[card] for card in stack} <= {colour, cards.SHADOW_FRONT}
            assert bool(stack) == (colour in area.row)
            assert not stack or any(FRONT[card] == colour for card in stack)
        assert len(area.pearls) == min(15, len(area.pieces) // 3)


def _assert_course(state: State) -> None:
    slots = [state.offer[slot] for slot in state.edition.slots]
    assert (state.phase == Phase.OVER) == (state.ending is not None) == (state.to_move < 0)
    assert (state.phase == Phase.FOLLOW) == (state.to_move not in (state.active, -1))
    assert 0 <= state.taken <= 4 and 1 <= state.round <= 60
    if state.phase == Phase.BOOK:
        assert state.taken or slots == [-1] * len(slots)


def _assert_invariants(state: State) -> None:
    _assert_cards(state)
    _assert_other_pieces(state)
    _assert_rows(state)
    _assert_course(state)


@pytest.mark.parametrize("setup", SETUPS)
def test_random_matches_keep_the_invariants_and_end_within_their_bound(setup: Setup) -> None:
    for number in range(cases(ci=100, sweep=2000)):
        number = number * len(SETUPS) + SETUPS.index(setup)
        _assert_invariants(dealt(number))
        match = list(decisions(number))
        assert len(match) <= longest_match(setup.seats)
        for decision in match:
            _assert_invariants(decision.after)


@settings(max_examples=MATCHES, deadline=None)
@given(numbers)
def test_a_match_has_an_outcome_exactly_at_its_end(number: int) -> None:
    match = list(decisions(number))
    assert all(dragonkeepers.outcome(decision.before) is None for decision in match)
    outcome = dragonkeepers.outcome(match[-1].after)
    assert outcome is not None and outcome.winners


@settings(max_examples=MATCHES, deadline=None)
@given(numbers)
def test_apply_never_changes_its_argument(number: int) -> None:
    for decision in decisions(number):
        before = dragonkeepers.encode(decision.before)
        dragonkeepers.apply(decision.before, decision.before.to_move, decision.move)
        assert dragonkeepers.encode(decision.before) == before


@settings(max_examples=MATCHES, deadline=None)
@given(numbers)
def test_advance_does_what_apply_does(number: int) -> None:
    state = dealt(number)
    for decision in decisions(number):
        dragonkeepers.advance(state, decision.move)
        assert state == decision.after


@settings(max_examples=MATCHES, deadline=None)
@given(numbers)
def test_a_copy_shares_nothing(number: int) -> None:
    for decision in decisions(number):
        twin = dragonkeepers.copy(decision.before)
        dragonkeepers.advance(twin, decision.move)
        assert twin == decision.after != decision.before


@settings(max_examples=MATCHES, deadline=None)
@given(numbers)
def test_replay_gives_the_same_bytes(number: int) -> None:
    match = list(decisions(number))
    setup = setup_of(number)
    moves = [(decision.before.to_move, decision.move) for decision in match]
    again = list(replay(dragonkeepers, setup, deal(number, setup.seats), moves))
    first = [match[0].before, *(decision.after for decision in match)]
    assert list(map(dragonkeepers.encode, again)) == list(map(dragonkeepers.encode, first))


@settings(max_examples=MATCHES, deadline=None)
@given(numbers)
def test_folding_the_facts_gives_the_view_of_every_reader(number: int) -> None:
    state = dealt(number)
    folded = [FoldedView(reader) for reader in readers(state)]
    for one in folded:
        told = (dragonkeepers.project(f, one.reader) for f in dragonkeepers.opening(state))
        one.take_in(told)
        assert one.view() == dragonkeepers.view(state, one.reader)
    for decision in decisions(number):
        for one in folded:
            one.take_in(dragonkeepers.project(fact, one.reader) for fact in decision.facts)
            assert one.view() == dragonkeepers.view(decision.after, one.reader)


@settings(max_examples=MATCHES, deadline=None)
@given(numbers)
def test_the_facts_name_a_set_in_canonical_form(number: int) -> None:
    for decision in decisions(number):
        if isinstance(decision.move, Play):
            written = Play(decision.move.cards[::-1], decision.move.side or 0)
            if decision.move.side is None or written.side == decision.move.side:
                _, facts = dragonkeepers.apply(decision.before, decision.before.to_move, written)
                assert facts == decision.facts
            assert isinstance(decision.facts[0], SetPlayed)
            assert decision.facts[0].side == decision.move.side


@settings(max_examples=MATCHES, deadline=None)
@given(numbers)
def test_every_seat_decides_once_in_a_turn_whether_to_play(number: int) -> None:
    deciders: list[int] = []
    for decision in decisions(number):
        deciders += [f.seat for f in decision.facts if isinstance(f, SetPlayed | Passed)]
    first, seats = dealt(number).start_seat, setup_of(number).seats
    for turn in range(0, len(deciders), seats):
        active = (first + turn // seats) % seats
        assert deciders[turn : turn + seats] == [(active + i) % seats for i in range(seats)]


@pytest.mark.parametrize("setup", SETUPS)
def test_the_start_seat_is_drawn_unless_chosen(setup: Setup) -> None:
    matches = cases(ci=300, sweep=3000)
    deals = [deal(number, setup.seats) for number in range(matches)]
    drawn = Counter(dragonkeepers.new_match(setup, each).start_seat for each in deals)
    assert min(drawn[seat] for seat in range(setup.seats)) > 0.7 * matches / setup.seats
    for seat in range(setup.seats):
        chosen = dragonkeepers.new_match(Setup(setup.edition, setup.seats, seat), deals[0])
        assert chosen.to_move == chosen.active == chosen.start_seat == seat
        assert chosen.decks == dragonkeepers.new_match(setup, deals[0]).decks


@pytest.mark.parametrize(
    "setup",
    [
        Setup("", 2),
        Setup("Source", 2),
        Setup("source", 1),
        Setup("published", 5),
        Setup("source", 3, -1),
        Setup("source", 3, 3),
    ],
)
def test_a_setup_that_is_none_is_refused(setup: Setup) -> None:
    with pytest.raises(InvalidSetup):
        dragonkeepers.new_match(setup, deal(1, setup.seats))


@pytest.mark.parametrize("contributions", [(), (b"",), (b"", b"", b"")])
def test_a_deal_for_other_seats_is_refused(contributions: tuple[bytes, ...]) -> None:
    with pytest.raises(InvalidSetup):
        dragonkeepers.new_match(SETUPS[0], Deal(bytes(64), "deal", contributions))


def test_rulesets_name_the_edition() -> None:
    rulesets = [dragonkeepers.ruleset(edition) for edition in dragonkeepers.EDITIONS]
    assert rulesets == ["dragonkeepers-source/1", "dragonkeepers-published/1"]
    with pytest.raises(InvalidSetup):
        dragonkeepers.ruleset("standard")


def test_a_state_names_nothing_hidden_when_it_is_printed() -> None:
    state = dealt(0)
    assert repr(state).startswith("<dragonkeepers state, round 1, turn of seat")
    assert "[" not in repr(state.areas[0])
