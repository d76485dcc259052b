// Reads the text of a git configuration file, as `git config` would.

export type ConfigLine = {
  /** `section.key` or `section.subsection.key`; section and key in lower case. */
  readonly name: string
  readonly value: string
}

export function parseConfig(text: string): ConfigLine[] {
  const lines: ConfigLine[] = []
  let section = ''
  let rest = text.replace(/^\uFEFF/, '').replace(/\r(?=\n|$)/g, '')
  while (rest !== '') {
    const header = /^\s*\[\s*([\w.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]/.exec(rest)
    const variable = /^\s*([A-Za-z][\w-]*)[^\S\n]*(=?)/.exec(rest)
    if (header !== null) {
      section = readSection(header[1] ?? '', header[2])
      rest = rest.slice(header[0].length)
    } else if (variable !== null && section !== '') {
      rest = rest.slice(variable[0].length)
      const { value, length } = variable[2] === '=' ? readValue(rest) : { value: '', length: 0 }
      lines.push({ name: `${section}.${(variable[1] ?? '').toLowerCase()}`, value })
      rest = rest.slice(length)
    } else {
      // A comment, an empty line, or something that only git understands.
      rest = rest.replace(/^[^\n]*(?:\n|$)/, '')
    }
  }
  return lines
}

function readSection(section: string, subsection: string | undefined): string {
  const lower = section.toLowerCase()
  return subsection === undefined ? lower : `${lower}.${subsection.replace(/\\(.)/g, '$1')}`
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b', '\n': '' }

/** Drops comments and outer blanks, and resolves quotes, escapes and continued lines. `length` is how much of the text it read. */
function readValue(text: string): { value: string; length: number } {
  let value = ''
  // Blanks count only when they are quoted or something follows them.
  let kept = 0
  let isQuoted = false
  let isComment = false
  let index = 0
  for (; index < text.length; index += 1) {
    const character = text[index] ?? ''
    if (character === '\n') break
    if (isComment) continue
    if (character === '"') {
      isQuoted = !isQuoted
      kept = value.length
    } else if (character === '\\') {
      index += 1
      const next = text[index] ?? ''
      value += escapes[next] ?? next
      if (next !== '\n') kept = value.length
    } else if (!isQuoted && (character === '#' || character === ';')) {
      isComment = true
    } else if (isQuoted || value !== '' || !/\s/.test(character)) {
      value += character
      if (isQuoted || !/\s/.test(character)) kept = value.length
    }
  }
  return { value: value.slice(0, kept), length: index }
}
