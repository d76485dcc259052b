// Reading for coverage: entries once and in pages, one team at a time, the same answer for ten seconds, and the effect of a locked board.
import { expect, test } from 'bun:test'
import { CoverageReader } from './coverage-reader.ts'
import type { RecordedCall } from './judge-calls.ts'
import type { StoredEntry } from './read-entry.ts'
import { buildCall, day, long, minute, noon, say } from './testing/build-work.ts'

const buildStored = (seq: number, members: object, changes: Partial<StoredEntry> = {}): StoredEntry => ({
  seq,
  tsMicros: noon * 1000,
  receivedMicros: (noon + minute) * 1000,
  body: JSON.stringify({ tool: 'gemini', session_id: 's', ...members }),
  tokenId: 'lt_1',
  clientAddress: null,
  ...changes,
})

function setUp(entries: StoredEntry[], calls: RecordedCall[]) {
  const state = { now: noon + 2 * day, asked: [] as string[], onPause: () => {}, fails: false }
  let lock: { locked: boolean; lockAt: number | null; updatedAt: number; eventLocks?: EventLocks } | undefined
  const reader = new CoverageReader({
    read: {
      readJoinRowsAfter: async ({ teamId, afterSeq, limit }) => {
        state.asked.push(`entries ${teamId} ${afterSeq}`)
        if (state.fails) throw new Error('away')
        return entries.filter(({ seq }) => seq > afterSeq).slice(0, limit)
      },
      readCallsAfter: async ({ teamId, from, until, afterId, limit }) => {
        state.asked.push(`calls ${teamId}`)
        return calls
          .filter(
            ({ receivedAt, callId }) => receivedAt >= from && receivedAt < until && callId > (afterId ?? ''),
          )
          .slice(0, limit)
      },
      readBoard: async () => (lock === undefined ? undefined : { eventLocks: [], openedAt: null, ...lock }),
    },
    digestTexts: (_team, _tool, { prompts, results, answer }) => say(prompts, results, answer),
    clock: () => state.now,
    pause: async () => state.onPause(),
  })
  const setLock = (next: typeof lock) => {
    lock = next
  }
  return { reader, state, setLock }
}

type EventLocks = readonly {
  readonly closesAt: number
  readonly lateUntil: number
  readonly reopensAt: number | null
}[]

const everything = { from: 0, until: noon + 100 * day }
const id = (index: number) => String(index).padStart(6, '0')

// Shown to fail with the claimed times alone, and with a correction of clocks that are ahead.
test.each([
  ['a session ends with its last receipt, regardless of claimed times', [-60, 3600, 1e9], [-60, 0]],
  ['a clock that is 20 s ahead changes nothing about entries sent at once', [20, 20, 20, 20, 20, 20], [0, 0]],
  [
    'a clock that is 20 s behind is corrected by entries sent at once',
    [-20, -20, -20, -20, -20, -20],
    [0, 0],
  ],
])('%s', async (_, aheadSeconds, [first = 0, last = 0]) => {
  const entries = aheadSeconds.map((seconds, place) =>
    buildStored(place + 1, {}, { tsMicros: (noon + seconds * 1000) * 1000, receivedMicros: noon * 1000 }),
  )
  const { logged } = await setUp(entries, []).reader.read('red', everything)
  expect(logged).toMatchObject([{ firstAt: noon + first * 1000, lastAt: noon + last * 1000 }])
})

test('entries and calls are read in pages, and entries only once', async () => {
  const entries = Array.from({ length: 2250 }, (_, index) =>
    buildStored(index + 1, { prompt: long(`text ${index}`) }),
  )
  const calls = Array.from({ length: 2300 }, (_, index) =>
    buildCall(id(index), { texts: say([long(`text ${index}`)]) }),
  )
  const { reader, state } = setUp(entries, calls)
  const first = await reader.read('red', everything)
  expect(first.classes.text.calls).toBe(2250)
  expect(first.calls).toHaveLength(2300)
  expect(state.asked.filter(name => name.startsWith('entries'))).toEqual([
    'entries red 0',
    'entries red 1000',
    'entries red 2000',
    'entries red 2250',
  ])
  entries.push(buildStored(2251, { prompt: long('text 2250') }))
  state.now += 10_000
  state.asked = []
  expect((await reader.read('red', everything)).classes.text.calls).toBe(2251)
  expect(state.asked.filter(name => name.startsWith('entries'))).toEqual([
    'entries red 2250',
    'entries red 2251',
  ])
})

test('a result is reused for ten seconds, and a failure is not cached', async () => {
  const { reader, state } = setUp([], [buildCall('a')])
  const [one, two] = await Promise.all([reader.read('red', everything), reader.read('red', everything)])
  expect(two).toBe(one)
  const read = state.asked.length
  state.now += 9999
  expect(await reader.read('red', everything)).toBe(one)
  expect(state.asked).toHaveLength(read)
  state.fails = true
  const failed = await reader.read('blue', everything).catch((error: Error) => error.message)
  expect(failed).toBe('away')
  state.fails = false
  expect((await reader.read('blue', everything)).classes.unexplained.calls).toBe(1)
})

test('teams are read one after the other', async () => {
  const { reader, state } = setUp([], [buildCall('a')])
  await Promise.all(['red', 'blue'].map(team => reader.read(team, everything)))
  expect(state.asked).toEqual(['entries red 0', 'calls red', 'entries blue 0', 'calls blue'])
})

// Fails if the reading behind does not let a team that someone waits for go first, between any two pages of calls.
test('nobody waits behind a reading in the background for another team', async () => {
  const calls = Array.from({ length: 2500 }, (_, index) => buildCall(id(index)))
  const { reader, state } = setUp([buildStored(1, { prompt: long('p') })], calls)
  let waited: Promise<unknown> | null = null
  state.onPause = () => {
    waited ??= reader.read('red', everything)
  }
  const behind = await reader.readBehind('blue', everything)
  await waited
  const pages = state.asked.filter(name => name.startsWith('calls'))
  expect(pages).toEqual(['calls blue', ...Array(3).fill('calls red'), 'calls blue', 'calls blue'])
  expect(behind.calls).toHaveLength(2500)
  // Whoever asks now gets the same result.
  expect(await reader.read('blue', everything)).toBe(behind)
})

test('a range counts only its calls', async () => {
  const { reader } = setUp([], [buildCall('a'), buildCall('b', { receivedAt: noon + minute })])
  const { calls } = await reader.read('red', { from: noon, until: noon + minute })
  expect(calls.map(({ call }) => call.callId)).toEqual(['a'])
})

test('no entries are expected from a locked board', async () => {
  const { reader, state, setLock } = setUp([], [buildCall('a')])
  const pending = async () => {
    state.now += 20_000
    return (await reader.read('red', everything)).classes.pending.calls
  }
  state.now = noon + 60 * minute
  expect(await pending()).toBe(1)
  setLock({ locked: false, lockAt: noon + 30 * minute, updatedAt: noon - day })
  expect(await pending()).toBe(0)
  setLock({ locked: true, lockAt: null, updatedAt: noon + 59 * minute })
  expect(await pending()).toBe(1)
  setLock({ locked: true, lockAt: null, updatedAt: noon - day })
  expect(await pending()).toBe(0)
  setLock({ locked: false, lockAt: noon + 100 * day, updatedAt: noon - day })
  expect(await pending()).toBe(1)
  const closed = { locked: false, lockAt: null, updatedAt: noon - day }
  const lock = { closesAt: noon - day, reopensAt: null }
  setLock({ ...closed, eventLocks: [{ ...lock, lateUntil: noon + 100 * day }] })
  expect(await pending()).toBe(1)
  setLock({ ...closed, eventLocks: [{ ...lock, lateUntil: noon }] })
  expect(await pending()).toBe(0)
  setLock({ ...closed, eventLocks: [{ ...lock, lateUntil: noon, reopensAt: noon + minute }] })
  expect(await pending()).toBe(1)
})

test.each<[string, object]>([
  ['a result as text', { tool_response: long('rows') }],
  ['a result as an object', { tool_response: { stdout: long('rows'), code: 0 } }],
  [
    'a result as the JSON text of one',
    { tool_response: JSON.stringify({ deep: [{ stdout: long('rows') }] }) },
  ],
  ['an error of a tool', { tool_error: long('rows') }],
])('%s joins the call that sent it to the model', async (_, members) => {
  const { reader } = setUp([buildStored(1, members)], [buildCall('a', { texts: say([], [long('rows')]) })])
  expect((await reader.read('red', everything)).classes.text.calls).toBe(1)
})

test('a malformed entry joins nothing', async () => {
  const bodies = ['[]', 'null', '{', '{"tool":5,"session_id":7,"prompt":{},"tool_response":[]}']
  const entries = bodies.map((body, index) => buildStored(index + 1, {}, { body }))
  const { reader } = setUp(entries, [buildCall('a')])
  expect((await reader.read('red', everything)).classes.unexplained.calls).toBe(1)
})

test('page turns get an answer up to a minute old while a newer one is read', async () => {
  const { reader, state } = setUp([], [buildCall('a')])
  const first = await reader.readRecent('red', everything)
  state.now += 30_000
  state.asked = []
  expect(await reader.readRecent('red', everything)).toBe(first)
  // It is being read again by now.
  const newer = await reader.read('red', everything)
  expect(newer.asOf).toBe(first.asOf + 30_000)
  expect(state.asked.filter(name => name.startsWith('calls'))).toHaveLength(1)
  expect(await reader.readRecent('red', everything)).toBe(newer)
  state.now += 60_000
  expect((await reader.readRecent('red', everything)).asOf).toBe(newer.asOf + 60_000)
  state.now += 30_000
  state.fails = true
  expect((await reader.readRecent('red', everything)).asOf).toBe(newer.asOf + 60_000)
})

test('the session book has each entry once, for any number of concurrent requests', async () => {
  const entries = Array.from({ length: 450 }, (_, index) => buildStored(index + 1, { prompt: 'p' }))
  const { reader } = setUp(entries, [])
  const books = await Promise.all([reader.readBook('red'), reader.readBook('red'), reader.readBook('red')])
  expect(books.map(book => book.find('gemini:s')?.prompts)).toEqual([450, 450, 450])
  entries.push(buildStored(451, { prompt: 'p' }))
  expect((await reader.readBook('red')).find('gemini:s')?.places).toHaveLength(451)
})

// Shown to fail on a build that continued to read: all 450 entries were read, and the calls.
test('a read ends when its client leaves, unless another client waits for it', async () => {
  const entries = Array.from({ length: 2250 }, (_, index) => buildStored(index + 1, { prompt: 'p' }))
  const { reader, state } = setUp(entries, [buildCall('a')])
  const client = new AbortController()
  state.onPause = () => client.abort(new Error('left'))
  const one = reader.read('red', everything, client.signal).catch((error: Error) => error.message)
  const behind = reader.read('blue', everything, AbortSignal.abort(new Error('gone'))).catch(String)
  expect([await one, await behind]).toEqual(['left', 'Error: gone'])
  // It has requested at most the next page when it ends.
  await reader.read('green', everything)
  expect(state.asked.filter(name => /red|blue/.test(name))).toEqual(['entries red 0', 'entries red 1000'])
  state.asked = []
  const other = new AbortController()
  state.onPause = () => other.abort(new Error('left'))
  const [left, stays] = await Promise.allSettled([
    reader.read('red', everything, other.signal),
    reader.read('red', everything, new AbortController().signal),
  ])
  expect([left.status, stays.status]).toEqual(['rejected', 'fulfilled'])
  // What was read before is not read again.
  expect(state.asked).toEqual([
    'entries red 200',
    'entries red 1200',
    'entries red 2200',
    'entries red 2250',
    'calls red',
  ])
})
