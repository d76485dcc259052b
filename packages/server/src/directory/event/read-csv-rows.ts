// Reads the rows of a CSV file as spreadsheets export it (RFC 4180).
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'

type CsvRow = { readonly line: number; readonly cells: readonly string[] }

/**
 * Skips empty lines. A cell in quotes may contain commas, line breaks and doubled quotes. Throws ApiError `invalid_request` that names the
 * member.
 */
export function readCsvRows(param: string, given: string): CsvRow[] {
  const text = given.replace(/^\ufeff/, '')
  const rows: CsvRow[] = []
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/y
  let cells: string[] = []
  let line = 1
  let start = 1
  while (cell.lastIndex < text.length) {
    const from = cell.lastIndex
    const match = cell.exec(text)
    if (match === null)
      throw invalidRequest(param, `A quote in line ${line} does not end, or is within a cell.`)
    const [whole, quoted, plain = '', end] = match
    cells.push(quoted?.replaceAll('""', '"') ?? plain)
    line += whole.split(/\r\n|\n|\r/).length - 1
    if (end !== ',') {
      if (cells.some(value => value.trim() !== '')) rows.push({ line: start, cells })
      cells = []
      start = line
    }
    if (cell.lastIndex === from) break
  }
  // The last line ends with a comma, and no line break follows: its last cell is empty.
  if (cells.some(value => value.trim() !== '')) rows.push({ line: start, cells: [...cells, ''] })
  return rows
}
