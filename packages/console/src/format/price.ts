// Formats model prices for comparison: USD per million tokens, or per item.

/** Units priced per item; all others are tokens. */
const pieces: readonly (readonly [RegExp, string])[] = [
  [/^image/, 'an image'],
  [/^second/, 'a second'],
  [/^search/, 'a search'],
  [/^request/, 'a request'],
  [/^song/, 'a song'],
]

/** `input` → `$2.00 per 1 M`, `second_720p` → `$0.40 a second`. */
export function formatPrice(unit: string, usd: number): string {
  const piece = pieces.find(([pattern]) => pattern.test(unit))
  return `${formatUsd(usd)} ${piece?.[1] ?? 'per 1 M'}`
}

/** `cached_input` and `cachedInput` → `cached input`, `second_720p` → `720p`. */
export function namePrice(unit: string): string {
  return unit
    .replace(/^(?:second|image)_/, '')
    .replaceAll('_', ' ')
    .replaceAll(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)
}

/** At least two decimals, at most four significant digits, never an exponent. */
export function formatUsd(usd: number): string {
  if (usd === 0) return '$0.00'
  const whole = Math.max(0, Math.floor(Math.log10(usd)) + 1)
  const decimals = usd >= 1 ? Math.max(2, 4 - whole) : 3 - Math.floor(Math.log10(usd))
  const [digits = '', fraction = ''] = usd.toFixed(Math.min(12, decimals)).split('.')
  return `$${digits}.${fraction.replace(/0+$/, '').padEnd(2, '0')}`
}

/**
 * Leaves out prices that need no mention: input units priced like input, and reasoning priced like output.
 * `{ input: 0.3, input_image: 0.3, output: 2.5, reasoning: 2.5 }` → input and output.
 */
export function choosePrices(
  price: Readonly<Record<string, number>>,
): readonly (readonly [string, number])[] {
  const texts = new Map(Object.entries(price))
  const input = texts.get('input') ?? texts.get('input_text')
  const output = texts.get('output') ?? texts.get('output_text')
  return [...texts].filter(([unit, usd]) => {
    if (/^(?:cached_)?input_/.test(unit) && unit !== 'input_text')
      return usd !== (unit.startsWith('cached_') ? texts.get('cached_input') : input)
    return unit !== 'reasoning' || usd !== output
  })
}
