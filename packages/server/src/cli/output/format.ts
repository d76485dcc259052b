// Writes replies for people: tables and fields in columns, wide characters of Japanese names included, and single values.
import { showLine } from '@fairgate/contracts/text/show-hidden.ts'

/** Columns are as wide as their widest cell; no spaces at the ends of lines. */
export function formatTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  return alignColumns([titles, ...rows])
}

type Shown = string | number | null | undefined

/** Title → the member that stands below it, or what is written there of an item. */
type Columns<Item> = Readonly<Record<string, KeyOf<Item> | ((item: Item) => Shown)>>
type KeyOf<Item> = { [Member in keyof Item]-?: Item[Member] extends Shown ? Member : never }[keyof Item]

/** A line for each item below the titles, with `-` for what is not there; `whenEmpty` where there are none. */
export function formatItems<Item>(items: readonly Item[], whenEmpty: string, columns: Columns<Item>): string {
  if (items.length === 0) return whenEmpty
  const show = (value: unknown) => (value === null || value === undefined ? absent : String(value))
  return formatTable(
    Object.keys(columns),
    items.map(item =>
      Object.values(columns).map(column => show(typeof column === 'function' ? column(item) : item[column])),
    ),
  )
}

/** Label and value on each line, with `-` for what is not there. */
export function formatFields(fields: readonly (readonly [label: string, value: Shown])[]): string {
  return alignColumns(fields.map(([label, value]) => [label, String(value ?? absent)]))
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

export const absent = '-'

/** At least two decimals, at most the nine of a nano-dollar, never an exponent. */
export function formatUsd(amount: number): string {
  const [whole = '0', decimals = ''] = amount.toFixed(9).split('.')
  return `${whole}.${decimals.replace(/0+$/, '').padEnd(2, '0')}`
}

/** Nano-dollars as USD, as `formatUsd`. */
export function formatNano(amount: number): string {
  return formatUsd(amount / 1e9)
}

export function formatLimit(limit: number | null): string {
  return limit === null ? 'no limit' : String(limit)
}

export function formatList(names: readonly string[], empty: string): string {
  return names.length === 0 ? empty : names.join(', ')
}

/** `3.50 of 50.00 USD` */
export function formatSpend(spend: number, budget: number | null): string {
  return `${formatUsd(spend)} of ${budget === null ? 'unlimited' : formatUsd(budget)} USD`
}

/** `1d, next reset 2026-11-22T00:00:00.000Z` */
export function formatPeriod(duration: string | null, resetAt: string | null): string {
  if (duration === null) return 'one, without end'
  return resetAt === null ? duration : `${duration}, next reset ${resetAt}`
}

export function describeState(blocked: boolean | null): string {
  return blocked === true ? 'blocked' : 'works'
}
