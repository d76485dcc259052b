// Order, gaps and prompt costs of a conversation.
import { expect, test } from 'bun:test'
import type { SessionItem } from '@fairgate/contracts/console/session-view.ts'
import { arrangeItems, mergeItems } from './arrange-items.ts'

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 21, 12, 0, seconds)).toISOString()

function entry(seq: number, seconds: number, members: object): SessionItem {
  const facts = { token_id: 'lt_1', member_id: null, event: null, is_late: false, more: false }
  return {
    kind: 'entry',
    at: at(seconds),
    ref: `red#${seq}`,
    call: null,
    entry: { seq, ts: at(seconds), received_at: at(seconds), entry: members, ...facts },
  }
}

function call(id: string, seconds: number, endSeconds: number, cost_nano: number): SessionItem {
  const facts = { key: 'k', key_alias: null, endpoint: 'chat', model: 'mm', outcome: 'completed' as const }
  const nothing = {
    code: null,
    explanation: null,
    units: {},
    first_byte_ms: null,
    class: 'session',
    by: 'id',
  }
  const times = { received_at: at(seconds), ended_at: at(endSeconds), duration_ms: 1 }
  return {
    kind: 'call',
    at: at(seconds),
    ref: id,
    entry: null,
    call: { call_id: id, cost_nano, count: 1, ...facts, ...nothing, ...times },
  }
}

const whole = { isFirstThere: true, isLastThere: true }

test('each item appears once, sorted by time, and newer copies win', () => {
  const merged = mergeItems(
    [entry(2, 10, { prompt: 'b' }), entry(1, 5, { prompt: 'a' })],
    [entry(2, 10, { prompt: 'c' }), entry(3, 7, {})],
  )
  expect(merged.map(({ ref }) => ref)).toEqual(['red#1', 'red#3', 'red#2'])
  expect(merged.at(-1)?.entry?.entry).toEqual({ prompt: 'c' })
})

test('automatic prompts count towards the last prompt of a person', () => {
  const { rows, turns } = arrangeItems(
    [
      entry(1, 0, { prompt: 'a' }),
      entry(2, 60, { prompt: '<task-notification>\n…' }),
      call('c1', 61, 62, 5),
      entry(3, 63, { response_summary: 'Done.' }),
    ],
    whole,
  )
  expect(turns).toMatchObject([{ text: 'a', costNano: 5 }])
  expect(rows.map(row => (row.kind === 'gap' ? row.during : row.kind))).toEqual([
    'item',
    'background task',
    'item',
    'item',
    'item',
  ])
})

test('a prompt costs the calls up to the next prompt', () => {
  const { turns } = arrangeItems(
    [
      entry(1, 0, { prompt: 'a' }),
      call('c1', 1, 2, 5),
      call('c2', 2, 3, 7),
      entry(2, 4, { prompt: 'b' }),
      call('c3', 5, 6, 1),
    ],
    { isFirstThere: true, isLastThere: false },
  )
  expect(turns.map(({ seq, costNano, isWhole }) => [seq, costNano, isWhole])).toEqual([
    [1, 12, true],
    [2, 1, false],
  ])
})

test('a call that is not matched yet is not counted', () => {
  const live = call('c1', 1, 2, 5)
  if (live.call === null) throw new Error('It is a call.')
  const { turns } = arrangeItems(
    [entry(1, 0, { prompt: 'a' }), { ...live, call: { ...live.call, class: null } }],
    whole,
  )
  expect(turns[0]?.costNano).toBe(0)
})

test('silences of five seconds and more are shown with their cause', () => {
  const { rows } = arrangeItems(
    [
      entry(1, 0, { prompt: 'a' }),
      call('c1', 1, 20, 5),
      entry(2, 24, { tool_name: 'Bash', tool_input: 'ls' }),
      entry(3, 34, { tool_name: 'Bash', tool_response: 'ok' }),
      entry(4, 41, { response_summary: 'done' }),
      entry(5, 141, { prompt: 'b' }),
    ],
    whole,
  )
  expect(rows.flatMap(row => (row.kind === 'gap' ? [[row.ms, row.during]] : []))).toEqual([
    [10_000, 'tool running'],
    [7000, 'model working'],
    [100_000, 'person away'],
  ])
})

test('an answer without a call is marked, but only if all items are loaded', () => {
  const items = [entry(1, 0, { prompt: 'a' }), entry(2, 1, { response_summary: 'done' })]
  expect(arrangeItems(items, whole).rows.some(({ kind }) => kind === 'no-call')).toBe(true)
  expect(
    arrangeItems(items.slice(1), { isFirstThere: false, isLastThere: true }).rows.some(
      ({ kind }) => kind === 'no-call',
    ),
  ).toBe(false)
})
