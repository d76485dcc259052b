// Safe steps into JSON of unknown shape: the vendor adds members weekly, and none of them may break us.
import { parseJsonWithin } from '@fairgate/contracts/text/nested-json.ts'

export type JsonRecord = { readonly [member: string]: unknown }

export function asRecord(value: unknown): JsonRecord | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonRecord) : null
}

/** False if the member is missing, or null. */
export function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null
}

const none: readonly never[] = []

export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : none
}

export function asString(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** The member under either spelling: the vendor writes camelCase, some of its documents snake_case. */
export function eitherMember(record: JsonRecord, camel: string, snake: string): unknown {
  return record[camel] ?? record[snake]
}

/** More tokens than any model takes: a figure above this is a fault, not usage. */
const absurd = 100_000_000

/** A missing count is 0 (upstreams drop defaults); NaN if it cannot be a count. */
export function readTokenCount(value: unknown): number {
  const count = value ?? 0
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 && count <= absurd
    ? count
    : Number.NaN
}

// Reads an upstream's JSON into values that can be written again: whole, cut off, or too deeply nested to be meant well.

/** Deeper than any answer; values that are written as JSON again are read by recursion. */
export const deepestReply = 200

const decoder = new TextDecoder()

/** Throws SyntaxError if it is not JSON, or nested too deeply. */
export function parseReply(reply: Uint8Array | string): unknown {
  return parseJsonWithin(typeof reply === 'string' ? reply : decoder.decode(reply), deepestReply)
}

/** Null if it is not JSON. Of any depth: for values of which a few members are read, and nothing is written again. */
export function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** True if the bytes are one whole document, an object or an array: tried only if their end looks like one. */
export function isWholeJson(bytes: Uint8Array): boolean {
  const last = bytes.findLast(byte => byte > 0x20)
  if (last !== 0x7d && last !== 0x5d) return false
  return parseOrNull(decoder.decode(bytes)) !== null
}

/** Reads a document that was cut off: open parts are closed at the end of the text. Null if that is not JSON either. */
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
