// Reads a `range` header for a file of known size (RFC 9110, 14): one range, as players and downloads request it.

export type ByteRange = { readonly start: number; readonly end: number }

/**
 * First and last byte of the range; null for the whole file, also if the header is of a kind that may be ignored
 * (other units, multiple ranges); `unsatisfiable` if the file has no such byte.
 */
export function readRange(header: string | null, size: number): ByteRange | null | 'unsatisfiable' {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '')
  if (match === null) return null
  const [, first = '', last = ''] = match
  if (first === '' && last === '') return null
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return null
  if (start >= size) return 'unsatisfiable'
  return { start, end: last === '' ? size - 1 : Math.min(Number(last), size - 1) }
}
