// Formats replies for people: tables and fields in columns, also with wide characters, and single values.
import { showLine, showText } from '@fairgate/contracts/text/show-hidden.ts'

/** Around a table, and between its cells, until `layOut` makes columns of them. `showLine` lets neither through. */
const [tableMark, cellMark] = ['\u001d', '\u001f']

/** For `layOut`, which knows the terminal's width. */
export function formatTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [titles, ...rows].map(row => row.map(showLine).join(cellMark))
  return `${tableMark}${lines.join('\n')}${tableMark}`
}

/** Layout of texts. `width`, `height`: of the terminal; null outside of one, so that nothing is cut or paged. */
export type Layout = {
  readonly width: number | null
  readonly height: number | null
  readonly isColoured: boolean
}

/** The text with its tables in columns. Hidden characters are made visible, in tables too: a mark in someone's name would look like a table. */
export function layOut(text: string, layout: Layout): string {
  const parts = text.split(tableMark)
  return parts.map((part, index) => (index % 2 === 0 ? showText(part) : alignTable(part, layout))).join('')
}

function alignTable(table: string, { width, isColoured }: Layout): string {
  const rows = table.split('\n').map(line => line.split(cellMark).map(showLine))
  const { shown, dropped } = width === null ? { shown: rows, dropped: [] } : fitColumns(rows, width)
  const [titles = '', ...lines] = alignColumns(shown).split('\n')
  const note =
    dropped.length === 0 ? [] : ['', `Not shown: ${dropped.join(', ')}. Widen the terminal, or use --json.`]
  return [isColoured ? `\u001b[1m${titles}\u001b[0m` : titles, ...lines, ...note].join('\n')
}

const shortestCut = 12

/** Titles of columns that a narrow terminal goes without, the first one first. Ids stay, because people copy them. */
const dropOrder = [
  ...[
    'BY',
    'TOOL',
    'LOW TO HIGH',
    'TOKENS',
    'PERIOD',
    'UPSTREAM ID',
    'READ BY',
    'ACCOUNTING',
    'LAST USED',
    'E-MAIL',
  ],
  ...[
    'KEYS',
    'USES',
    'CODE',
    'RETIRES',
    'FREE SEATS',
    'WHO',
    'CREATED',
    'FROM',
    'ASKED',
    'TARGET',
    'EXPIRES',
    'UNTIL',
  ],
  ...['BUDGET', 'SPENT', 'USD', 'MODEL', 'CHANGED'],
]

type Rows = readonly (readonly string[])[]

/** In this order: cuts texts, shortens hashes and times, leaves columns out. */
function fitColumns(
  rows: Rows,
  width: number,
): { readonly shown: Rows; readonly dropped: readonly string[] } {
  const [titles = []] = rows
  const short = rows.map(row => row.map(shortenCell))
  const dropped: string[] = []
  for (const each of [rows, short]) {
    const { shown, isFitting } = cutColumns(each, width)
    if (isFitting) return { shown, dropped }
  }
  for (const title of dropOrder) {
    if (!titles.includes(title)) continue
    dropped.push(title)
    const kept = short.map(row => row.filter((_, column) => !dropped.includes(titles[column] ?? '')))
    const { shown, isFitting } = cutColumns(kept, width)
    if (isFitting) return { shown, dropped }
  }
  // Ids alone are too wide.
  return { shown: cutColumns(short, width).shown, dropped: [] }
}

const instant = /^\d{4}-(\d\d-\d\d)[T ](\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(Z?)$/

/** The beginning of a hash names a key as well as the whole. */
function shortenCell(cell: string): string {
  return /^[0-9a-f]{64}$/.test(cell) ? `${cell.slice(0, 12)}…` : cell.replace(instant, '$1 $2$3')
}

/** Cuts the widest texts until the rows fit. Columns without a space are ids and amounts, which are copied: they stay whole. */
function cutColumns(rows: Rows, width: number): { readonly shown: Rows; readonly isFitting: boolean } {
  const widths = measureColumns(rows)
  const mayCut = widths.map((_, column) =>
    rows.slice(1).some(row => {
      const cell = row[column]?.trim() ?? ''
      return cell.includes(' ') && !/^(?:\d{4}-)?\d\d-\d\d \d\d:\d\dZ?$/.test(cell)
    }),
  )
  let excess = widths.reduce((sum, each) => sum + each + 2, -2) - width
  while (excess > 0) {
    const candidates = widths.map((each, column) => (mayCut[column] === true ? each : 0))
    const widest = candidates.indexOf(Math.max(...candidates))
    if ((candidates[widest] ?? 0) <= shortestCut) break
    widths[widest] = (widths[widest] ?? 0) - 1
    excess -= 1
  }
  const shown = rows.map(row => row.map((cell, column) => cutText(cell, widths[column] ?? 0)))
  return { shown, isFitting: excess <= 0 }
}

function cutText(text: string, width: number): string {
  if (Bun.stringWidth(text) <= width) return text
  let cut = ''
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (Bun.stringWidth(`${cut}${segment}`) >= width) break
    cut += segment
  }
  return `${cut.trimEnd()}…`
}

type Shown = string | number | null | undefined

/** Title → member of an item, or function that formats the cell. */
type Columns<Item> = Readonly<Record<string, KeyOf<Item> | ((item: Item) => Shown)>>
type KeyOf<Item> = { [Member in keyof Item]-?: Item[Member] extends Shown ? Member : never }[keyof Item]

/** A line for each item below the titles, with `-` for a missing value; `whenEmpty` if there are no items. */
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

export type Field = readonly [label: string, value: Shown]

/** Label and value on each line, with `-` for a missing value; no line for `false`. */
export function formatFields(fields: readonly (Field | false)[]): string {
  return alignColumns(
    fields.filter(field => field !== false).map(([label, value]) => [label, String(value ?? absent)]),
  )
}

/** Columns are as wide as their widest cell. */
function measureColumns(rows: readonly (readonly string[])[]): number[] {
  const widths: number[] = []
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, Bun.stringWidth(cell))
    }
  }
  return widths
}

/** No spaces at the ends of lines. */
function alignColumns(rows: readonly (readonly string[])[]): string {
  const cells = rows.map(row => row.map(showLine))
  const widths = measureColumns(cells)
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

export function formatList(names: readonly string[], empty: string): string {
  return names.length === 0 ? empty : names.join(', ')
}

/** `3.50 of 50.00 USD` */
export function formatSpend(spend: number, budget: number | null): string {
  return `${formatUsd(spend)} of ${budget === null ? 'unlimited' : formatUsd(budget)} USD`
}

type Limited = {
  readonly budget_duration: string | null
  readonly budget_reset_at: string | null
  readonly rpm_limit: number | null
  readonly tpm_limit: number | null
  /** The metadata of a key can hold anything. */
  readonly metadata: { readonly model_rpm_limit?: unknown; readonly model_tpm_limit?: unknown }
}

/** The period and the limits of a team or a key. */
export function listLimits({ metadata, ...owner }: Limited): readonly Field[] {
  const { budget_duration: duration, budget_reset_at: resetAt } = owner
  const period = resetAt === null ? duration : `${duration}, next reset ${resetAt}`
  const ofModels = (name: string, limits: unknown): Field[] =>
    typeof limits === 'object' && limits !== null
      ? Object.entries(limits).map(([model, limit]) => [`${name} of ${model}`, limit])
      : []
  return [
    ['period', duration === null ? 'one, without end' : period],
    ['rpm', owner.rpm_limit ?? 'no limit'],
    ['tpm', owner.tpm_limit ?? 'no limit'],
    ...ofModels('rpm', metadata.model_rpm_limit),
    ...ofModels('tpm', metadata.model_tpm_limit),
  ]
}

export function describeState(blocked: boolean | null): string {
  return blocked === true ? 'blocked' : 'works'
}
