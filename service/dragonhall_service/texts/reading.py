"""Reads the texts of a game and refuses such as are incomplete.

Whatever can be said without looking at engine and protos is checked here, at the start of a
server; tests/service/test_catalog_texts.py holds the texts against those.
"""

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

LANGUAGES = ("en", "de", "uk", "pl", "ro")
"""BCP 47 tags of the languages in which every game has its texts, the default first."""

TEXTS = files("dragonhall_service.texts")

_RULE = re.compile(r"^- \*\*([A-Z]+-\d+\.\d+)\*\* \S", re.MULTILINE)
_NUMBER = re.compile(r"\d+$")


class BadText(ValueError):
    """A text is missing, empty, or does not fit the others; the message names it."""


@dataclass(frozen=True, slots=True)
class Face:
    """Components that are all alike: `code` as in notation, the number on them or 0, how many."""

    code: str
    value: int
    count: int


@dataclass(frozen=True, slots=True)
class Component:
    """A kind of card or other component.

    Attributes:
        code: as in notation where that has one.
        name: in one language.
        enum_value: its value in an enum of the protos; empty for none.
        faces: one or more.
    """

    code: str
    name: str
    enum_value: str
    faces: tuple[Face, ...]

    @property
    def count(self) -> int:
        """How many there are, all faces together."""
        return sum(face.count for face in self.faces)


@dataclass(frozen=True, slots=True)
class Group:
    """Components that belong together; `each_seat` says that every seat has all of them."""

    code: str
    name: str
    each_seat: bool
    components: tuple[Component, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice of an option: an enum's value, its name, what it does."""

    enum_value: str
    name: str
    description: str


@dataclass(frozen=True, slots=True)
class Option:
    """Something that a host may choose: a path in MatchOptions, its name, what it does."""

    field: str
    name: str
    description: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class GameText:
    """A game in one language.

    Attributes:
        language: one of `LANGUAGES`.
        title: what the game is called.
        groups: everything that it is played with.
        terms: names of the values of its other enums.
        options: what a host may choose.
        rules: Markdown.
    """

    language: str
    title: str
    groups: tuple[Group, ...]
    terms: Mapping[str, str]
    options: tuple[Option, ...]
    rules: str

    @property
    def rule_numbers(self) -> tuple[str, ...]:
        """The numbers of all rules, in the order of the text."""
        return tuple(_RULE.findall(self.rules))


def read_texts(game: str, folder: Traversable = TEXTS) -> Mapping[str, GameText]:
    """Read a game's texts, by language in the order of `LANGUAGES`.

    Raises:
        BadText: one is missing, empty, or does not fit the others.
    """
    components = _table(folder / game / "components.toml")["groups"]
    texts = {language: _read(components, folder, game, language) for language in LANGUAGES}
    model = texts[LANGUAGES[0]]
    for language, text in texts.items():
        if text.rule_numbers != model.rule_numbers:
            odd = sorted({*text.rule_numbers} ^ {*model.rule_numbers})
            raise BadText(f"{game}/{language}.md: not the rules of {model.language}: {odd}")
        if _shape(text) != _shape(model):
            raise BadText(f"{game}/{language}.toml: not the terms and options of {model.language}")
    return texts


def _read(components: Any, folder: Traversable, game: str, language: str) -> GameText:
    where = f"{game}/{language}"
    own = _table(folder / game / f"{language}.toml")
    every_game = _table(folder / "options" / f"{language}.toml")
    try:
        groups = tuple(_groups(components, own["groups"], own["names"]))
        options = tuple(_options({**own["options"], **every_game}))
        text = GameText(
            language=language,
            title=own["title"],
            groups=groups,
            terms=own.get("terms", {}),
            options=options,
            rules=_content(folder / game / f"{language}.md"),
        )
    except KeyError as missing:
        raise BadText(f"{where}.toml: {missing} is missing") from missing
    _same(where, own["groups"], {group.code for group in groups})
    _same(where, own["names"], {part.code for group in groups for part in group.components})
    if not all(word.strip() for word in _words(text)):
        raise BadText(f"{where}: a text is empty")
    return text


def _content(file: Traversable) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError as wrong:
        raise BadText(f"{file}: {wrong}") from wrong


def _table(file: Traversable) -> dict[str, Any]:
    try:
        return tomllib.loads(_content(file))
    except tomllib.TOMLDecodeError as wrong:
        raise BadText(f"{file}: {wrong}") from wrong


def _groups(
    components: Any, group_names: Mapping[str, str], names: Mapping[str, str]
) -> Iterator[Group]:
    for group in components:
        parts = (
            Component(
                code=part["code"],
                name=names.get(part["code"], ""),
                enum_value=part.get("enum", ""),
                faces=tuple(_face(code, count) for code, count in part["faces"].items()),
            )
            for part in group["components"]
        )
        code = group["code"]
        yield Group(code, group_names.get(code, ""), group.get("each_seat", False), tuple(parts))


def _face(code: str, count: int) -> Face:
    number = _NUMBER.search(code)
    return Face(code, int(number[0]) if number else 0, count)


def _options(options: Mapping[str, Any]) -> Iterator[Option]:
    for field, option in options.items():
        choices = (
            Choice(value, choice["name"], choice["description"])
            for value, choice in option.get("choices", {}).items()
        )
        yield Option(field, option["name"], option["description"], tuple(choices))


def _same(where: str, told: Collection[str], wanted: Collection[str]) -> None:
    if odd := sorted({*told} ^ {*wanted}):
        raise BadText(f"{where}.toml: names missing, or of nothing: {odd}")


def _words(text: GameText) -> Iterator[str]:
    yield from (text.title, text.rules, *text.terms.values())
    for group in text.groups:
        yield group.name
        yield from (part.name for part in group.components)
    for option in text.options:
        yield from (option.name, option.description)
        for choice in option.choices:
            yield from (choice.name, choice.description)


def _shape(text: GameText) -> tuple[list[str], list[tuple[str, list[str]]]]:
    fields = [(o.field, [choice.enum_value for choice in o.choices]) for o in text.options]
    return list(text.terms), fields
