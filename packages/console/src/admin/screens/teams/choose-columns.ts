// Reads and writes the hidden columns of a table in the address.

/** Reads `hide=spark,calls`. Unknown names are ignored. */
export function readHidden(text: string | undefined, ids: readonly string[]): ReadonlySet<string> {
  const named = (text ?? '').split(',')
  return new Set(ids.filter(id => named.includes(id)))
}

/** The address value after showing or hiding a column; undefined if all are shown. */
export function toggleHidden(hidden: ReadonlySet<string>, id: string): string | undefined {
  const next = hidden.has(id) ? [...hidden].filter(each => each !== id) : [...hidden, id]
  return next.length === 0 ? undefined : next.join(',')
}
