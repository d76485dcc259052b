// Which columns of a table are shown: all, less those that the address names.

/** Reads `hide=spark,calls`; names that no column has are passed over. */
export function readHidden(text: string | undefined, ids: readonly string[]): ReadonlySet<string> {
  const named = (text ?? '').split(',')
  return new Set(ids.filter(id => named.includes(id)))
}

/** What stands in the address after a column was shown or hidden; undefined where all are shown. */
export function toggleHidden(hidden: ReadonlySet<string>, id: string): string | undefined {
  const next = hidden.has(id) ? [...hidden].filter(each => each !== id) : [...hidden, id]
  return next.length === 0 ? undefined : next.join(',')
}
