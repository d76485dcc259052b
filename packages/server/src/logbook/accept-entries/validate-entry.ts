// Validates one entry by the rules of spec 2.10: only its required members are required, and each has a type and a length.

import { isLongerThan } from '@fairgate/contracts/logbook/cut-text.ts'
import type { RejectionCode } from '@fairgate/contracts/logbook/ingest.ts'
import { maximumEntryDepth, maximumNameLength } from '@fairgate/contracts/logbook/limits.ts'
import { parseTimestamp, type Timestamp } from './parse-timestamp.ts'

/** An entry that may be stored: these members are valid; it may have others. */
export type ValidEntry = {
  readonly ts: string
  readonly tool: string
  readonly event: string
  readonly [member: string]: unknown
}

export type Judgement =
  | { readonly ok: true; readonly entry: ValidEntry; readonly timestamp: Timestamp }
  | { readonly ok: false; readonly code: RejectionCode; readonly message: string }

type FieldRule = {
  readonly name: string
  readonly required?: boolean
  readonly kind: 'text' | 'text or object'
  readonly notEmpty?: boolean
  readonly isName?: boolean
}

const fieldRules: readonly FieldRule[] = [
  { name: 'ts', required: true, kind: 'text' },
  { name: 'tool', required: true, kind: 'text', isName: true, notEmpty: true },
  { name: 'event', required: true, kind: 'text', isName: true, notEmpty: true },
  ...['session_id', 'repo', 'branch', 'commit', 'student'].map(
    (name): FieldRule => ({ name, required: true, kind: 'text', isName: true }),
  ),
  { name: 'model', kind: 'text', isName: true },
  { name: 'tool_name', kind: 'text', isName: true },
  { name: 'prompt', kind: 'text' },
  { name: 'response_summary', kind: 'text' },
  { name: 'stop_reason', kind: 'text' },
  ...['tool_input', 'tool_response', 'tool_error'].map(
    (name): FieldRule => ({ name, kind: 'text or object' }),
  ),
]

export function validateEntry(entry: unknown): Judgement {
  if (!isPlainObject(entry)) return refuse('invalid_entry', 'An entry must be an object.')
  for (const rule of fieldRules) {
    const fault = findFault(rule, Object.hasOwn(entry, rule.name) ? entry[rule.name] : undefined)
    if (fault !== null) return fault
  }
  const fault = inspectValues(entry, maximumEntryDepth)
  if (fault !== null) return refuse('invalid_entry', fault)
  if (!isValidEntry(entry)) return refuse('invalid_entry', "'ts', 'tool' and 'event' must be strings.")
  const timestamp = parseTimestamp(entry.ts)
  if (timestamp === null) {
    return refuse(
      'invalid_timestamp',
      "'ts' must be an ISO 8601 date and time in the years 1970 to 2199, such as 2026-11-21T18:30:00.123+09:00.",
    )
  }
  return { ok: true, entry, timestamp }
}

/** A member that is null has no value (spec 2.11) and counts as absent. */
function findFault(rule: FieldRule, value: unknown): Judgement | null {
  if (value === undefined || value === null) {
    return rule.required === true ? refuse('missing_field', `'${rule.name}' is missing.`) : null
  }
  if (typeof value === 'object' && rule.kind === 'text or object') return null
  if (typeof value !== 'string') {
    const wanted = rule.kind === 'text' ? 'a string' : 'a string or an object'
    return refuse('invalid_entry', `'${rule.name}' must be ${wanted}.`)
  }
  if (rule.notEmpty === true && value === '') {
    return refuse('invalid_entry', `'${rule.name}' must not be empty.`)
  }
  if (rule.isName === true && isLongerThan(value, maximumNameLength)) {
    return refuse('field_too_long', `'${rule.name}' is longer than ${maximumNameLength} characters.`)
  }
  return null
}

function refuse(code: RejectionCode, message: string): Judgement & { ok: false } {
  return { ok: false, code, message }
}

function isPlainObject(value: unknown): value is { readonly [member: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isValidEntry(entry: { readonly [member: string]: unknown }): entry is ValidEntry {
  return typeof entry.ts === 'string' && typeof entry.tool === 'string' && typeof entry.event === 'string'
}

/**
 * Returns a message about a value that cannot be stored faithfully, or null. Walks level by level, before anything recursive touches the
 * entry, so that hostile nesting cannot exhaust the stack.
 */
function inspectValues(entry: object, maximumDepth: number): string | null {
  let level: object[] = [entry]
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > maximumDepth) return `The entry is nested deeper than ${maximumDepth} levels.`
    const next: object[] = []
    for (const container of level) {
      for (const value of Object.values(container)) {
        if (typeof value === 'object' && value !== null) next.push(value)
        // `1e999` is legal JSON and is parsed as infinity, which JSON cannot express.
        else if (typeof value === 'number' && !Number.isFinite(value)) {
          return 'The entry contains a number that is too large.'
        }
      }
    }
    level = next
  }
  return null
}
