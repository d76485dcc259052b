// Sessions and recorders as their entries describe them, in any order of arrival and with anything that a hostile team makes up.
import { expect, test } from 'bun:test'
import { type LabelledEntry, lateMs, SessionBook } from './session-book.ts'
import { buildEntry, noon } from './testing/build-work.ts'

const build = (seq: number, changes: Partial<LabelledEntry> = {}): LabelledEntry => ({
  ...buildEntry(),
  ...{ seq, event: 'Stop', student: 'a@example.org', repo: 'r', branch: 'main', tokenId: 'lt_1' },
  ...{ commit: null, isToolCall: false, isFailure: false, recorder: null },
  ...changes,
})

function fill(...entries: readonly LabelledEntry[]): SessionBook {
  const book = new SessionBook()
  for (const entry of entries) book.add(entry)
  return book
}

test('entries are ordered by time, then by number', () => {
  const times = [5, 1, 3, 3, 9]
  const book = fill(...times.map((at, index) => build(index + 1, { at: noon + at })))
  expect(book.find('gemini:s')?.places.map(({ seq }) => seq)).toEqual([2, 3, 4, 1, 5])
  expect(book.newestOf('gemini:s')).toEqual([1, 2, 3, 4, 5])
  book.add(build(6, { at: noon + 2 }))
  expect(book.find('gemini:s')?.places.map(({ seq }) => seq)).toEqual([2, 6, 3, 4, 1, 5])
})

test('tools have their own sessions, even with the same id', () => {
  const book = fill(
    build(1),
    build(2, { tool: 'Claude Code' }),
    build(3, { tool: 'x' }),
    build(4, { tool: 'y' }),
  )
  expect(book.keysOf('s')).toEqual(['gemini:s', 'claude:s', ':s'])
  expect(book.find(':s')?.places).toHaveLength(2)
  expect(book.find('codex:s')).toBeNull()
})

test('members, hosts, prompts and late entries', () => {
  const book = fill(
    build(1, { prompt: 'p', receivedAt: noon + lateMs - 1 }),
    // Written by the tool itself.
    build(2, {
      student: null,
      branch: 'side',
      receivedAt: noon + lateMs,
      prompt: '<task-notification>\n<task-id>b1</task-id>',
    }),
    build(3, { student: 'b@example.org', repo: null, branch: null, tokenId: 'lt_2', receivedAt: noon }),
  )
  expect(book.find('gemini:s')).toMatchObject({
    ...{ students: ['a@example.org', 'b@example.org'], tokenIds: ['lt_1', 'lt_2'] },
    ...{ repo: 'r', branch: 'side', prompts: 1, late: 1 },
  })
})

test('what a recorder sends with the first push after it is in time, however much later', () => {
  const minute = 60_000
  const sent = (seq: number, n: number, atMinute: number, receivedMinute: number) =>
    build(seq, {
      recorder: { id: '0123abcd', n },
      at: noon + atMinute * minute,
      receivedAt: noon + receivedMinute * minute,
    })
  const book = fill(
    // A push of 40 minutes of work, in two requests.
    sent(1, 1, 0, 40),
    sent(2, 2, 30, 40.5),
    // The next push, which was held up after the first request: its rest comes with the one after it.
    sent(3, 4, 41, 90),
    sent(4, 5, 95, 120),
    sent(5, 6, 85, 120),
    // Sent although a later number came with an earlier push, and long after a push that should have had it.
    sent(6, 3, 80, 121.5),
    sent(7, 7, 50, 121.5),
    // Another program sends at once.
    build(8, { at: noon, receivedAt: noon + 10 * minute }),
  )
  expect([1, 2, 3, 4, 5, 6, 7, 8].filter(seq => book.isLate(seq))).toEqual([6, 7, 8])
  expect(book.find('gemini:s')?.late).toBe(3)
})

test('the first prompt by time, that a person wrote, cut to 260 characters', () => {
  const book = fill(
    build(1, { prompt: 'later', at: noon + 5 }),
    build(2, { prompt: '<task-notification>\n<task-id>b1</task-id>', at: noon }),
    build(3, { prompt: `${'😀'.repeat(261)}`, at: noon + 1 }),
    build(4, { prompt: 'last', at: noon + 9 }),
  )
  expect(book.find('gemini:s')).toMatchObject({ prompts: 3, firstPrompt: '😀'.repeat(260) })
})

test('tool calls, failed ones among them, and different commits', () => {
  const book = fill(
    build(1, { isToolCall: true, commit: 'a1' }),
    build(2, { isToolCall: true, isFailure: true, commit: 'a1', sessionId: null }),
    build(3, { isToolCall: true, isFailure: true, commit: 'b2' }),
  )
  expect(book.find('gemini:s')).toMatchObject({ toolCalls: 2, failures: 1 })
  expect(book.commits).toBe(2)
  for (let n = 0; n < 6000; n += 1) book.add(build(10 + n, { commit: `made up ${n}` }))
  expect(book.commits).toBe(5000)
})

test('made-up names are bounded, and so are the newest numbers', () => {
  const book = fill(
    ...Array.from({ length: 100 }, (_, n) => build(n + 1, { student: `${n}`, tokenId: `${n}` })),
  )
  expect(book.find('gemini:s')).toMatchObject({ students: { length: 16 }, tokenIds: { length: 16 } })
  expect(book.newestOf('gemini:s')).toEqual(Array.from({ length: 20 }, (_, n) => n + 81))
})

test('recorders: tools, the newest event of each, and numbers without an entry', () => {
  const mark = (n: number, id = '0000000a') => ({ recorder: { id, n } })
  const book = fill(
    build(1, { ...mark(3), event: 'First', at: noon }),
    build(2, { ...mark(9), event: 'Last', at: noon + 5 }),
    build(3, { ...mark(4), event: 'Between', at: noon + 2 }),
    build(4, { ...mark(5), tool: 'codex', sessionId: null }),
    build(5, mark(1, '0000000b')),
  )
  expect(book.recorders()).toMatchObject([
    {
      ...{ cloneId: '0000000a', entries: 4, missing: 3 },
      tools: [
        { tool: 'gemini', entries: 3, lastAt: noon + 5, lastEvent: 'Last' },
        { tool: 'codex', entries: 1 },
      ],
    },
    { cloneId: '0000000b', entries: 1, missing: 0 },
  ])
})
