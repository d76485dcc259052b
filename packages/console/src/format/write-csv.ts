// Writes CSV for spreadsheets, with cells escaped so that none is taken for a formula.

export type Cell = string | number | boolean | null

/** With a byte order mark, so that spreadsheets read it as UTF-8. */
export function writeCsv(rows: readonly (readonly Cell[])[]): string {
  return `\ufeff${rows.map(cells => `${cells.map(writeCell).join(',')}\r\n`).join('')}`
}

function writeCell(value: Cell): string {
  if (typeof value !== 'string') return value === null ? '' : String(value)
  const safe = /^[=+\-@\t\r']/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
