// Lays rows out in columns for a terminal, wide characters of Japanese names included.
import { showLine } from '@fairgate/contracts/text/show-hidden.ts'

/** Columns are as wide as their widest cell; no spaces at the ends of lines. */
export function formatTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  return alignColumns([titles, ...rows])
}

/** Label and value on each line. */
export function formatFields(fields: readonly (readonly [label: string, value: string])[]): string {
  return alignColumns(fields)
}

function alignColumns(rows: readonly (readonly string[])[]): string {
  const cells = rows.map(row => row.map(showLine))
  const widths: number[] = []
  for (const row of cells) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, Bun.stringWidth(cell))
    }
  }
  const pad = (cell: string, column: number) =>
    cell + ' '.repeat((widths[column] ?? 0) - Bun.stringWidth(cell))
  return cells.map(row => row.map(pad).join('  ').trimEnd()).join('\n')
}
