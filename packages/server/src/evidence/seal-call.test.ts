// The commitment of a call's record: it covers every member, hides them all, and survives the erasure of the digests.
import { describe, expect, test } from 'bun:test'
import { canonicalJson } from '@fairgate/contracts/text/canonical-json.ts'
import type { CallRecord } from '../ledger/call-record.ts'
import { isSealed, sealCall, writeBody } from './seal-call.ts'

const call: CallRecord = {
  callId: '01a2b3c4-0000-7000-8000-000000000001',
  teamId: 'red',
  keyHash: 'ab'.repeat(32),
  endpoint: 'chat',
  modelAsked: 'fast',
  modelServed: 'mm-2.5-flash',
  outcome: 'completed',
  code: null,
  status: 200,
  refusal: { level: 'team', limit: '1', used: '1', held: '0', reset: null },
  units: { outputText: 5, inputText: 3 },
  cost: 120,
  flag: null,
  receivedAt: 1_700_000_000_000,
  endedAt: 1_700_000_000_900,
  durationMs: 900,
  firstByteMs: 250,
  upstream: 'vendor',
  upstreamKey: 'k1',
  client: {
    sessionId: 's-1',
    sessionSource: 'session-id',
    parentSession: null,
    tool: 'codex',
    userAgent: 'codex/1 „é"',
    address: '10.0.0.1',
  },
  texts: { prompts: ['YQ=='], results: [], answer: 'Yg==' },
  count: 1,
  lastAt: 1_700_000_000_000,
}

describe('the commitment of a call', () => {
  test('is made of canonical JSON', () => {
    const body = writeBody(call, 'ff')
    expect(body).toBe(canonicalJson(JSON.parse(body)))
    expect(writeBody({ ...call, refusal: null, units: {} }, null)).toBe(
      canonicalJson(JSON.parse(writeBody({ ...call, refusal: null, units: {} }, null))),
    )
  })

  test('matches its own record and no other', () => {
    const seal = sealCall(call)
    expect(isSealed(call, seal)).toBe(true)
    const changes: Partial<CallRecord>[] = [
      { callId: `${call.callId.slice(0, -1)}2` },
      { teamId: 'blue' },
      { cost: 121 },
      { units: { outputText: 5, inputText: 4 } },
      { outcome: 'failed' },
      { endedAt: call.endedAt + 1 },
      { client: { ...call.client, sessionId: 's-2' } },
      { texts: { prompts: ['Yw=='], results: [], answer: 'Yg==' } },
      { count: 2 },
    ]
    for (const change of changes)
      expect([change, isSealed({ ...call, ...change }, seal)]).toEqual([change, false])
  })

  test('differs for equal records, so it reveals nothing about them', () => {
    expect(sealCall(call).commit).not.toEqual(sealCall(call).commit)
  })

  test('has no second salt for a call without texts', () => {
    const silent = { ...call, texts: null }
    const seal = sealCall(silent)
    expect(seal.textsSalt).toBeNull()
    expect(seal.salt).toHaveLength(16)
    expect(seal.commit).toHaveLength(32)
    expect(isSealed(silent, seal)).toBe(true)
  })

  test('stays valid when the digests are erased, but not when they are changed or added', () => {
    const seal = sealCall(call)
    expect(isSealed({ ...call, texts: null }, { ...seal, textsSalt: null })).toBe(true)
    expect(isSealed(call, { ...seal, textsSalt: null })).toBe(false)
    expect(isSealed({ ...call, texts: null }, { ...seal, textsHash: null })).toBe(false)
    const without = sealCall({ ...call, texts: null })
    expect(isSealed(call, { ...without, textsSalt: seal.textsSalt, textsHash: seal.textsHash })).toBe(false)
  })
})
