"""Dragonkeepers between its protos and its engine: setups, moves and views; facts are beside."""

from dragonhall.v1 import dragonkeepers_pb2 as pb
from dragonhall.v1 import game_pb2
from dragonhall_engine.dragonkeepers import (
    NAME,
    SEATS,
    Book,
    DeckView,
    EndBook,
    EndTake,
    Move,
    Pass,
    Play,
    SeatView,
    Take,
    View,
)
from dragonhall_engine.dragonkeepers.cards import LEFT, PIECE_VALUES, REWARDS, RIGHT, RULES
from dragonhall_service.api.mapping.dragonkeepers_cards import (
    COLOUR_NUMBERS,
    EDITION_NUMBERS,
    ENDINGS,
    PHASES,
    SIDES,
    SLOTS,
    card_from_proto,
    card_to_proto,
    cards_to_proto,
    piles_to_proto,
    shown_on,
)
from dragonhall_service.api.mapping.dragonkeepers_facts import fact_to_proto
from dragonhall_service.usecases.refusals import FieldInvalid

__all__ = [
    "NAME",
    "fact_to_proto",
    "move_from_proto",
    "move_to_proto",
    "setup_from_proto",
    "setup_to_proto",
    "view_to_proto",
]

_LARGEST_SET = max(REWARDS)


def setup_from_proto(setup: game_pb2.GameSetup, path: str) -> tuple[str, int]:
    """Read edition and number of seats.

    Raises:
        FieldInvalid: no such edition or number of seats.
    """
    typed, path = setup.dragonkeepers, f"{path}.dragonkeepers"
    edition = EDITION_NUMBERS.from_proto(typed.edition, f"{path}.edition")
    if typed.seats not in SEATS:
        raise FieldInvalid(f"{path}.seats", f"{SEATS.start} to {SEATS.stop - 1}")
    return edition, typed.seats


def setup_to_proto(edition: str, seats: int) -> game_pb2.GameSetup:
    """Return the setup of an edition."""
    setup = pb.DragonkeepersSetup(edition=EDITION_NUMBERS.to_proto(edition), seats=seats)
    return game_pb2.GameSetup(dragonkeepers=setup)


# ---- moves --------------------------------------------------------------------------------------


def move_from_proto(move: game_pb2.Move, path: str) -> Move:
    """Read a typed move; legality is not looked at.

    Raises:
        FieldInvalid: no decision is named, or a card, slot or side does not exist.
    """
    typed, path = move.dragonkeepers, f"{path}.dragonkeepers"
    match typed.WhichOneof("move"):
        case "take":
            slot = SLOTS.from_proto(typed.take.slot, f"{path}.take.slot")
            return Take(slot, with_crystal=typed.take.with_crystal)
        case "end_take":
            return EndTake()
        case "book":
            page = SIDES.from_proto(typed.book.page, f"{path}.book.page")
            return Book(page, card_from_proto(typed.book.card, f"{path}.book.card"))
        case "end_book":
            return EndBook()
        case "play":
            return _play_from(typed.play, f"{path}.play")
        case "pass_play":
            return Pass()
        case _:
            raise FieldInvalid(f"{path}.move", "name a decision")


def _play_from(play: pb.DragonkeepersPlay, path: str) -> Play:
    if not 1 <= len(play.cards) <= _LARGEST_SET:
        raise FieldInvalid(f"{path}.cards", f"1 to {_LARGEST_SET} cards")
    cards = [card_from_proto(given, f"{path}.cards[{n}]") for n, given in enumerate(play.cards)]
    side = SIDES.from_proto(play.side, f"{path}.side") if play.HasField("side") else None
    return Play(tuple(sorted(cards)), side)


def move_to_proto(move: Move) -> game_pb2.Move:
    """Return the typed form of a move."""
    return game_pb2.Move(dragonkeepers=_move(move))


def _move(move: Move) -> pb.DragonkeepersMove:
    match move:
        case Take(slot, with_crystal):
            take = pb.DragonkeepersTake(slot=SLOTS.to_proto(slot), with_crystal=with_crystal)
            return pb.DragonkeepersMove(take=take)
        case EndTake():
            return pb.DragonkeepersMove(end_take=pb.DragonkeepersEndTake())
        case Book(page, card):
            book = pb.DragonkeepersBook(page=SIDES.to_proto(page), card=card_to_proto(card))
            return pb.DragonkeepersMove(book=book)
        case EndBook():
            return pb.DragonkeepersMove(end_book=pb.DragonkeepersEndBook())
        case Play(cards, side):
            end = None if side is None else SIDES.to_proto(side)
            play = pb.DragonkeepersPlay(cards=cards_to_proto(cards), side=end)
            return pb.DragonkeepersMove(play=play)
        case Pass():
            return pb.DragonkeepersMove(pass_play=pb.DragonkeepersPass())


# ---- views --------------------------------------------------------------------------------------


def view_to_proto(view: View) -> game_pb2.View:
    """Return the typed form of a view; what its reader may not know is absent."""
    number, colour = view.requirement
    left, right = view.decks
    reader = None if view.reader is None else view.seats[view.reader]
    typed = pb.DragonkeepersView(
        edition=EDITION_NUMBERS.to_proto(view.edition),
        start_seat=view.start_seat,
        round=view.round,
        quiet_rounds=view.quiet_rounds,
        set_played=view.set_played,
        active=view.active,
        phase=PHASES.to_proto(view.phase),
        seat_to_move=view.to_move,
        taken=view.taken,
        left_changed=view.changed[LEFT],
        right_changed=view.changed[RIGHT],
        number=number,
        colour=COLOUR_NUMBERS.to_proto(colour),
        offer=_offer(view),
        left=_deck(LEFT, left),
        right=_deck(RIGHT, right),
        shadows=view.shadows,
        crystals=view.crystals,
        eggs=view.eggs,
        crests=view.crests,
        pieces=piles_to_proto(view.pieces),
        removed_pieces=piles_to_proto(view.removed_pieces),
        pearl_count=view.pearl_count,
        pearls=view.pearls or (),
        unseen_pearls=view.unseen_pearls,
        unseen_starters=cards_to_proto(view.unseen_starters),
        starters_out=cards_to_proto(view.starters_out or ()),
        trigger=None if view.trigger is None else ENDINGS.to_proto(view.trigger),
        ending=None if view.ending is None else ENDINGS.to_proto(view.ending),
        seats=[_seat_view(seat) for seat in view.seats],
        hand=cards_to_proto((reader and reader.hand) or ()),
    )
    return game_pb2.View(dragonkeepers=typed)


def _offer(view: View) -> list[pb.DragonkeepersOffer]:
    return [
        pb.DragonkeepersOffer(
            slot=SLOTS.to_proto(slot), card=None if card is None else card_to_proto(card)
        )
        for slot, card in zip(RULES[view.edition].slots, view.offer, strict=True)
    ]


def _deck(page: int, deck: DeckView) -> pb.DragonkeepersDeck:
    top = {f"unseen_{kind}": shown for kind, shown in shown_on(page, deck.unseen_shown).items()}
    return pb.DragonkeepersDeck(
        size=deck.size,
        booked=cards_to_proto(deck.booked),
        unseen=cards_to_proto(deck.unseen),
        order=cards_to_proto(deck.order or ()),
        **top,
    )


def _seat_view(seat: SeatView) -> pb.DragonkeepersSeatView:
    return pb.DragonkeepersSeatView(
        hand_count=seat.hand_count,
        known=cards_to_proto(seat.known),
        unknown=seat.unknown,
        starters=cards_to_proto(seat.starters or ()),
        row=[
            pb.DragonkeepersStack(
                colour=COLOUR_NUMBERS.to_proto(stack.colour), cards=cards_to_proto(stack.cards)
            )
            for stack in seat.row
        ],
        crystals=seat.crystals,
        eggs=seat.eggs,
        crest=seat.crest,
        pieces=[PIECE_VALUES[pile] for pile in seat.pieces],
        completed=seat.completed,
        pearl_count=seat.pearl_count,
        pearls=seat.pearls or (),
    )
