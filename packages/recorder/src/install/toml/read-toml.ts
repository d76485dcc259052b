// Reads the TOML that tools use in their settings, and where in its lines something can be added. Lines are added in place, as text, because the library keeps no comments when it writes.
import { parse, TomlError } from 'smol-toml'

/** Throws with the line, but does not quote it: it may hold a key. */
export function parseToml(text: string): unknown {
  try {
    return parse(text.replace(/^\uFEFF/, ''), { integersAsBigInt: 'asNeeded' })
  } catch (thrown) {
    throw new Error(`it is not valid TOML (line ${thrown instanceof TomlError ? thrown.line : 1})`)
  }
}

/**
 * What each line is: before the first table (`root`), below its head (`table`), or within a text of several lines (`text`). Lines that do not
 * make up a whole file can be given, too.
 */
export function classifyLines(lines: readonly string[]): ('root' | 'table' | 'text')[] {
  let place: 'root' | 'table' = 'root'
  let openQuote: string | null = null
  return lines.map(line => {
    if (openQuote !== null) {
      if (line.includes(openQuote)) openQuote = null
      return 'text'
    }
    openQuote = findOpenQuote(line)
    if (/^\s*\[.*\]\s*(?:#.*)?$/.test(line)) place = 'table'
    return place
  })
}

/** The quotes of a text that goes on in the next line; null when there is none. */
export function findOpenQuote(line: string): string | null {
  const quote = /"""|'''/.exec(line)?.[0]
  return quote !== undefined && line.split(quote).length % 2 === 0 ? quote : null
}
