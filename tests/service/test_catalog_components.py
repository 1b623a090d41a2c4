"""The components and options of the games' texts against engine, protos and rules pages."""

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor

from dragonhall.v1 import dragonheart_pb2, match_pb2
from dragonhall_engine.dragonheart import cards as heart
from dragonhall_engine.dragonheart.notation import format_card
from dragonhall_engine.registry import GAMES
from dragonhall_service.texts.reading import LANGUAGES, Component, GameText
from tests.service.texts import ALL

ROOT = Path(__file__).parents[2]
PROTOS = {"dragonheart": dragonheart_pb2}
CARD_ENUMS = {"dragonheart": ["DragonheartCardType"]}


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


# ---- every game ---------------------------------------------------------------------------------


@pytest.mark.parametrize("game", CARD_ENUMS)
def test_every_value_of_the_games_enums_has_a_name(game: str) -> None:
    named = {part.enum_value for group in ALL[game]["en"].groups for part in group.components}
    enums = [PROTOS[game].DESCRIPTOR.enum_types_by_name[name] for name in CARD_ENUMS[game]]
    assert named - {""} == {name for enum in enums for name in enum_names(enum)}


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
