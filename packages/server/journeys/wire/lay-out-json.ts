// Lays out a JSON value in lines, so that a small change of the value changes few lines. It adds only white space.

/** One line if it fits the width, else a line for each member that is an object or a list. */
export function layOutJson(value: unknown, width: number): string[] {
  return layOut(value, { width, indent: '', before: '', after: '' })
}

/** `before` and `after` are the text around the value on its first and last line. */
type Place = {
  readonly width: number
  readonly indent: string
  readonly before: string
  readonly after: string
}

function layOut(value: unknown, place: Place): string[] {
  const { width, indent, before, after } = place
  const line = `${indent}${before}${JSON.stringify(value)}${after}`
  if (typeof value !== 'object' || value === null || line.length <= width) return [line]
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  const members = Array.isArray(value)
    ? value.map((member): [string, unknown] => ['', member])
    : Object.entries(value).map(([name, member]): [string, unknown] => [`${JSON.stringify(name)}:`, member])
  const [only] = members
  if (only !== undefined && members.length === 1)
    return layOut(only[1], { ...place, before: `${before}${open}${only[0]}`, after: `${close}${after}` })
  const inner = `${indent}  `
  const pieces = members.map(([name, member], index) => {
    const rest = { width, indent: inner, before: name, after: index < members.length - 1 ? ',' : '' }
    return { lines: layOut(member, rest), isSimple: isSimple(member) }
  })
  return [`${indent}${before}${open}`, ...joinSimple(pieces, inner, width), `${indent}${close}${after}`]
}

/** Adjacent strings, numbers and other simple values share lines. */
function joinSimple(
  pieces: readonly { readonly lines: readonly string[]; readonly isSimple: boolean }[],
  indent: string,
  width: number,
): string[] {
  const joined: string[] = []
  let isOpen = false
  for (const { lines, isSimple } of pieces) {
    const [first = ''] = lines
    const longer = `${joined.at(-1)}${first.slice(indent.length)}`
    if (isOpen && isSimple && longer.length <= width) joined[joined.length - 1] = longer
    else joined.push(...lines)
    isOpen = isSimple
  }
  return joined
}

function isSimple(value: unknown): boolean {
  return typeof value !== 'object' || value === null || Object.keys(value).length === 0
}
