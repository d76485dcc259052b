// Reads the text of a git configuration file, as `git config` would.

export type ConfigLine = {
  /** `section.key` or `section.subsection.key`; section and key in lower case. */
  readonly name: string
  readonly value: string
}

export function parseConfig(text: string): ConfigLine[] {
  const lines: ConfigLine[] = []
  let section = ''
  // A backslash at the end of a line joins it with the next.
  for (const line of text.replace(/\\\r?\n/g, '').split(/\r?\n/)) {
    const header = /^\s*\[\s*([\w.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\](.*)$/.exec(line)
    if (header !== null) section = readSection(header[1] ?? '', header[2])
    const variable = /^\s*([A-Za-z][\w-]*)\s*(?:=(.*))?$/.exec(header === null ? line : (header[3] ?? ''))
    if (variable === null || section === '') continue
    const key = (variable[1] ?? '').toLowerCase()
    lines.push({ name: `${section}.${key}`, value: readValue(variable[2] ?? '') })
  }
  return lines
}

function readSection(section: string, subsection: string | undefined): string {
  const lower = section.toLowerCase()
  return subsection === undefined ? lower : `${lower}.${subsection.replace(/\\(.)/g, '$1')}`
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b' }

/** Drops comments and outer blanks, and resolves quotes and escapes. */
function readValue(raw: string): string {
  let value = ''
  let kept = 0
  let isQuoted = false
  for (let index = 0; index < raw.length; index += 1) {
    const character = raw[index] ?? ''
    if (character === '"') {
      isQuoted = !isQuoted
      kept = value.length
    } else if (character === '\\') {
      index += 1
      value += escapes[raw[index] ?? ''] ?? raw[index] ?? ''
      kept = value.length
    } else if (!isQuoted && (character === '#' || character === ';')) {
      break
    } else if (isQuoted || value !== '' || !/\s/.test(character)) {
      value += character
      if (isQuoted || !/\s/.test(character)) kept = value.length
    }
  }
  return value.slice(0, kept)
}
