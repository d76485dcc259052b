// Reads JSON with comments into a tree that knows every position, so that a settings file can be edited without being rewritten.

export type JsonNode =
  | { readonly kind: 'object'; readonly start: number; readonly end: number; readonly members: JsonMember[] }
  | { readonly kind: 'array'; readonly start: number; readonly end: number; readonly items: JsonNode[] }
  | { readonly kind: 'scalar'; readonly start: number; readonly end: number; readonly value: unknown }

export type JsonContainer = Exclude<JsonNode, { kind: 'scalar' }>

/** From the name to the end of the value. */
export type JsonMember = {
  readonly name: string
  readonly start: number
  readonly end: number
  readonly value: JsonNode
}

class JsoncError extends Error {}

/** What goes beyond JSON and some tools accept in their settings: comments, commas before a closing bracket, a byte order mark. */
export type JsonExtra = 'comment' | 'extra comma' | 'byte order mark'

const deepestNesting = 200

/** Accepts comments, commas before a closing bracket and a byte order mark. Throws JsoncError with line and column. */
export function parseJsonc(text: string): JsonNode {
  const root = readNode(text, skipTrivia(text, text.startsWith('\uFEFF') ? 1 : 0), 0)
  const end = skipTrivia(text, root.end)
  if (end < text.length) throw fault(text, end)
  return root
}

/** For the file of a tool that ignores all of it if something is there that it does not accept. Throws JsoncError. */
export function parseAccepted(text: string, accepted: readonly JsonExtra[]): JsonNode {
  const root = parseJsonc(text)
  const comment = String.raw`\/\/[^\n\r]*(?![^\n\r])|\/\*(?:[^*]|\*(?!\/))*\*\/`
  const extras = new RegExp(`("(?:[^"\\\\]|\\\\.)*")|(${comment})|,(?:\\s|${comment})*[}\\]]|^(\uFEFF)`, 'g')
  for (const { 1: value, 2: note, 3: mark, index } of text.matchAll(extras)) {
    const extra: JsonExtra =
      note !== undefined ? 'comment' : mark !== undefined ? 'byte order mark' : 'extra comma'
    if (value !== undefined || accepted.includes(extra)) continue
    const article = extra === 'extra comma' ? 'an' : 'a'
    const line = text.slice(0, index).split('\n').length
    throw new JsoncError(
      `line ${line} has ${article} ${extra}, for which the tool rejects the whole file: remove it`,
    )
  }
  return root
}

/** The next position that is neither blank nor within a comment. */
export function skipTrivia(text: string, from: number): number {
  let at = from
  for (;;) {
    while (/[ \t\r\n]/.test(text[at] ?? '')) at += 1
    if (text.startsWith('//', at)) {
      while (at < text.length && text[at] !== '\n' && text[at] !== '\r') at += 1
    } else if (text.startsWith('/*', at)) {
      const end = text.indexOf('*/', at + 2)
      if (end < 0) throw fault(text, at)
      at = end + 2
    } else return at
  }
}

function readNode(text: string, start: number, depth: number): JsonNode {
  if (depth > deepestNesting) throw fault(text, start)
  if (text[start] === '{') return readObject(text, start, depth)
  if (text[start] === '[') return readArray(text, start, depth)
  const scalar = /"(?:[^"\\\u0000-\u001f]|\\.)*"|-?\d[\d.eE+-]*|true|false|null/y
  scalar.lastIndex = start
  const source = scalar.exec(text)?.[0]
  if (source === undefined) throw fault(text, start)
  try {
    return { kind: 'scalar', start, end: start + source.length, value: JSON.parse(source) }
  } catch {
    throw fault(text, start)
  }
}

function readObject(text: string, start: number, depth: number): JsonNode {
  const members: JsonMember[] = []
  const end = readList(text, start, '}', at => {
    const name = readNode(text, at, depth)
    if (name.kind !== 'scalar' || typeof name.value !== 'string') throw fault(text, at)
    const colon = skipTrivia(text, name.end)
    if (text[colon] !== ':') throw fault(text, colon)
    const value = readNode(text, skipTrivia(text, colon + 1), depth + 1)
    members.push({ name: name.value, start: at, end: value.end, value })
    return value.end
  })
  return { kind: 'object', start, end, members }
}

function readArray(text: string, start: number, depth: number): JsonNode {
  const items: JsonNode[] = []
  const end = readList(text, start, ']', at => {
    const item = readNode(text, at, depth + 1)
    items.push(item)
    return item.end
  })
  return { kind: 'array', start, end, items }
}

/** Returns the position after the closing bracket. `readOne` returns the position after what it read. */
function readList(text: string, start: number, close: string, readOne: (at: number) => number): number {
  let at = skipTrivia(text, start + 1)
  while (text[at] !== close) {
    at = skipTrivia(text, readOne(at))
    if (text[at] === ',') at = skipTrivia(text, at + 1)
    else if (text[at] !== close) throw fault(text, at)
  }
  return at + 1
}

function fault(text: string, at: number): JsoncError {
  const before = text.slice(0, at).split('\n')
  const what = at >= text.length ? 'the end of the file' : JSON.stringify(text[at])
  return new JsoncError(
    `it is not valid JSON (line ${before.length}, column ${(before.at(-1) ?? '').length + 1}: unexpected ${what})`,
  )
}
