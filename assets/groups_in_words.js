// A group in words, the same on the card and in the table: which ranks it holds, in one short line.

const MOST_PIECES = 44; // more never fit a line

// "9, 13 (2 ranks, step 4)"; where that does not fit "0, 8, 16, … 120 (16 ranks, step 8)"; and ranks
// without one step as runs, "0–7, 128–135, … 896–903 (64 ranks)". `fits(text)` says what fits.
export function ranksInWords(words, group, fits) {
  if (group.size === 1) return words("card.alone", { rank: group.lowest });
  const { step } = group;
  const size = words(step === null ? "card.size" : "card.size_and_step", { n: group.size, step });
  const { pieceAt, numPieces } = pieces(group);
  const listed = (items) => `${items.join(words("list.separator"))} (${size})`;
  if (numPieces <= MOST_PIECES) {
    const whole = listed(Array.from({ length: numPieces }, (_, place) => pieceAt(place)));
    if (fits(whole)) return whole;
  }
  const some = [4, 3, 2, 1]
    .filter((shown) => shown < numPieces - 1)
    .map((shown) => {
      const first = Array.from({ length: shown }, (_, place) => pieceAt(place));
      return listed([...first, `… ${pieceAt(numPieces - 1)}`]);
    });
  return some.find(fits) ?? some.at(-1) ?? listed([pieceAt(0), pieceAt(1)]);
}

// Single ranks where one step leads from each to the next; else runs of neighbours, two of which are
// written as two ranks.
function pieces(group) {
  const length = group.step === null ? group.runLength : 1;
  if (length < 3) return { numPieces: group.size, pieceAt: (place) => String(group.at(place)) };
  return {
    numPieces: group.size / length,
    pieceAt: (place) => {
      const first = group.at(place * length);
      return `${first}–${first + length - 1}`;
    },
  };
}
