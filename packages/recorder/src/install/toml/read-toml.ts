// Reads the TOML that tools use in their settings: tables, dotted and quoted keys, texts, booleans, inline tables. It skips lists, numbers, dates and texts of several lines.

export type TomlTable = Map<string, TomlValue>
export type TomlValue = string | boolean | TomlTable

export function parseToml(text: string): TomlTable {
  const root: TomlTable = new Map()
  let table: TomlTable | null = root
  let openQuote: string | null = null
  for (const line of text.split(/\r?\n/)) {
    if (openQuote !== null) {
      if (line.includes(openQuote)) openQuote = null
      continue
    }
    const header = /^\s*\[{1,2}(.*)$/.exec(line)?.[1]
    const named = header === undefined ? null : readKey(header)
    if (named?.rest.startsWith(']')) table = openTable(root, named.path)
    else if (table !== null && header === undefined) readPair(line, table)
    openQuote = findOpenQuote(line)
  }
  return root
}

/** The value under the names; undefined when there is none. */
export function findToml(table: TomlTable, path: readonly string[]): TomlValue | undefined {
  let value: TomlValue | undefined = table
  for (const name of path) value = value instanceof Map ? value.get(name) : undefined
  return value
}

/** Puts the key and value at the beginning of the line into the table. Returns the rest of the line. */
function readPair(text: string, table: TomlTable): string {
  const key = readKey(text)
  if (key === null || !key.rest.startsWith('=')) return ''
  const { value, rest } = readTomlValue(key.rest.slice(1).trimStart())
  const owner = openTable(table, key.path.slice(0, -1))
  const name = key.path.at(-1)
  if (owner !== null && name !== undefined && value !== undefined) owner.set(name, value)
  return rest
}

/** null when the name belongs to something other than a table. */
function openTable(root: TomlTable, path: readonly string[]): TomlTable | null {
  let table = root
  for (const name of path) {
    const inner = table.get(name) ?? new Map()
    if (!(inner instanceof Map)) return null
    table.set(name, inner)
    table = inner
  }
  return table
}

function readKey(text: string): { path: string[]; rest: string } | null {
  const path: string[] = []
  for (let rest = text.trimStart(); ; ) {
    const [whole = '', quoted, literal, bare] =
      /^(?:("(?:[^"\\]|\\.)*")|'([^']*)'|([A-Za-z0-9_-]+))\s*/.exec(rest) ?? []
    if (whole === '') return null
    path.push(quoted === undefined ? (literal ?? bare ?? '') : readBasic(quoted))
    rest = rest.slice(whole.length)
    if (!rest.startsWith('.')) return { path, rest }
    rest = rest.slice(1).trimStart()
  }
}

function readTomlValue(text: string): { value: TomlValue | undefined; rest: string } {
  const [whole = '', quoted, literal, word] =
    /^(?:("(?:[^"\\]|\\.)*")|'([^']*)'|(true|false)\b)\s*/.exec(text) ?? []
  const rest = text.slice(whole.length)
  if (quoted !== undefined) return { value: readBasic(quoted), rest }
  if (literal !== undefined) return { value: literal, rest }
  if (word !== undefined) return { value: word === 'true', rest }
  if (!text.startsWith('{')) return { value: undefined, rest: text.replace(/^[^,}]*/, '') }
  const table: TomlTable = new Map()
  let inner = text.slice(1).trimStart()
  while (inner !== '' && !inner.startsWith('}')) inner = readPair(inner, table).replace(/^\s*,\s*/, '')
  return { value: table, rest: inner.slice(1).trimStart() }
}

/** The escapes of TOML are those of JSON plus `\U` and `\e`, which no file path needs. */
function readBasic(quoted: string): string {
  try {
    return String(JSON.parse(quoted))
  } catch {
    return quoted.slice(1, -1)
  }
}

/** Which lines are before the first table and in no text of several lines. */
export function findRootLines(lines: readonly string[]): boolean[] {
  let isRoot = true
  let openQuote: string | null = null
  return lines.map(line => {
    if (openQuote !== null) {
      if (line.includes(openQuote)) openQuote = null
      return false
    }
    openQuote = findOpenQuote(line)
    isRoot &&= !/^\s*\[.*\]\s*(?:#.*)?$/.test(line)
    return isRoot
  })
}

/** The quotes of a text that goes on in the next line; null when there is none. */
export function findOpenQuote(line: string): string | null {
  const quote = /"""|'''/.exec(line)?.[0]
  return quote !== undefined && line.split(quote).length % 2 === 0 ? quote : null
}
