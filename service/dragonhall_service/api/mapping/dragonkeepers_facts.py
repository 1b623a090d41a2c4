"""Facts of Dragonkeepers as protos."""

from dragonhall.v1 import dragonkeepers_facts_pb2 as pb
from dragonhall.v1 import game_pb2
from dragonhall_engine.dragonkeepers import Fact
from dragonhall_engine.dragonkeepers.cards import PIECE_VALUES, SLOT_PAGE
from dragonhall_engine.dragonkeepers.facts import (
    AmuletCompleted,
    BookEnded,
    CardBooked,
    CardTaken,
    CrestTaken,
    CrystalGained,
    CrystalSpent,
    EggGained,
    EndTriggered,
    MatchEnded,
    Passed,
    PearlDrawn,
    PieceTaken,
    RoundEnded,
    SeatRevealed,
    SeatScored,
    SetPlayed,
    ShadowGained,
    SlotRefilled,
    StartersDealt,
    SupplyRevealed,
    TableLaid,
    TakeEnded,
    TurnBegan,
)
from dragonhall_service.api.mapping.dragonkeepers_cards import (
    COLOUR_NUMBERS,
    EDITION_NUMBERS,
    ENDINGS,
    SIDES,
    SLOTS,
    card_to_proto,
    cards_to_proto,
    piles_to_proto,
    shown_on,
)


def fact_to_proto(fact: Fact) -> game_pb2.Fact:
    """Return the typed form of a projected fact; a field that is None is absent."""
    return game_pb2.Fact(dragonkeepers=_fact(fact))


def _fact(fact: Fact) -> pb.DragonkeepersFact:
    match fact:
        case TableLaid():
            return pb.DragonkeepersFact(table_laid=_table(fact))
        case SlotRefilled(slot, card, shown):
            refilled = pb.DragonkeepersSlotRefilled(
                slot=SLOTS.to_proto(slot),
                card=card_to_proto(card),
                **shown_on(SLOT_PAGE[slot], shown),
            )
            return pb.DragonkeepersFact(slot_refilled=refilled)
        case EndTriggered(ending):
            triggered = pb.DragonkeepersEndTriggered(ending=ENDINGS.to_proto(ending))
            return pb.DragonkeepersFact(end_triggered=triggered)
        case RoundEnded(number, quiet):
            ended = pb.DragonkeepersRoundEnded(round=number, quiet_rounds=quiet)
            return pb.DragonkeepersFact(round_ended=ended)
        case MatchEnded(ending):
            over = pb.DragonkeepersMatchEnded(ending=ENDINGS.to_proto(ending))
            return pb.DragonkeepersFact(match_ended=over)
        case SupplyRevealed(left, right, starters, pearls):
            revealed = pb.DragonkeepersSupplyRevealed(
                left=cards_to_proto(left),
                right=cards_to_proto(right),
                starters=cards_to_proto(starters),
                pearls=pearls,
            )
            return pb.DragonkeepersFact(supply_revealed=revealed)
        case TurnBegan() | CardTaken() | CrystalSpent() | TakeEnded() | CardBooked() | BookEnded():
            return _turn_fact(fact)
        case SetPlayed() | Passed() | SeatRevealed() | SeatScored():
            return _play_fact(fact)
        case _:
            return _gain_fact(fact)


def _table(fact: TableLaid) -> pb.DragonkeepersTableLaid:
    return pb.DragonkeepersTableLaid(
        edition=EDITION_NUMBERS.to_proto(fact.edition),
        seats=fact.seats,
        start_seat=fact.start_seat,
        offer=cards_to_proto(fact.offer),
        number=fact.number,
        colour=COLOUR_NUMBERS.to_proto(fact.colour),
        pieces=piles_to_proto(fact.pieces),
    )


def _turn_fact(
    fact: TurnBegan | CardTaken | CrystalSpent | TakeEnded | CardBooked | BookEnded,
) -> pb.DragonkeepersFact:
    """TAKE and BOOK."""
    match fact:
        case TurnBegan(seat, number):
            began = pb.DragonkeepersTurnBegan(seat=seat, round=number)
            return pb.DragonkeepersFact(turn_began=began)
        case CardTaken(seat, slot, card):
            taken = pb.DragonkeepersCardTaken(
                seat=seat, slot=SLOTS.to_proto(slot), card=card_to_proto(card)
            )
            return pb.DragonkeepersFact(card_taken=taken)
        case CrystalSpent(seat):
            return pb.DragonkeepersFact(crystal_spent=pb.DragonkeepersCrystalSpent(seat=seat))
        case TakeEnded(seat):
            return pb.DragonkeepersFact(take_ended=pb.DragonkeepersTakeEnded(seat=seat))
        case CardBooked(seat, page, card):
            booked = pb.DragonkeepersCardBooked(
                seat=seat, page=SIDES.to_proto(page), card=card_to_proto(card)
            )
            return pb.DragonkeepersFact(card_booked=booked)
        case BookEnded(seat):
            return pb.DragonkeepersFact(book_ended=pb.DragonkeepersBookEnded(seat=seat))


def _play_fact(fact: SetPlayed | Passed | SeatRevealed | SeatScored) -> pb.DragonkeepersFact:
    """PLAY and FOLLOW, and what each seat shows after the end."""
    match fact:
        case SetPlayed(seat, cards, colour, side):
            played = pb.DragonkeepersSetPlayed(
                seat=seat,
                cards=cards_to_proto(cards),
                colour=COLOUR_NUMBERS.to_proto(colour),
                side=None if side is None else SIDES.to_proto(side),
            )
            return pb.DragonkeepersFact(set_played=played)
        case Passed(seat):
            return pb.DragonkeepersFact(passed=pb.DragonkeepersPassed(seat=seat))
        case SeatRevealed(seat, starters, pearls):
            revealed = pb.DragonkeepersSeatRevealed(
                seat=seat, starters=cards_to_proto(starters), pearls=pearls
            )
            return pb.DragonkeepersFact(seat_revealed=revealed)
        case SeatScored():
            return pb.DragonkeepersFact(seat_scored=_scored(fact))


def _scored(fact: SeatScored) -> pb.DragonkeepersSeatScored:
    return pb.DragonkeepersSeatScored(
        seat=fact.seat,
        pieces=fact.pieces,
        pearls=fact.pearls,
        crest=fact.crest,
        eggs=fact.eggs,
        played=fact.played,
        total=fact.total,
        row_cards=fact.row_cards,
    )


def _gain_fact(
    fact: StartersDealt
    | CrestTaken
    | PieceTaken
    | AmuletCompleted
    | PearlDrawn
    | CrystalGained
    | ShadowGained
    | EggGained,
) -> pb.DragonkeepersFact:
    """What a seat got."""
    match fact:
        case StartersDealt(seat, count, cards):
            dealt = pb.DragonkeepersStartersDealt(
                seat=seat, count=count, cards=cards_to_proto(cards or ())
            )
            return pb.DragonkeepersFact(starters_dealt=dealt)
        case CrestTaken(seat, value):
            crest = pb.DragonkeepersCrestTaken(seat=seat, value=value)
            return pb.DragonkeepersFact(crest_taken=crest)
        case PieceTaken(seat, pile):
            piece = pb.DragonkeepersPieceTaken(seat=seat, value=PIECE_VALUES[pile])
            return pb.DragonkeepersFact(piece_taken=piece)
        case AmuletCompleted(seat, completed):
            amulet = pb.DragonkeepersAmuletCompleted(seat=seat, completed=completed)
            return pb.DragonkeepersFact(amulet_completed=amulet)
        case PearlDrawn(seat, value):
            pearl = pb.DragonkeepersPearlDrawn(seat=seat, value=value)
            return pb.DragonkeepersFact(pearl_drawn=pearl)
        case CrystalGained(seat):
            return pb.DragonkeepersFact(crystal_gained=pb.DragonkeepersCrystalGained(seat=seat))
        case ShadowGained(seat):
            return pb.DragonkeepersFact(shadow_gained=pb.DragonkeepersShadowGained(seat=seat))
        case EggGained(seat):
            return pb.DragonkeepersFact(egg_gained=pb.DragonkeepersEggGained(seat=seat))
