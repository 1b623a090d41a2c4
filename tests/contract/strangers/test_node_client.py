"""A Node program on the generated TypeScript stubs plays, watches and fetches replays."""

import json
from pathlib import Path

import pytest

from clients import build
from tests.contract.strangers import node
from tests.contract.strangers.conftest import Played


def test_it_plays_every_match_to_the_end(played: Played) -> None:
    ends = []
    for record in played.records:
        match, moves = record["replay"]["match"], record["replay"]["moves"]
        own = sum(move["reason"] == "MOVE_REASON_PLAYER" for move in moves)
        ends.append(f"{match['matchId']}: {own} moves, version {match['version']}")
    assert sorted(played.lines) == sorted(ends)


def test_the_watch_is_dense_and_ends_with_the_outcome(played: Played) -> None:
    for record in played.records:
        watched = record["logs"][0]
        versions = [int(event["version"]) for event in watched]
        assert versions == list(range(2, int(record["replay"]["match"]["version"]) + 1))
        assert [event for event in watched if "outcome" in event] == watched[-1:]


def test_every_reader_is_told_the_same_versions(played: Played) -> None:
    for record in played.records:
        spectator, *seats = [[event["version"] for event in log] for log in record["logs"]]
        assert all(told[-len(spectator) :] == spectator for told in seats)


def test_the_same_luck_is_the_same_match(server: str, dragonheart: Played, tmp_path: Path) -> None:
    done = node.play(server, "--out", tmp_path / "again", "--luck", "contract")
    assert done.returncode == 0, done.stderr
    (again,) = json.loads((tmp_path / "again").read_text())
    assert again["replay"]["moves"] == dragonheart.records[0]["replay"]["moves"]


def test_it_fails_where_no_server_is(client: None) -> None:
    done = node.play("127.0.0.1:1")
    assert done.returncode == 1
    assert "ECONNREFUSED" in done.stderr


@pytest.mark.parametrize("language", [name for name, made in build.LANGUAGES.items() if made.tools])
def test_a_missing_tool_is_named(
    language: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name, package = next(iter(build.LANGUAGES[language].tools.items()))
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SystemExit) as stopped:
        build.build(language)
    assert stopped.value.code == 3
    assert f"{name} is missing: install {package}" in capsys.readouterr().err


@pytest.mark.parametrize("language", build.LANGUAGES)
def test_each_language_has_a_plugin(language: str) -> None:
    template = build.template(language)
    assert template.count("out: ") == template.count(f"out: clients/{language}/") > 0
