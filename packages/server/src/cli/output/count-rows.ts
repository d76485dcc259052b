// Counts the entries in a stream of NDJSON or CSV as it passes, without keeping any of it.

export type RowCounter = {
  readonly take: (bytes: Uint8Array) => void
  readonly rows: () => number
}

const newline = 10
const quote = 34

/** Counts lines of NDJSON, or rows of CSV without the header. A CSV cell may hold line breaks between quotation marks. */
export function createRowCounter(format: 'ndjson' | 'csv'): RowCounter {
  let rows = format === 'csv' ? -1 : 0
  let isQuoted = false
  return {
    take: bytes => {
      for (const byte of bytes) {
        if (byte === newline && !isQuoted) rows += 1
        else if (byte === quote && format === 'csv') isQuoted = !isQuoted
      }
    },
    rows: () => Math.max(0, rows),
  }
}
