// Writes what a tool returned as a text for people. Recorders send an object as its JSON, cut where it is too long.

type Members = Readonly<Record<string, unknown>>

/** Members that hold the text of an output, in the order in which they are shown. */
const texts = ['stdout', 'output', 'content', 'text', 'stderr', 'error', 'message']

/** The object or list that a text is the JSON of, even if its end is missing; otherwise the value itself. */
export function unpackOutput(value: unknown): unknown {
  // Whoever prints JSON for people breaks its lines; a recorder does not.
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value) || /\n\s*\S/.test(value)) return value
  const found = parseJson(value) ?? parseCutJson(value)
  return typeof found === 'object' && found !== null ? found : value
}

/** Null if there is no output. `value`: unpacked. */
export function writeOutput(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return value
  const parts = findTexts(value)
  if (parts !== null) return parts.length === 0 ? null : parts.join('\n')
  return writeLines(value, '').join('\n')
}

/** Null if it is not an output with texts of its own. */
function findTexts(value: unknown): string[] | null {
  if (Array.isArray(value)) {
    const parts = value.map(part => (isMembers(part) && typeof part.text === 'string' ? part.text : null))
    return parts.length > 0 && parts.every(part => part !== null) ? parts : null
  }
  if (!isMembers(value)) return null
  const found = texts.flatMap(name => {
    const own = value[name]
    if (typeof own === 'string') return own
    return (name === 'content' || name === 'output') && Array.isArray(own) ? (findTexts(own) ?? []) : []
  })
  const { file } = value
  if (found.length === 0) return isMembers(file) && typeof file.content === 'string' ? [file.content] : null
  return found.filter(text => text !== '')
}

/** Like JSON without its quotation marks: texts of several lines stay as they are, below their names. */
function writeLines(value: unknown, indent: string): string[] {
  if (typeof value !== 'object' || value === null) return [`${indent}${writePlain(value)}`]
  return Object.entries(value).flatMap(([name, own]) => {
    const label = Array.isArray(value) ? '-' : `${name}:`
    const isLong = typeof own === 'string' ? own.includes('\n') : typeof own === 'object' && own !== null
    if (!isLong) return [`${indent}${label} ${writePlain(own)}`]
    const inner = `${indent}  `
    const lines =
      typeof own === 'string' ? own.split('\n').map(line => `${inner}${line}`) : writeLines(own, inner)
    return [`${indent}${label}`, ...lines]
  })
}

const writePlain = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Closes what is open at the end, and leaves out a name without a value. Undefined if it is no JSON. Takes time by the length of the text. */
function parseCutJson(text: string): unknown {
  const open: string[] = []
  let inText = false
  /** The end of the last complete member, and what was open there. */
  let whole = { end: 0, open: '' }
  const closing = () => open.toReversed().join('')
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? ''
    if (inText) {
      if (character === '\\') at += 1
      else if (character === '"') inText = false
    } else if (character === '"') inText = true
    else if (character === '{' || character === '[') open.push(character === '{' ? '}' : ']')
    else if (character === '}' || character === ']') open.pop()
    else if (character === ',') whole = { end: at, open: open.length > maxOpen ? '' : closing() }
    if (open.length > maxOpen) return undefined
  }
  const cut = inText ? `${text.replace(/\\(?:u[0-9a-fA-F]{0,3})?$/, '')}"` : text
  return parseJson(`${cut}${closing()}`) ?? parseJson(`${text.slice(0, whole.end)}${whole.open}`)
}

/** Deeper than any tool nests its output. */
const maxOpen = 64
