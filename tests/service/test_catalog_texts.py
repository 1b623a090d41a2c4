"""The games' texts: complete, in step with the rules pages, each in its own language."""

import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from dragonhall_engine.registry import GAMES
from dragonhall_service.texts.reading import LANGUAGES, TEXTS, BadText, read_texts
from tests.service.texts import (
    ALL,
    EVERY,
    facts,
    foreign_letters,
    likely_languages,
    passages,
    prose,
    rules,
    unlike,
    words,
)

ROOT = Path(__file__).parents[2]
SAME_AS_ENGLISH = {"troll", "standard", "start"}
ENGLISH_ONLY = {"the", "of", "and", "is", "with", "from", "this", "that", "which", "cards"}


def page(game: str) -> str:
    return (ROOT / "docs" / "rules" / f"{game}.md").read_text(encoding="utf-8")


def test_every_game_of_the_service_has_texts() -> None:
    assert set(GAMES) <= set(ALL)
    assert all(tuple(texts) == LANGUAGES for texts in ALL.values())


@pytest.mark.parametrize(("game", "language"), EVERY)
def test_the_rules_are_those_of_the_page(game: str, language: str) -> None:
    page_rules = re.findall(r"^- \*\*(D[HK]-\d+\.\d+)\*\* \S", page(game), re.MULTILINE)
    text = ALL[game][language]
    assert list(text.rule_numbers) == page_rules
    assert list(rules(text)) == page_rules
    groups = set(re.findall(r"\((?:D[HK]-\d+(?:, )?)+\)", page(game)))
    cited = {group for found in groups for group in re.findall(r"D[HK]-\d+", found)}
    headings = re.findall(r"^## \d+\. .+ \((D[HK]-\d+)\)$", text.rules, re.MULTILINE)
    assert headings == sorted(cited, key=lambda rule: int(rule[3:]))


@pytest.mark.parametrize(("game", "language"), EVERY)
def test_every_rule_that_is_cited_exists(game: str, language: str) -> None:
    text = ALL[game][language]
    known = {*text.rule_numbers, *(rule.partition(".")[0] for rule in text.rule_numbers)}
    known |= set(re.findall(r"^## .*\((D[HK]-\d+)\)", text.rules, re.MULTILINE))
    assert set(re.findall(r"D[HK]-\d+(?:\.\d+)?", text.rules)) <= known


@pytest.mark.parametrize(("game", "language"), EVERY)
def test_a_rule_says_the_same_in_every_language(game: str, language: str) -> None:
    assert unlike(ALL[game][language].rules, ALL[game]["en"].rules) == []


@pytest.mark.parametrize(
    ("old", "new"), [("alle 4 Zwerge", "alle 3 Zwerge"), ("`K2 > troll`", "`K2 > sorceress`")]
)
def test_a_rule_that_says_something_else_is_found(old: str, new: str) -> None:
    german = ALL["dragonheart"]["de"].rules
    assert len(unlike(german.replace(old, new, 1), ALL["dragonheart"]["en"].rules)) == 1


@pytest.mark.parametrize(("game", "language"), EVERY)
def test_tables_and_examples_say_the_same_in_every_language(game: str, language: str) -> None:
    def skeleton(text: str) -> list[list[str]]:
        return [
            [line[:1], *facts(line)[0]] for line in text.splitlines() if re.match(r"[|\d#]", line)
        ]

    assert skeleton(ALL[game][language].rules) == skeleton(ALL[game]["en"].rules)


@pytest.mark.parametrize(("game", "language"), EVERY)
def test_a_text_is_in_its_language(game: str, language: str) -> None:
    for passage in passages(ALL[game][language]):
        assert foreign_letters(passage, language) == set(), passage
        if language != "en":
            assert not ENGLISH_ONLY & set(words(passage)), passage
        if len(words(passage)) >= 10 and not passage.startswith("|"):
            assert language in likely_languages(passage), passage


@pytest.mark.parametrize(("game", "language"), [each for each in EVERY if each[1] != "en"])
def test_nothing_is_left_in_english(game: str, language: str) -> None:
    english = {prose(passage).strip().lower() for passage in passages(ALL[game]["en"])}
    same = {passage.strip().lower() for passage in passages(ALL[game][language])} & english
    assert {text for text in same if words(text)} <= SAME_AS_ENGLISH


def test_a_foreign_passage_is_found() -> None:
    german = "Wer Trolle ausspielt, nimmt jedes Mal alle Prinzessinnen, und die Trolle bleiben."
    assert likely_languages(german) == {"de"}
    assert likely_languages("You may play even if there is nothing to take.") == {"en"}
    assert foreign_letters("Kто кладе", "uk") == {"k"}, "a Latin K in a Ukrainian word"
    assert foreign_letters("cărţi", "ro") == {"ţ"}, "a cedilla where a comma belongs"


# ---- what a start refuses -----------------------------------------------------------------------


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    with_paths = Path(str(TEXTS))
    return Path(shutil.copytree(with_paths, tmp_path / "texts"))


def edited(file: Path, change: Callable[[str], str]) -> None:
    text = file.read_text(encoding="utf-8")
    assert change(text) != text
    file.write_text(change(text), encoding="utf-8")


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    [
        ("heart/de.toml", 'T = "Troll"\n', "", r"de\.toml: names missing, or of nothing: \['T'\]"),
        ("heart/de.toml", "[names]\n", '[names]\nX = "?"\n', r"of nothing: \['X'\]"),
        ("heart/pl.toml", 'T = "Troll"', 'T = " "', "dragonheart/pl: a text is empty"),
        ("heart/uk.toml", "[options.", "[elsewhere.", r"uk\.toml: 'options' is missing"),
        ("heart/ro.toml", "title =", "title", r"ro\.toml: "),
        ("heart/uk.md", "- **DH-4.3** ", "", r"uk\.md: not the rules of en: \['DH-4\.3'\]"),
        ("heart/ro.md", "- **DH-4.3** ", "- **DH-4.33** ", r"\['DH-4\.3', 'DH-4\.33'\]"),
        ("heart/components.toml", 'code = "figures"', 'code = "x"', r"\['figures', 'x'\]"),
        ("keepers/pl.toml", "_TAKE = ", "_TAKEN = ", r"pl\.toml: not the terms and options of en"),
        ("keepers/uk.toml", ".seats", ".players", r"uk\.toml: not the terms and options of en"),
    ],
)
def test_a_text_that_does_not_fit_is_refused(
    copy: Path, file: str, old: str, new: str, told: str
) -> None:
    edited(copy / f"dragon{file}", lambda text: text.replace(old, new))
    with pytest.raises(BadText, match=told):
        read_texts(f"dragon{file}".partition("/")[0], copy)


@pytest.mark.parametrize("file", ["de.toml", "de.md", "components.toml"])
def test_a_text_that_is_not_there_is_refused(copy: Path, file: str) -> None:
    (copy / "dragonheart" / file).unlink()
    with pytest.raises(BadText, match=re.escape(file)):
        read_texts("dragonheart", copy)


def test_the_wheel_holds_the_texts(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory"]
    subprocess.run([*build, tmp_path], cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    packed = set(zipfile.ZipFile(wheel).namelist())
    folder = Path(str(TEXTS))
    ours = {path.relative_to(folder.parents[1]) for path in folder.rglob("*.*")}
    assert {str(path) for path in ours if path.suffix in (".md", ".toml")} <= packed
