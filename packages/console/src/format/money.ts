// Formats money for people. The wire carries whole nano-dollars, and nothing here calculates with fractions of a dollar.

const nanoPerDollar = 1_000_000_000
const nanoPerCent = 10_000_000

/** Rounding of a sum between two cents. Spent rounds up and left rounds down, so that they always add up to the budget. */
export type Rounding = 'up' | 'down' | 'nearest'

/** Formats a sum like `$1,234.50`. A sum between 0 and a cent is `< $0.01`, never `$0.00`. */
export function formatMoney(nano: number, rounding: Rounding = 'up'): string {
  if (nano < 0) return `−${formatMoney(-nano, rounding === 'up' ? 'down' : 'up')}`
  if (nano > 0 && nano < nanoPerCent) return '< $0.01'
  return writeDollars(roundToCents(nano, rounding))
}

function roundToCents(nano: number, rounding: Rounding): number {
  if (rounding === 'up') return Math.ceil(nano / nanoPerCent)
  return rounding === 'down' ? Math.floor(nano / nanoPerCent) : Math.round(nano / nanoPerCent)
}

function writeDollars(cents: number): string {
  const whole = Math.floor(cents / 100)
  return `$${groupThousands(whole)}.${String(cents % 100).padStart(2, '0')}`
}

export type BudgetFigures = {
  readonly spent: string
  readonly left: string
  readonly budget: string
  readonly over: string | null
}

/** Formats spent and left so that they add up to the budget as shown. `over`: the amount spent beyond the budget. */
export function formatBudget(spentNano: number, budgetNano: number): BudgetFigures {
  const leftNano = Math.max(0, budgetNano - spentNano)
  const overNano = Math.max(0, spentNano - budgetNano)
  return {
    spent: formatMoney(spentNano, 'up'),
    left: leftNano === 0 ? '$0.00' : formatMoney(leftNano, 'down'),
    budget: formatMoney(budgetNano, 'nearest'),
    over: overNano === 0 ? null : formatMoney(overNano, 'up'),
  }
}

/** Formats the cost of one call or session: cents, or two significant digits below ten cents (`$0.0024`). Show the exact amount on hover. */
export function formatCost(nano: number): string {
  if (nano < 0) return `−${formatCost(-nano)}`
  const leading = nano === 0 ? 0 : Math.floor(Math.log10(nano)) - 9
  const step = 10 ** (9 - Math.max(2, 1 - leading))
  return formatExact(Math.round(nano / step) * step)
}

/** Formats all digits, with at least two decimals. */
export function formatExact(nano: number): string {
  return nano < 0 ? `−${formatExactNano(String(-nano))}` : formatExactNano(String(nano))
}

/** Formats all digits of an amount in nano-dollars, given as a decimal text that may have a fraction. */
export function formatExactNano(amount: string): string {
  const [whole = '', fraction = ''] = amount.split('.')
  const digits = whole.padStart(10, '0')
  const decimals = `${digits.slice(-9)}${fraction}`.replace(/0+$/, '').padEnd(2, '0')
  return `$${groupThousands(Number(digits.slice(0, -9)))}.${decimals}`
}

/** Formats a forecast: whole dollars from ten on, because it is no more precise than that. */
export function formatForecast(nano: number): string {
  return nano >= 10 * nanoPerDollar
    ? `$${groupThousands(Math.round(nano / nanoPerDollar))}`
    : formatMoney(nano, 'nearest')
}

/** Formats axis labels: `$0`, `$250`, `$1.5k`, `$0.25`. */
export function formatAxisMoney(nano: number): string {
  const dollars = nano / nanoPerDollar
  if (dollars > 0 && dollars < 0.1) return `$${trim(dollars.toFixed(9))}`
  if (dollars >= 10_000) return `$${trim((dollars / 1000).toFixed(1))}k`
  return dollars === 0 || dollars >= 10
    ? `$${groupThousands(Math.round(dollars))}`
    : `$${trim(dollars.toFixed(2))}`
}

function trim(text: string): string {
  return text.replace(/\.?0+$/, '')
}

/** Parses dollars as people type them (`5`, `12.50`, `$1,200`) into nano-dollars. Null for anything else. */
export function parseMoney(text: string): number | null {
  const [, whole = '', fraction = ''] = /^\s*\$?\s*(\d[\d,]{0,14})(?:\.(\d{1,9}))?\s*$/.exec(text) ?? []
  if (whole === '') return null
  const nano = Number(whole.replaceAll(',', '')) * nanoPerDollar + Number(fraction.padEnd(9, '0'))
  return Number.isSafeInteger(nano) ? nano : null
}

export function groupThousands(whole: number): string {
  return String(whole).replaceAll(/\B(?=(\d{3})+$)/g, ',')
}
