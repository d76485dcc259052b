// Row selection in a list: one row, a range from the row ticked last, or all rows.

export type Selection = {
  readonly ids: ReadonlySet<string>
  /** The row ticked last, where a range starts. */
  readonly anchor: string | null
  /** The filter, if all its rows were selected at once; null after any other change. */
  readonly whole: string | null
}

export const emptySelection: Selection = { ids: new Set(), anchor: null, whole: null }

/** `all`: every row that matches the filter, loaded or not. Other rows stay as they are. */
export function selectAllRows({ ids }: Selection, all: readonly string[], filter: string): Selection {
  return { ids: new Set([...ids, ...all]), anchor: null, whole: filter }
}

export function clearRows({ ids }: Selection, all: readonly string[]): Selection {
  return { ids: ids.difference(new Set(all)), anchor: null, whole: null }
}

/** `order`: all rows as shown. A range takes the new state of its end. */
export function toggleRow(
  { ids, anchor }: Selection,
  order: readonly string[],
  id: string,
  isRange: boolean,
): Selection {
  const isOn = !ids.has(id)
  const from = anchor === null ? -1 : order.indexOf(anchor)
  const to = order.indexOf(id)
  const changed =
    isRange && from >= 0 && to >= 0 ? order.slice(Math.min(from, to), Math.max(from, to) + 1) : [id]
  const next = new Set(ids)
  for (const each of changed) {
    if (isOn) next.add(each)
    else next.delete(each)
  }
  return { ids: next, anchor: id, whole: null }
}
