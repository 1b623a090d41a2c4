"""Boards are drawn as a player knows them, in 79 columns, from what the reader may know alone."""

import re

import pytest
from rich.cells import cell_len

from dragonhall.cli.boards.layout import WIDTH, Box, columns, fit, flow, grid
from dragonhall.cli.boards.registry import BOARDS as DRAWINGS
from dragonhall.cli.boards.registry import board_lines, hints_of
from dragonhall.cli.boards.table import Table
from dragonhall.cli.session import HELP
from dragonhall.v1 import game_pb2
from dragonhall_engine import dragonheart
from dragonhall_engine.dragonheart.cards import DECK
from dragonhall_engine.dragonheart.notation import format_card
from dragonhall_engine.dragonheart.outcome import points
from dragonhall_engine.dragonkeepers.cards import FREE_TAKES
from dragonhall_engine.dragonkeepers.state import Phase
from dragonhall_service.api.mapping.games import move_to_proto, view_to_proto
from tests.budget import cases
from tests.clients.board_goldens import BOARDS, GOLDENS, golden, keepers_picture, picture
from tests.engine.dragonheart.matches import READERS, dealt, turns
from tests.engine.dragonkeepers.matches import decisions

MATCHES = cases(ci=3, sweep=300)


@pytest.mark.parametrize("game", BOARDS)
def test_a_board_looks_as_it_did(game: str) -> None:
    assert golden(BOARDS[game]()) == (GOLDENS / f"board_{game}.txt").read_text(encoding="utf-8")


def test_every_game_has_a_drawing() -> None:
    games = game_pb2.View.DESCRIPTOR.oneofs_by_name["game"].fields
    assert {field.name for field in games} == set(DRAWINGS) == set(BOARDS)


@pytest.mark.parametrize("game", DRAWINGS)
def test_what_explains_a_board_fits(game: str) -> None:
    assert max(map(cell_len, [*DRAWINGS[game].LEGEND, *HELP])) <= WIDTH


def test_before_the_deal_there_is_nothing_to_draw() -> None:
    assert board_lines(game_pb2.View(), Table(("Ada", "Bo"), None)) == []


def test_every_line_fits_and_every_open_card_is_drawn() -> None:
    names = ("Їжак 龍龍龍龍龍龍龍龍龍龍龍龍龍龍龍龍龍", "x" * 64)
    for number in range(MATCHES):
        for turn in turns(number):
            for reader in READERS:
                lines = picture(turn.after, reader, names)
                assert max(map(cell_len, lines)) <= WIDTH
                assert drawn(lines) == known(turn.after, reader)


def drawn(lines: list[str]) -> int:
    """Count the cards in a picture; each pile is drawn by counts."""
    text = "\n".join(line for line in lines if not re.match(r"[┌├]|[> ][AB] ", line))
    text = re.sub(r"(: take all|for) .*?│", "│", text)
    found = re.findall(r"(?:(\d+)×)?\b(?:[DHFCTKPS][1-4]|V)\b", text)
    return sum(int(count or 1) for count in found)


def known(state: object, reader: int | None) -> int:
    board, under = state.board, state.under_ship  # type: ignore[attr-defined]
    piles, hands = state.piles, state.hands  # type: ignore[attr-defined]
    hand = [] if reader is None else hands[reader]
    return sum(map(len, [*board, under, *piles, hand]))


def test_a_hint_is_what_the_move_really_takes() -> None:
    for turn in turns(5):
        seat = turn.before.to_move
        moves = dragonheart.legal_moves(turn.before, seat)
        view = view_to_proto(dragonheart, dragonheart.view(turn.before, seat))
        protos = [move_to_proto(dragonheart, move) for move in moves]
        told = hints_of(view, Table(("Ada", "Bo"), seat), protos)
        assert [int(hint or 0) for hint in told] == [gain(turn.before, move) for move in moves]


def gain(state: dragonheart.State, move: dragonheart.Move) -> int:
    after, _ = dragonheart.apply(state, state.to_move, move)
    now, then = (points(each, state.to_move) for each in (state, after))
    return then - now


def test_the_longest_stacks_and_piles_fit() -> None:
    state = dealt(1)
    state.piles[0] = sorted([*DECK, *DECK])
    state.board[3] = [code for code in DECK * 2 if format_card(code).startswith("C")]
    lines = picture(state, 0)
    assert max(map(cell_len, lines)) <= WIDTH
    assert drawn(lines) == known(state, 0)


def test_every_line_of_dragonkeepers_fits_and_every_known_card_is_drawn() -> None:
    names = ("Їжак 龍龍龍龍龍龍龍龍龍龍龍龍龍龍龍龍龍", "x" * 64, "Bo", "Cy")
    for number in range(1100, 1100 + 2 * MATCHES):
        for decision in list(decisions(number))[::7]:
            state = decision.after
            for reader in (None, *range(len(state.areas))):
                lines = keepers_picture(state, reader, names)
                assert max(map(cell_len, lines)) <= WIDTH
                assert hands(lines) == sum(len(area.hand) for area in state.areas)


def test_a_board_tells_what_was_done_in_this_turn_alone() -> None:
    """Cards that were put on a page before are told apart, and the fourth card is no free one."""
    seen = [decision.after for number in range(1050, 1080) for decision in decisions(number)]
    paid = next(state for state in seen if state.phase is Phase.TAKE and state.taken > FREE_TAKES)
    assert any("take cards, 4 so far" in line for line in keepers_picture(paid, None))
    again = next(state for state in seen if state.changed[0] and state.booked[0] > 1)
    assert any(
        re.search(r"put on it this turn: \S\|\d before: \S\|\d", line)
        for line in keepers_picture(again, None)
    )


def hands(lines: list[str]) -> int:
    """Count the cards of all hands in a picture, known or not."""
    text = "\n".join(line.strip("│ ") for line in lines)
    found = re.findall(
        r"^(?:hand \d+:|Your hand \(\d+\):)((?:.*\d+×.*|.*[|>].*|.* unknown)(?:\n\S*[|>].*)*)",
        text,
        re.MULTILINE,
    )
    counts = re.findall(r"(?:(\d+)×)?\b[RWBGS][|>]\w|(\d+) unknown", "\n".join(found))
    return sum(int(known or unknown or 1) for known, unknown in counts)


def test_a_grid_joins_its_borders() -> None:
    rows = [[Box("a", "", ("1",)), Box("b", "=2", ("x" * 99,))], [Box("龍", "", ("", "3"))]]
    lines = grid(rows)
    assert {cell_len(line) for line in lines} == {WIDTH}
    assert [line[0] for line in lines] == list("┌│├││└")
    assert (lines[0][39], lines[2][38], lines[0][-5:]) == ("┬", "┴", " =2 ┐")
    assert lines[1].endswith("x…│")


def test_texts_are_cut_and_flow_by_the_columns_they_take() -> None:
    assert (fit("龍龍龍", 4), fit("ab", 4), fit("abcde", 4)) == ("龍 …", "ab  ", "abc…")
    assert flow(["a", "b" * 9, "c"], 3) == ("a", "b" * 9, "c")
    assert flow([], 3) == ("",)
    words = [f"{n:03}" for n in range(30)]  # 15 columns of 5
    assert columns(words)[0] == "  ".join(words[::2])
    assert columns(["a", "c" * 99]) == ["a", "c" * 99]
    assert columns([]) == []
