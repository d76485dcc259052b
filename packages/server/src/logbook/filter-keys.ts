// Turns the filterable members of pages into index keys that every database can hold.
import { createHash } from 'node:crypto'

/** Longer keys are replaced by a digest: PostgreSQL refuses index rows over 2,704 bytes, and an index row can hold two keys. */
const longestPlainKey = 200

/**
 * Escaped as in JSON, so that NUL and lone surrogates survive. Different texts have different keys: a digest begins with a quotation mark,
 * which an escaped text cannot.
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

export type FilterQuery = { readonly event?: string; readonly tool?: string }

export type FilterKeys = { readonly toolKey: string | null; readonly eventKey: string | null }

/** The filters of a page as the store takes them (spec 4.2). Absent or empty: no filter. */
export function buildFilterKeys({ event = '', tool = '' }: FilterQuery): FilterKeys {
  return {
    toolKey: tool === '' ? null : buildToolKey(tool),
    eventKey: event === '' ? null : buildEventKey(event),
  }
}
