// Keeps rows in their places while somebody is about to press one: figures change in place, and the order follows afterwards.

/** The rows as they were last shown, those that are new behind them. */
export function holdOrder<Row>(
  rows: readonly Row[],
  shown: readonly string[],
  idOf: (row: Row) => string,
): readonly Row[] {
  const places = new Map(shown.map((id, index) => [id, index]))
  const placeOf = (row: Row) => places.get(idOf(row)) ?? shown.length
  return [...rows].sort((one, other) => placeOf(one) - placeOf(other))
}
