// Keeps rows in place while the user is about to click one. Figures change in place; the order follows later.

/** The rows in the order last shown, then new rows. */
export function holdOrder<Row>(
  rows: readonly Row[],
  shown: readonly string[],
  idOf: (row: Row) => string,
): readonly Row[] {
  const places = new Map(shown.map((id, index) => [id, index]))
  const placeOf = (row: Row) => places.get(idOf(row)) ?? shown.length
  return [...rows].sort((one, other) => placeOf(one) - placeOf(other))
}
