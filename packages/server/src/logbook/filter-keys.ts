// Turns the members that pages can be filtered by into index keys that every database can hold.
import { createHash } from 'node:crypto'

/** Longer keys are replaced by a digest: PostgreSQL refuses index rows over 2,704 bytes, and two keys share one. */
const longestPlainKey = 200

/**
 * Escaped as in JSON, so that NUL and lone surrogates survive. Two different texts have different keys: a digest is marked by a
 * quotation mark in front, which an escaped text cannot begin with.
 */
function buildKey(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1)
  if (escaped.length <= longestPlainKey) return escaped
  return `"${createHash('sha256').update(escaped).digest('hex')}`
}

/** Events match exactly (spec 4.2). */
export function buildEventKey(event: string): string {
  return buildKey(event)
}

/** Tools match in any case (spec 4.2). */
export function buildToolKey(tool: string): string {
  return buildKey(tool.toLowerCase())
}
