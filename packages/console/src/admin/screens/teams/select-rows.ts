// Which rows are selected after one was ticked: alone, or with all between it and the one ticked before.

export type Selection = {
  readonly ids: ReadonlySet<string>
  /** Ticked last: a range begins there. */
  readonly anchor: string | null
  /** The filter of which all rows were selected at once; null after any other change. */
  readonly whole: string | null
}

export const emptySelection: Selection = { ids: new Set(), anchor: null, whole: null }

/** `all`: every row that passes the filter, loaded or not. Others stay as they are. */
export function selectAllRows({ ids }: Selection, all: readonly string[], filter: string): Selection {
  return { ids: new Set([...ids, ...all]), anchor: null, whole: filter }
}

export function clearRows({ ids }: Selection, all: readonly string[]): Selection {
  return { ids: ids.difference(new Set(all)), anchor: null, whole: null }
}

/** `order`: all rows as they are shown. A range gets the state that its end gets. */
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
