// Pretty-prints JSON without parsing values: numbers, escapes, repeated names and order stay as sent; only whitespace is added.

/** The JSON of an object's member, verbatim; null if there is none. */
export function findMember(text: string, name: string): string | null {
  let depth = 0
  let key: string | null = null
  let start: number | null = null
  let found: string | null = null
  for (const { kind, from, to } of scan(text)) {
    if (start !== null && depth === 1 && (kind === ',' || kind === '}')) {
      if (key === name) found = text.slice(start, from).trim()
      start = null
      key = null
    }
    if (kind === '{' || kind === '[') depth += 1
    else if (kind === '}' || kind === ']') depth -= 1
    else if (depth === 1 && kind === 'text' && start === null) key = readText(text.slice(from, to))
    else if (depth === 1 && kind === ':' && start === null) start = to
  }
  return found
}

/** Indents by two spaces; empty lists and objects stay on one line. */
export function printJson(text: string): string {
  const out: string[] = []
  let depth = 0
  let last = ''
  const indent = () => `\n${'  '.repeat(depth)}`
  for (const { kind, from, to } of scan(text)) {
    const isOpening = last === '{' || last === '['
    if (kind === '}' || kind === ']') {
      depth -= 1
      if (!isOpening) out.push(indent())
      out.push(kind)
    } else {
      if (isOpening || last === ',') out.push(indent())
      if (kind === '{' || kind === '[') depth += 1
      out.push(kind === ':' ? ': ' : text.slice(from, to))
    }
    last = kind
  }
  return out.join('')
}

type Token = { readonly kind: string; readonly from: number; readonly to: number }

function* scan(text: string): Generator<Token> {
  const token = /"(?:[^"\\]+|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/gs
  for (const match of text.matchAll(token)) {
    const [found] = match
    const kind = found.startsWith('"') ? 'text' : /^[{}[\]:,]$/.test(found) ? found : 'other'
    yield { kind, from: match.index, to: match.index + found.length }
  }
}

function readText(quoted: string): string | null {
  try {
    return JSON.parse(quoted)
  } catch {
    return null
  }
}
