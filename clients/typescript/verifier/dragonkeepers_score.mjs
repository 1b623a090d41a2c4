// The points of Dragonkeepers (DK-8).

const EGG = 4; // DK-8.1
const BEST_EGG = 16; // DK-8.2
const COLOUR_CARD = 2; // DK-1.7

function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

/** DK-1.7. */
function valueOf(card) {
  if (card[0] === "S") {
    return 0;
  }
  return card[1] === "|" ? Number(card[2]) : COLOUR_CARD;
}

/** The points of every seat by kind. */
export function tally(seats, playedCardsScore) {
  const most = Math.max(...seats.map((seat) => seat.egg));
  return seats.map((seat) => {
    const cards = seat.row.flatMap((stack) => stack.cards);
    const best = seat.egg > 0 && seat.egg === most ? BEST_EGG - EGG : 0;
    const points = {
      pieces: sum(seat.pieces),
      pearls: sum(seat.pearls),
      crest: seat.crest,
      eggs: seat.egg * EGG + best,
      played: playedCardsScore ? sum(cards.map(valueOf)) : 0,
    };
    return { ...points, total: sum(Object.values(points)), rowCards: cards.length };
  });
}
