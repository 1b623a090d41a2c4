"""Cards, pieces and enums of Dragonkeepers as protos: what its moves, facts and views share."""

from collections.abc import Iterable, Sequence
from typing import Any

from dragonhall.v1 import dragonkeepers_pb2 as pb
from dragonhall_engine.dragonkeepers.cards import (
    CARD_BY_NAME,
    COLOURS,
    EDITIONS,
    FRONT,
    LEFT,
    PAGE,
    PIECE_VALUES,
    RIGHT,
    SHADOW,
    SHADOW_FRONT,
    SHADOW_NUMBER,
    SHOWN,
    SLOT_NAMES,
    colour_card,
    number_card,
)
from dragonhall_engine.dragonkeepers.state import Ending, Phase
from dragonhall_service.api.mapping.enums import EnumMap
from dragonhall_service.usecases.refusals import FieldInvalid

EDITION_NUMBERS = EnumMap(
    {name: pb.DragonkeepersEdition.Value(f"DRAGONKEEPERS_EDITION_{name.upper()}")
     for name in EDITIONS},
    pb.DragonkeepersEdition.DESCRIPTOR,
)  # fmt: skip
COLOUR_NUMBERS = EnumMap(
    {0: pb.DRAGONKEEPERS_COLOUR_RED, 1: pb.DRAGONKEEPERS_COLOUR_WHITE,
     2: pb.DRAGONKEEPERS_COLOUR_BLUE, 3: pb.DRAGONKEEPERS_COLOUR_GREEN,
     SHADOW_FRONT: pb.DRAGONKEEPERS_COLOUR_SHADOW},
    pb.DragonkeepersColour.DESCRIPTOR,
)  # fmt: skip
SIDES = EnumMap(
    {LEFT: pb.DRAGONKEEPERS_SIDE_LEFT, RIGHT: pb.DRAGONKEEPERS_SIDE_RIGHT},
    pb.DragonkeepersSide.DESCRIPTOR,
)
SLOTS = EnumMap(
    {slot: pb.DragonkeepersSlot.Value(f"DRAGONKEEPERS_SLOT_{name}")
     for slot, name in enumerate(SLOT_NAMES)},
    pb.DragonkeepersSlot.DESCRIPTOR,
)  # fmt: skip
PHASES = EnumMap(
    {phase: pb.DragonkeepersPhase.Value(f"DRAGONKEEPERS_PHASE_{phase.name}") for phase in Phase},
    pb.DragonkeepersPhase.DESCRIPTOR,
)
ENDINGS = EnumMap(
    {ending: pb.DragonkeepersEnding.Value(f"DRAGONKEEPERS_ENDING_{ending.name}")
     for ending in Ending},
    pb.DragonkeepersEnding.DESCRIPTOR,
)  # fmt: skip

_MOST_NUMBER = SHADOW_NUMBER - 1


def shown_on(page: int, shown: int) -> dict[str, Any]:
    """Return what a page or a back shows as the member of a oneof: `number` or `colour`."""
    return {"number": shown} if page == LEFT else {"colour": COLOUR_NUMBERS.to_proto(shown)}


_CARDS = {
    card: pb.DragonkeepersCard(
        front=COLOUR_NUMBERS.to_proto(FRONT[card]), **shown_on(PAGE[card], SHOWN[card])
    )
    for card in CARD_BY_NAME.values()
}


def card_to_proto(card: int) -> pb.DragonkeepersCard:
    """Return a card; the caller does not change it."""
    return _CARDS[card]


def cards_to_proto(cards: Iterable[int]) -> list[pb.DragonkeepersCard]:
    """Return cards in their order."""
    return [_CARDS[card] for card in cards]


def card_from_proto(given: pb.DragonkeepersCard, path: str) -> int:
    """Read a card.

    Raises:
        FieldInvalid: no card of the game has this front and back.
    """
    front = COLOUR_NUMBERS.from_proto(given.front, f"{path}.front")
    back = given.WhichOneof("back")
    if back is None:
        raise FieldInvalid(f"{path}.back", "give its number or its colour")
    if front == SHADOW_FRONT:
        if back != "number" or given.number != SHADOW_NUMBER:
            raise FieldInvalid(f"{path}.{back}", f"a shadow has the number {SHADOW_NUMBER}")
        return SHADOW
    if back == "number":
        if not 1 <= given.number <= _MOST_NUMBER:
            raise FieldInvalid(f"{path}.number", f"1 to {_MOST_NUMBER}")
        return number_card(front, given.number)
    colour = COLOUR_NUMBERS.from_proto(given.colour, f"{path}.colour")
    if colour not in COLOURS or colour == front:
        raise FieldInvalid(f"{path}.colour", "a small dragon of another colour than the front")
    return colour_card(front, colour)


def piles_to_proto(counts: Sequence[int]) -> list[pb.DragonkeepersPile]:
    """Return amulet pieces by value, empty piles too."""
    return [
        pb.DragonkeepersPile(value=value, count=count)
        for value, count in zip(PIECE_VALUES, counts, strict=True)
    ]
