// Refused entries with their messages, and odd entries that are accepted.
import { describe, expect, test } from 'bun:test'
import type { RejectionCode } from '@fairgate/contracts/logbook/ingest.ts'
import { buildEntry } from '../testing/build-entry.ts'
import { validateEntry } from './validate-entry.ts'

const required = ['ts', 'tool', 'event', 'session_id', 'repo', 'branch', 'commit', 'student']
const names = [...required.slice(1), 'model', 'tool_name']

function refusal(entry: unknown): { code: RejectionCode; message: string } | null {
  const judgement = validateEntry(entry)
  return judgement.ok ? null : { code: judgement.code, message: judgement.message }
}

function nest(depth: number): unknown {
  return JSON.parse(`${'['.repeat(depth)}1${']'.repeat(depth)}`)
}

describe('spec 2.10: validateEntry', () => {
  test.each(required)('%s is required', name => {
    const { [name]: _removed, ...rest } = buildEntry()
    expect(refusal(rest)).toEqual({ code: 'missing_field', message: `'${name}' is missing.` })
    expect(refusal(buildEntry({ [name]: null }))?.code).toBe('missing_field')
    expect(refusal(buildEntry({ [name]: 7 }))?.code).toBe('invalid_entry')
    expect(refusal(buildEntry({ [name]: { $ne: 1 } }))?.code).toBe('invalid_entry')
  })

  test('only an object is an entry', () => {
    for (const candidate of [null, 7, 'text', true, [], [buildEntry()]]) {
      expect(refusal(candidate)).toEqual({ code: 'invalid_entry', message: 'An entry must be an object.' })
    }
  })

  test.each(names)('%s holds at most 512 code points', name => {
    expect(refusal(buildEntry({ [name]: '\u{1f600}'.repeat(512) }))).toBeNull()
    const fault = refusal(buildEntry({ [name]: '\u{1f600}'.repeat(513) }))
    expect(fault?.code).toBe('field_too_long')
    expect(fault?.message).toContain(`'${name}'`)
  })

  test.each(['tool', 'event'])('%s must not be empty', name => {
    expect(refusal(buildEntry({ [name]: '' }))?.code).toBe('invalid_entry')
  })

  test.each(['model', 'prompt', 'tool_name', 'response_summary', 'stop_reason'])(
    '%s is text or absent',
    name => {
      expect(refusal(buildEntry({ [name]: null }))).toBeNull()
      expect(refusal(buildEntry({ [name]: '' }))).toBeNull()
      expect(refusal(buildEntry({ [name]: {} }))?.code).toBe('invalid_entry')
      expect(refusal(buildEntry({ [name]: 1 }))?.code).toBe('invalid_entry')
    },
  )

  test.each(['tool_input', 'tool_response', 'tool_error'])('%s is text, an object or absent', name => {
    for (const value of [null, 'text', { a: 1 }, [{ type: 'text' }]]) {
      expect(refusal(buildEntry({ [name]: value }))).toBeNull()
    }
    expect(refusal(buildEntry({ [name]: 1 }))?.code).toBe('invalid_entry')
    expect(refusal(buildEntry({ [name]: false }))?.code).toBe('invalid_entry')
  })

  test('members inherited from Object.prototype are not members of an entry', () => {
    const entry: unknown = JSON.parse(`{"__proto__":${JSON.stringify(buildEntry())}}`)
    expect(refusal(entry)?.code).toBe('missing_field')
  })

  test('an entry is nested at most 64 levels', () => {
    expect(refusal(buildEntry({ other: nest(63) }))).toBeNull()
    expect(refusal(buildEntry({ other: nest(64) }))?.code).toBe('invalid_entry')
    expect(refusal(buildEntry({ other: nest(5000) }))?.code).toBe('invalid_entry')
  })

  test('a number that JSON cannot reproduce is refused', () => {
    expect(refusal(buildEntry({ other: JSON.parse('[1e999]') }))?.code).toBe('invalid_entry')
  })

  test('a ts that is not a time is refused', () => {
    expect(refusal(buildEntry({ ts: 'yesterday' }))?.code).toBe('invalid_timestamp')
  })
})
