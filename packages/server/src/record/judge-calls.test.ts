// The class of each call: an example of every rule, and invariants for any calls and entries.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { RecordedCall } from './judge-calls.ts'
import type { EntryFacts } from './session-log.ts'
import { buildCall, buildEntry, day, judge, long, minute, noon, say } from './testing/build-work.ts'

/** `class by sessions` of the only call, or of that with the id. */
function report(judged: ReturnType<typeof judge>, id = 'c'): string {
  const found = judged.find(({ call }) => call.callId === id)
  return found === undefined ? 'none' : [found.class, found.by, ...found.sessions].join(' ')
}
const plot = long('Draw the plot of the measurements')
const table = long('12 rows of measurements')

describe('by session', () => {
  const entry = buildEntry({ tool: 'codex', sessionId: 'root', prompt: 'Hi' })
  test.each<[string, Partial<RecordedCall>, Partial<EntryFacts>, string]>([
    ['the same id', { sessionId: 'root' }, {}, 'session id codex:root'],
    [
      'the session that started it',
      { sessionId: 'child', parentSession: 'root' },
      {},
      'session parent codex:root',
    ],
    ['an id of another tool', { sessionId: 'root' }, { tool: 'claude' }, 'unexplained tool_without_entries'],
    ['an id without a known tool', { sessionId: 'root' }, { tool: 'my own' }, 'session id :root'],
    ['a tool with another spelling', { sessionId: 'root' }, { tool: 'Codex CLI' }, 'session id codex:root'],
    ['an id that is not in the log', { sessionId: 'other' }, {}, 'unexplained session_without_entries'],
  ])('%s', (_, call, changes, expected) => {
    expect(report(judge([buildCall('c', { tool: 'codex', ...call })], [{ ...entry, ...changes }]))).toBe(
      expected,
    )
  })

  test('an id in the logs of two tools', () => {
    const entries = [entry, { ...entry, tool: 'something else' }]
    expect(report(judge([buildCall('c', { tool: 'codex', sessionId: 'root' })], entries))).toBe(
      'session id codex:root',
    )
  })
})

describe('by text', () => {
  const call = (texts: RecordedCall['texts'], changes: Partial<RecordedCall> = {}) =>
    buildCall('c', { texts, ...changes })

  test('a prompt that one session has', () => {
    expect(report(judge([call(say([plot]))], [buildEntry({ prompt: plot })]))).toBe('text texts gemini:s')
  })

  test('the result of a tool, and an answer', () => {
    expect(report(judge([call(say([], [table]))], [buildEntry({ results: [table] })]))).toBe(
      'text texts gemini:s',
    )
    expect(report(judge([call(say([], [], plot))], [buildEntry({ answer: plot })]))).toBe(
      'text texts gemini:s',
    )
  })

  test('a prompt of two sessions fits both; a result decides', () => {
    const entries = [
      buildEntry({ sessionId: 'one', prompt: plot }),
      buildEntry({ sessionId: 'two', prompt: plot, results: [table] }),
    ]
    expect(report(judge([call(say([plot]))], entries))).toBe('ambiguous texts gemini:one gemini:two')
    expect(report(judge([call(say([plot], [table]))], entries))).toBe('text texts gemini:two')
  })

  test('a prompt of many sessions proves nothing by itself', () => {
    const entries = Array.from({ length: 5 }, (_, index) =>
      buildEntry({ sessionId: `${index}`, prompt: plot }),
    )
    expect(report(judge([call(say([plot]))], entries))).toBe('unexplained no_entry_fits')
  })

  test.each([
    ['another tool', buildEntry({ tool: 'claude', prompt: plot }), 'unexplained tool_without_entries'],
    ['ten minutes before', buildEntry({ at: noon - 10 * minute, prompt: plot }), 'text texts gemini:s'],
    ['longer before', buildEntry({ at: noon - 11 * minute, prompt: plot }), 'unexplained no_entry_fits'],
    ['ten minutes after', buildEntry({ at: noon + 10 * minute, prompt: plot }), 'text texts gemini:s'],
    ['a short text', buildEntry({ prompt: 'Fix the tests' }), 'probable time gemini:s'],
  ])('an entry of %s', (_, entry, expected) => {
    const texts = say([entry.prompt ?? ''])
    expect(report(judge([call(texts)], [entry]))).toBe(expected)
  })

  test('a recorder clock that is 20 s slow is corrected by entries that were sent at once', () => {
    const at = noon - 10 * minute - 10_000
    const sent = Array.from({ length: 5 }, (_, index) =>
      buildEntry({ sessionId: 'before', at: noon + index, receivedAt: noon + index + 20_000 }),
    )
    const entry = buildEntry({ at, prompt: plot })
    expect(report(judge([call(say([plot]))], [entry]))).toBe('unexplained no_entry_fits')
    expect(report(judge([call(say([plot]))], [...sent, entry]))).toBe('text texts gemini:s')
    expect(
      report(judge([call(say([plot]))], [...sent.map(other => ({ ...other, sender: 'b' })), entry])),
    ).toMatch(/^probable/)
  })
})

describe('carry on', () => {
  const first = buildCall('1', { texts: say(['Go on']) })
  const second = buildCall('2', { receivedAt: noon + minute, texts: say(['Go on'], [table]) })
  const third = buildCall('3', { receivedAt: noon + 2 * minute, texts: say(['Go on'], [table, 'x']) })
  const later = buildCall('4', { receivedAt: noon + 60 * minute, texts: say(['Go on'], [table, 'x', 'y']) })
  const entries = [buildEntry({ at: noon + minute, results: [table] }), buildEntry({ sessionId: 'other' })]

  test('calls that continue a joined call, and calls that it continues', () => {
    const judged = judge([later, third, second, first], entries)
    expect(report(judged, '1')).toBe('text conversation gemini:s')
    expect(report(judged, '2')).toBe('text texts gemini:s')
    expect(report(judged, '4')).toBe('text conversation gemini:s')
  })

  test('another key, another history, or a short text long before', () => {
    const stranger = { ...third, callId: '5', keyHash: 'another' }
    expect(report(judge([second, { ...stranger, receivedAt: noon + 60 * minute }], entries), '5')).toMatch(
      /^unexplained/,
    )
    const split = buildCall('5', { receivedAt: noon + 60 * minute, texts: say(['Go on'], ['q', 'x']) })
    expect(report(judge([second, split], entries), '5')).toMatch(/^unexplained/)
    const early = buildCall('5', { receivedAt: noon - 60 * minute, texts: say(['Go on']) })
    expect(report(judge([second, early], [...entries, buildEntry({ at: noon - 90 * minute })]), '5')).toMatch(
      /^(probable|unexplained)/,
    )
  })

  test('a history without its oldest texts', () => {
    const results = Array.from({ length: 40 }, (_, index) => `result ${index}`)
    const before = buildCall('1', { texts: say([], [table, ...results.slice(0, 31)]) })
    const after = buildCall('2', {
      receivedAt: noon + 60 * minute,
      texts: say([], [...results.slice(0, 31), 'z']),
    })
    const log = [buildEntry({ results: [table, ...results.slice(0, 31).map(long)] })]
    expect(report(judge([before, after], log), '2')).not.toMatch(/^text/)
    const known = long('result that is known')
    const fore = buildCall('1', { texts: say([], ['a', ...results.slice(0, 30), known]) })
    const aft = buildCall('2', {
      receivedAt: noon + 60 * minute,
      texts: say([], [...results.slice(0, 30), known, 'z']),
    })
    expect(report(judge([fore, aft], [buildEntry({ results: [known] })]), '2')).toBe(
      'text conversation gemini:s',
    )
  })
})

describe('calls that are not joined', () => {
  const session = [buildEntry({ at: noon - minute }), buildEntry({ at: noon + minute })]

  test.each<[string, Partial<RecordedCall>, EntryFacts[], string]>([
    ['one session at that time', {}, session, 'probable time gemini:s'],
    [
      'two sessions at that time',
      {},
      [...session, ...session.map(entry => ({ ...entry, sessionId: 't' }))],
      'unexplained no_entry_fits',
    ],
    ['just before a session', { receivedAt: noon - 3 * minute }, session, 'probable time gemini:s'],
    ['just after a session', { receivedAt: noon + 6 * minute }, session, 'probable time gemini:s'],
    ['later', { receivedAt: noon + 7 * minute }, session, 'unexplained no_entry_fits'],
    ['before the first entry', { receivedAt: noon - 4 * minute }, session, 'before_setup before_first_entry'],
    ['no entries of the tool', { tool: 'claude' }, session, 'unexplained tool_without_entries'],
    ['a small call', { units: { inputText: 5000, outputText: 63 } }, session, 'side small_call'],
    [
      'a short answer in a tool loop',
      { units: { outputText: 10 }, texts: say([], ['x']) },
      session,
      'probable time gemini:s',
    ],
    [
      'a short answer to a large prompt',
      { units: { inputText: 9000, outputText: 10 } },
      session,
      'probable time gemini:s',
    ],
    ['an SDK', { tool: null }, session, 'app not_an_agent'],
    ['an agent that is not recorded', { tool: 'opencode' }, session, 'app not_an_agent'],
    ['a refused call', { outcome: 'refused' }, session, 'none'],
    ['a repeated answer', { outcome: 'replayed' }, session, 'none'],
    ['a call that used nothing', { outcome: 'failed', cost: 0, units: {} }, session, 'none'],
  ])('%s', (_, changes, entries, expected) => {
    expect(report(judge([buildCall('c', changes)], entries))).toBe(expected)
  })

  test('small calls of one session are measured together', () => {
    const step = (callId: string, sessionId: string) =>
      buildCall(callId, { tool: 'codex', sessionId, units: { inputText: 5000, outputText: 20 } })
    const others = [buildEntry({ tool: 'codex', sessionId: 'other' })]
    const judged = judge([step('1', 'loop'), step('2', 'loop'), step('3', 'probe')], others)
    expect(report(judged, '1')).toBe('unexplained session_without_entries')
    expect(report(judged, '2')).toBe('unexplained session_without_entries')
    expect(report(judged, '3')).toBe('side small_call')
  })

  test('is pending until its entries must have arrived', () => {
    const call = buildCall('c', { endedAt: noon + 5000 })
    const pushed = buildEntry({ at: noon - 2 * day, receivedAt: noon + 60 * minute })
    const reported = (now: number, entries: EntryFacts[], closedAt: number | null = null) =>
      report(judge([call], entries, { now, closedAt })).split(' ')[0]
    expect(reported(noon + 69 * minute, [pushed])).toBe('pending')
    expect(reported(noon + 70 * minute, [pushed])).toBe('unexplained')
    // Entries of others, and those that arrived before, prove nothing.
    expect(reported(noon + 23 * 60 * minute, [{ ...pushed, tool: 'claude' }])).toBe('pending')
    expect(reported(noon + 23 * 60 * minute, [{ ...pushed, receivedAt: noon }])).toBe('pending')
    expect(reported(noon + 5000 + day, [])).toBe('unexplained')
    // A closed board accepts no more entries.
    expect(reported(noon + 9 * minute, [], noon - day)).toBe('pending')
    expect(reported(noon + 11 * minute, [], noon - day)).toBe('unexplained')
  })

  test('is pending until entries from its own address have arrived, where these are known', () => {
    const call = buildCall('c', { address: '10.0.0.1', endedAt: noon + 5000 })
    const before = buildEntry({ at: noon - 2 * day, receivedAt: noon - day, address: '10.0.0.1' })
    const other = buildEntry({ at: noon - 2 * day, receivedAt: noon + minute, address: '10.0.0.2' })
    const now = noon + 60 * minute
    expect(report(judge([call], [other], { now }))).toMatch(/^unexplained/)
    expect(report(judge([call], [before, other], { now }))).toMatch(/^pending/)
  })
})

describe('for any calls and entries', () => {
  const word = fc.constantFrom('Go on', ...Array.from('abcdef', letter => long(`The text ${letter}`)))
  const call = fc.record({
    keyHash: fc.constantFrom('k1', 'k2'),
    tool: fc.constantFrom('gemini', 'claude', null),
    sessionId: fc.constantFrom(null, null, 's1', 's2', 'x'),
    receivedAt: fc.integer({ min: 0, max: 40 }).map(minutes => noon + minutes * minute),
    texts: fc
      .tuple(fc.array(word, { maxLength: 3 }), fc.array(word, { maxLength: 3 }))
      .map(([prompts, results]) => say(prompts, results)),
  })
  const calls = fc
    .array(call, { maxLength: 12 })
    .map(list => list.map((changes, index) => buildCall(`c${index}`, changes)))
  const entry = fc
    .record({
      at: fc.integer({ min: -10, max: 50 }).map(minutes => noon + minutes * minute),
      tool: fc.constantFrom('gemini', 'claude', 'mine'),
      sessionId: fc.constantFrom('s1', 's2', 's3'),
      prompt: fc.option(word),
      results: fc.array(word, { maxLength: 2 }),
    })
    .map(changes => buildEntry(changes))
  const entries = fc.array(entry, { maxLength: 12 })
  const describeAll = (judged: ReturnType<typeof judge>) =>
    judged.map(({ call: { callId } }) => report(judged, callId))
  const byCallId = (judged: ReturnType<typeof judge>) =>
    [...judged].sort((left, right) => (left.call.callId < right.call.callId ? -1 : 1))
  const covered = new Set(['session', 'text', 'ambiguous'])

  test('their order changes nothing', () => {
    fc.assert(
      fc.property(calls, entries, fc.integer(), (someCalls, someEntries, seed) => {
        const shuffle = <Item>(list: readonly Item[]): Item[] =>
          list
            .map((item, index) => [Math.sin(seed + index * 7919), item] as const)
            .sort(([left], [right]) => left - right)
            .map(([, item]) => item)
        const straight = byCallId(judge(someCalls, someEntries))
        const mixed = byCallId(judge(shuffle(someCalls), shuffle(someEntries)))
        expect(describeAll(mixed)).toEqual(describeAll(straight))
      }),
      { numRuns: 500 },
    )
  })

  test('each call has one class, and no other tool’s session', () => {
    fc.assert(
      fc.property(calls, entries, (someCalls, someEntries) => {
        const judged = judge(someCalls, someEntries)
        expect(judged.map(({ call: { callId } }) => callId)).toEqual(someCalls.map(({ callId }) => callId))
        for (const {
          call: { tool },
          sessions,
        } of judged)
          for (const key of sessions) expect([`${tool}:`, ':']).toContain(key.replace(/[^:]*$/, ''))
      }),
      { numRuns: 300 },
    )
  })

  test('a covered call stays covered when an unrelated session is added', () => {
    fc.assert(
      fc.property(calls, entries, (someCalls, someEntries) => {
        const stranger = buildEntry({ sessionId: 'stranger', prompt: long('Nobody else said this') })
        const before = judge(someCalls, someEntries)
        const after = judge(someCalls, [...someEntries, stranger])
        for (const [index, { class: name }] of before.entries())
          if (covered.has(name)) expect(covered.has(after[index]?.class ?? '')).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  test('a call joined by its session stays joined by it when calls and entries are added', () => {
    fc.assert(
      fc.property(calls, entries, entries, (someCalls, someEntries, more) => {
        const before = judge(someCalls, someEntries)
        const after = judge(someCalls, [...someEntries, ...more])
        for (const [index, { class: name }] of before.entries())
          if (name === 'session') expect(after[index]?.class).toBe('session')
      }),
      { numRuns: 300 },
    )
  })
})
