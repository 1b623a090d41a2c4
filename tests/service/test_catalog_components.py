"""The components and options of the games' texts against engine, protos and rules pages."""

import re
from collections import Counter
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor

import dragonhall.v1
from dragonhall.v1 import match_pb2
from dragonhall_engine.dragonheart import cards as heart
from dragonhall_engine.dragonheart.notation import format_card
from dragonhall_engine.dragonkeepers import cards as keepers
from dragonhall_engine.registry import GAMES
from dragonhall_service.texts.reading import LANGUAGES, Component, GameText
from tests.service.texts import ALL, rules

ROOT = Path(__file__).parents[2]


def components(game: str, group: str, language: str = "en") -> tuple[Component, ...]:
    (found,) = [each for each in ALL[game][language].groups if each.code == group]
    return found.components


def counts(parts: Iterable[Component]) -> Counter[str]:
    return Counter({face.code: face.count for part in parts for face in part.faces})


def enum_names(enum: EnumDescriptor) -> list[str]:
    return [value.name for value in enum.values if value.number]


# ---- Dragonheart --------------------------------------------------------------------------------


def test_dragonheart_has_the_cards_of_the_engine() -> None:
    parts = components("dragonheart", "cards")
    assert counts(parts) == Counter(map(format_card, heart.DECK))
    assert [part.code for part in parts] == list(heart.LETTERS)
    for part, type_ in zip(parts, heart.CardType, strict=True):
        assert part.enum_value == f"DRAGONHEART_CARD_TYPE_{type_.name}"
        assert {face.value for face in part.faces} == {
            heart.value(card) for card in heart.DECK if heart.card_type(card) == type_
        }


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_table_of_dragonheart_is_the_deck(language: str) -> None:
    text = ALL["dragonheart"][language]
    rows = re.findall(r"^\| `(.)` \| (.+?) \| (\d+) \| (.+?) \| (\d+) \|$", text.rules, re.M)
    told = []
    for part in components("dragonheart", "cards", language):
        faces = ", ".join(f"{face.value}×{face.count}" for face in part.faces if face.value)
        points = sum(face.value * face.count for face in part.faces)
        told.append((part.code, part.name, str(part.count), faces or "–", str(points)))
    assert rows == told


def test_the_names_of_dragonheart_are_those_of_the_page() -> None:
    page = (ROOT / "docs" / "rules" / "dragonheart.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\S) \| .+? \| (.+?) \| (.+?) \| (.+?) \| (.+?) \|$", page, re.M)
    names = {row[0].replace("–", "great_dragon"): row[1:] for row in rows}
    for place, language in enumerate(["en", "de", "uk", "pl"]):
        groups = ALL["dragonheart"][language].groups
        for part in [part for group in groups for part in group.components]:
            told = names[part.code][place].partition(" (")[0]
            assert part.name == told.replace("'", "’")


# ---- Dragonkeepers ------------------------------------------------------------------------------


def named(cards: Iterable[int]) -> Counter[str]:
    return Counter(keepers.CARD_NAMES[card] for card in cards)


def values(code: str) -> Counter[int]:
    (found,) = [part for part in components("dragonkeepers", "treasures") if part.code == code]
    return Counter({face.value: face.count for face in found.faces})


def copies(sentence: str) -> Counter[int]:
    """Read `3×4` as four of value 3."""
    return Counter({int(value): int(n) for value, n in re.findall(r"(\d+)×(\d+)", sentence)})


def test_dragonkeepers_has_the_cards_of_the_engine() -> None:
    groups = {
        "number_cards": named(keepers.LEFT_DECK),
        "colour_cards": named(keepers.RIGHT_DECK),
        "starters": named(keepers.STARTERS),
        "shadows": named([keepers.SHADOW] * keepers.SHADOWS),
    }
    for group, cards in groups.items():
        parts = components("dragonkeepers", group)
        assert counts(parts) == cards
        for part in parts:
            assert {face.code[0] for face in part.faces} == {part.code}
            for face in part.faces:
                card = keepers.CARD_BY_NAME[face.code]
                number = keepers.SHOWN[card] if keepers.PAGE[card] == keepers.LEFT else 0
                assert face.value == number
    assert not any(group.each_seat for group in ALL["dragonkeepers"]["en"].groups)


def test_dragonkeepers_has_the_treasures_of_the_engine() -> None:
    blue, red = values("blue_pearl"), values("red_pearl")
    assert values("piece") == Counter(keepers.PIECE_COPIES)
    assert blue + red == Counter(keepers.PEARLS)
    assert set(blue) == set(sorted(set(keepers.PEARLS))[:2])
    assert values("crystal") == {0: keepers.CRYSTALS}
    assert values("egg") == {keepers.EGG_POINTS: keepers.EGGS}
    assert values("crest") == Counter(keepers.CRESTS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rules_of_dragonkeepers_count_as_the_engine(language: str) -> None:
    text = ALL["dragonkeepers"][language]
    told = rules(text)
    assert copies(told["DK-1.2"]) == Counter(keepers.NUMBER_COPIES)
    assert copies(told["DK-1.5"]) == Counter(keepers.PIECE_COPIES)
    assert copies(told["DK-1.6"]) == Counter(keepers.PEARLS)
    starters = " ".join(keepers.CARD_NAMES[card] for card in keepers.STARTERS)
    assert f"`{starters}`" in told["DK-1.4"]
    table = re.findall(r"^\| `([RWBG])` \| (.+) \|$", text.rules, re.M)
    assert table == [
        (front, " | ".join(str(n) if n else "–" for n in row))
        for front, row in zip(keepers.COLOUR_LETTERS, keepers.COLOUR_COPIES, strict=True)
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rewards_of_dragonkeepers_are_those_of_the_engine(language: str) -> None:
    text = ALL["dragonkeepers"][language]
    names = {part.code: part.name.lower() for group in text.groups for part in group.components}
    rows = re.findall(r"^\| (\d) \| (.+?) \| (.+?) \|$", text.rules, re.M)
    assert [int(number) for number, _, _ in rows] == list(keepers.REWARDS)
    lowest = rows[0][1]
    for number, piece, bonus in rows:
        reward = keepers.REWARDS[int(number)]
        assert (piece != lowest) == reward.highest
        told = [names[code] in bonus.lower() for code in ("crystal", "S", "egg")]
        assert told == [reward.crystal, reward.shadow, reward.egg]


# ---- every game ---------------------------------------------------------------------------------


@pytest.mark.parametrize("game", sorted(GAMES))
def test_every_enum_of_the_games_protos_is_named_in_full(game: str) -> None:
    text = ALL[game]["en"]
    told = [part.enum_value for group in text.groups for part in group.components]
    told += text.terms
    told += [choice.enum_value for option in text.options for choice in option.choices]
    modules = [name for _, name, _ in iter_modules(dragonhall.v1.__path__) if name.startswith(game)]
    files = [import_module(f"dragonhall.v1.{name}") for name in modules if name.endswith("_pb2")]
    enums = [enum for file in files for enum in file.DESCRIPTOR.enum_types_by_name.values()]
    assert enums
    assert {name for enum in enums for name in enum_names(enum)} <= set(told)
    shared = match_pb2.DESCRIPTOR.enum_types_by_name.values()
    known = {name for enum in [*enums, *shared] for name in enum_names(enum)}
    assert set(told) - {""} <= known


def option_fields(game: str) -> dict[str, FieldDescriptor]:
    """Return what a host may choose, by path: every field that is no message, or stands for one."""
    fields: dict[str, FieldDescriptor] = {}

    def collect(message: Descriptor, path: str) -> None:
        for field in message.fields:
            here = f"{path}{field.name}"
            if field.message_type is None or field.message_type.file.package != "dragonhall.v1":
                fields[here] = field
            elif field.containing_oneof is None or field.name == game:
                collect(field.message_type, f"{here}.")

    collect(match_pb2.MatchOptions.DESCRIPTOR, "")
    return fields


@pytest.mark.parametrize("game", sorted(GAMES))
def test_every_option_is_explained(game: str) -> None:
    text: GameText = ALL[game]["en"]
    told = {option.field: [c.enum_value for c in option.choices] for option in text.options}
    fields = option_fields(game)
    assert set(told) == set(fields)
    for path, field in fields.items():
        assert sorted(told[path]) == sorted(enum_names(field.enum_type) if field.enum_type else [])
