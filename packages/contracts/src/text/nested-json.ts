// Limits the nesting depth of JSON. Parsing accepts any depth, but code that walks or serialises the value recurses: `JSON.stringify`
// throws RangeError at 200,000 levels.

/** Limit for client data: bodies, and the JSON texts inside them. */
export const maxJsonDepth = 64

/** Throws SyntaxError if the text is not JSON or is nested deeper than `levels`. */
export function parseJsonWithin(text: string, levels: number): unknown {
  const value: unknown = JSON.parse(text)
  if (isNestedDeeper(text, value, levels))
    throw new SyntaxError(`The JSON is nested too deeply: more than ${levels} levels.`)
  return value
}

/**
 * Returns true if `value`, parsed from `text`, has more than `levels` levels. Counts the brackets first (0.4 µs for 700 bytes), so that
 * only texts that need it are walked (3 µs).
 */
export function isNestedDeeper(text: string, value: unknown, levels: number): boolean {
  if (text.length <= 2 * levels) return false
  return countUpTo(levels, text, '{') + countUpTo(levels, text, '[') > levels && isDeeper(value, levels)
}

/** Stops counting above `most`. */
function countUpTo(most: number, text: string, mark: string): number {
  let count = 0
  for (let at = text.indexOf(mark); at >= 0 && count <= most; at = text.indexOf(mark, at + 1)) count += 1
  return count
}

/** Never recurses further than `levels`, so hostile nesting cannot exhaust the stack. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
  return members.some(member => isDeeper(member, levels - 1))
}
