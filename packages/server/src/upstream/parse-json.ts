// JSON of an upstream → values that can be written again: whole, cut off, or too deeply nested to be meant well.
import { parseJsonWithin } from '@fairgate/contracts/text/nested-json.ts'

/** Deeper than any answer; what is written as JSON again is read by recursion. */
export const deepestReply = 200

const decoder = new TextDecoder()

/** Throws SyntaxError for what is no JSON, or nested too deeply. */
export function parseReply(reply: Uint8Array | string): unknown {
  return parseJsonWithin(typeof reply === 'string' ? reply : decoder.decode(reply), deepestReply)
}

/** Null for what is no JSON. Of any depth: for values of which a few members are read, and nothing is written again. */
export function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Whether the bytes are one whole document, an object or an array: tried only where their end looks like one. */
export function isWholeJson(bytes: Uint8Array): boolean {
  const last = bytes.findLast(byte => byte > 0x20)
  if (last !== 0x7d && last !== 0x5d) return false
  return parseOrNull(decoder.decode(bytes)) !== null
}

/** What a document says that was cut off: what is open is closed where the text ends. Null when that is no JSON either. */
export function parseCutReply(bytes: Uint8Array): unknown {
  const text = decoder.decode(bytes)
  const open: string[] = []
  let inString = false
  let isEscaped = false
  for (const character of text) {
    if (isEscaped) isEscaped = false
    else if (inString && character === '\\') isEscaped = true
    else if (character === '"') inString = !inString
    else if (inString) continue
    else if (character === '{') open.push('}')
    else if (character === '[') open.push(']')
    else if (character === '}' || character === ']') open.pop()
  }
  const readable = isEscaped ? text.slice(0, -1) : inString ? text.replace(/\\u[0-9a-f]{0,3}$/i, '') : text
  try {
    return parseReply(`${readable}${inString ? '"' : ''}${open.reverse().join('')}`)
  } catch {
    return null
  }
}
