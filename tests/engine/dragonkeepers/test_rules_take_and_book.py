"""DK-3 and DK-4: taking cards of the offer, and changing the book."""

from tests.engine.dragonkeepers.tables import Row, rows, verify

_HAND = "step book; A.hand R|3 G>W S|6"
_DRY = "step take; active A; left W|4; right W>R"

ROWS = [
    Row(
        "DK-3.1",
        "at least one card",
        given="step take",
        when="end take",
        then="refused DK-3.1 TAKE_ONE; legal take L1, take R1",
    ),
    Row(
        "DK-3.1",
        "any mix of both decks, in any order",
        given="source; step take; L1 R|1; L2 R|2; R1 R>W; R2 R>B",
        when="take R2 / take L2 / take R1",
        then="A.hand R|2 R>W R>B; taken 3",
    ),
    Row(
        "DK-3.1",
        "no fourth card for nothing",
        given="step take",
        when="take L1 x 4",
        then="refused DK-3.1 TAKE_LIMIT; taken 3; legal end take",
    ),
    Row(
        "DK-3.1",
        "a slot is refilled at once from its own deck, which turns the page",
        given="step take; L1 R|1; left W|5 B|2 G|4",
        when="take L1",
        then="L1 W|5; left B|2 G|4; events A took R|1 from L1 > L1 got W|5, the left page shows 2",
    ),
    Row(
        "DK-3.1",
        "the right deck refills the right slots",
        given="source; step take; right G>W W>R B>R",
        when="take R2",
        then="R2 G>W; right W>R B>R; event R2 got G>W, the right page shows R",
    ),
    Row(
        "DK-3.2",
        "a fourth card for a crystal, paid to the supply",
        given="step take; taken 3; A.crystals 2; crystals 8",
        when="take L1 with crystal",
        then="A.crystals 1; crystals 9; taken 4; legal end take;"
        " events A took R|2 from L1 > A spent a crystal > L1 got W|1, the left page shows 5",
    ),
    Row(
        "DK-3.2",
        "after three takes the crystal is offered, and the end",
        given="step take; taken 3; A.crystals 2; crystals 8",
        when="",
        then="legal take L1 with crystal, take R1 with crystal, end take",
    ),
    Row(
        "DK-3.2",
        "once a turn",
        given="step take; taken 4; A.crystals 1; crystals 9",
        when="take L1 with crystal",
        then="refused DK-3.2 CRYSTAL_ONCE",
    ),
    Row(
        "DK-3.2",
        "not without a crystal",
        given="step take; taken 3",
        when="take L1 with crystal",
        then="refused DK-3.2 NO_CRYSTAL",
    ),
    Row(
        "DK-3.3",
        "a hand may be of any size",
        given="step take; A.hand R|1 R|1 R|2 R|2 R|2 R|3 R|3 R|3 R|4 R|4 R|4 R|5 R|5 W|1 W|1 W|2",
        when="take L1 x 3",
        then="A.cards 19",
    ),
    Row(
        "DK-3.4",
        "the last card of a deck stays, the slot is empty",
        given=_DRY,
        when="take L1",
        then="L1 -; left W|4; no_event L1 got; legal take R1, end take",
    ),
    Row(
        "DK-3.4",
        "an empty slot",
        given=_DRY,
        when="take L1 / take L1",
        then="refused DK-3.4 SLOT_EMPTY",
    ),
    Row(
        "DK-3.4",
        "a turn begins with refilling, L1 before L2",
        given="source; L1 -; L2 -; left W|4 R|1 R|2",
        when="pass / pass",
        then="events B began its turn of round 1 > L1 got W|4, the left page shows 1"
        " > L2 got R|1, the left page shows 2",
    ),
    Row(
        "DK-3.4",
        "only as long as the deck has two cards",
        given="source; L1 -; L2 -; left W|4 R|1",
        when="pass / pass",
        then="L1 W|4; L2 -; left R|1",
    ),
    Row(
        "DK-3.4",
        "every slot empty triggers the end",
        given="L1 -; R1 -; left W|4; right W>R",
        when="pass / pass",
        then="match triggered; trigger empty_offer; active B; step take",
    ),
    Row(
        "DK-3.4",
        "with no card to take the minimum is waived",
        given="L1 -; R1 -; left W|4; right W>R",
        when="pass / pass / end take",
        then="step book; active B",
    ),
    Row(
        "DK-3.4",
        "the turn is played, and a card on the book does not undo the end",
        given="L1 -; R1 -; left W|4; right W>R; B.hand R|1",
        when="pass / pass / end take / book left R|1 / end book / pass / pass",
        then="match over; ending empty_offer",
    ),
    Row(
        "DK-3.4",
        "one filled slot is no end",
        given="L1 -; R1 R>W; left W|4; right W>R",
        when="pass / pass",
        then="match running; legal take R1",
    ),
    Row(
        "DK-4.1",
        "one card on each page, on one, or on none",
        given=_HAND,
        when="",
        then="legal book left R|3, book left S|6, book right G>W, end book",
    ),
    Row(
        "DK-4.1",
        "the right page alone",
        given=_HAND,
        when="book right G>W / end book",
        then="step play; need 1 W; changed right; A.hand R|3 S|6",
    ),
    Row(
        "DK-4.1",
        "no page twice in a turn",
        given=_HAND,
        when="book left R|3 / book left S|6",
        then="refused DK-4.1 PAGE_CHANGED; legal book right G>W, end book",
    ),
    Row(
        "DK-4.1",
        "again in the next turn of one's own",
        given="step follow; active B; move A; changed left right; A.hand R|3",
        when="pass / take L1 / end take / book left R|3",
        then="need 3 R",
    ),
    Row(
        "DK-4.2",
        "a shadow on the left page shows 6",
        given=_HAND,
        when="book left S|6",
        then="need 6 R",
    ),
    Row(
        "DK-4.2",
        "no shadow on the right page",
        given=_HAND,
        when="book right S|6",
        then="refused DK-4.2 WRONG_KIND",
    ),
    Row(
        "DK-4.2",
        "no number card on the right page",
        given=_HAND,
        when="book right R|3",
        then="refused DK-4.2 WRONG_KIND",
    ),
    Row(
        "DK-4.2",
        "no starter on the left page",
        given="step book; A.hand R>B; A.starters R>B",
        when="book left R>B",
        then="refused DK-4.2 WRONG_KIND",
    ),
    Row(
        "DK-4.2 DK-9",
        "a starter on the right page is known from then on",
        given="step book; A.hand R>B; A.starters R>B",
        when="book right R>B",
        then="need 1 B; sees right.booked R>B; A.starters -; event A put R>B on the right page",
    ),
    Row(
        "DK-4.3",
        "the card is the deck's top card and comes up next",
        given="step book; A.hand R|3",
        when="book left R|3 / end book / pass / pass / take L1",
        then="L1 R|3; left.booked -; event L1 got R|3, the left page shows 1",
    ),
    Row(
        "DK-4.3",
        "cards of several turns come up last one first",
        given="step book; left.booked R|3 R|4; A.hand G|5",
        when="book left G|5",
        then="left.booked G|5 R|3 R|4; need 5 R",
    ),
    Row(
        "DK-4.4",
        "without a following play",
        given=_HAND,
        when="book left R|3 / end book / pass",
        then="event A passed; step follow; move B; need 3 R",
    ),
    Row(
        "DK-4.4",
        "only the active player",
        given="step follow; active A; move B; B.hand R|3",
        when="book left R|3",
        then="refused DK-11.1 WRONG_STEP",
    ),
    Row(
        "DK-4.5",
        "first: the card is not in the hand",
        given="step book; changed left right; A.hand R|3",
        when="book right W|3",
        then="refused DK-4.1 CARD_NOT_IN_HAND",
    ),
    Row(
        "DK-4.5",
        "then: the page has been changed",
        given="step book; changed left right; A.hand R|3",
        when="book right R|3",
        then="refused DK-4.1 PAGE_CHANGED",
    ),
    Row(
        "DK-4.5",
        "then: the wrong kind",
        given="step book; changed left; A.hand R|3",
        when="book right R|3",
        then="refused DK-4.2 WRONG_KIND",
    ),
]


@rows(ROWS)
def test_cards_are_taken_and_booked_as_the_rules_say(row: Row) -> None:
    verify(row)
