// Sessions worth reading: what is picked, why, and that anybody can repeat it.
import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { type PickableSession, pickSessions } from './pick-sessions.ts'

const minute = 60_000

function build(id: string, changes: Partial<PickableSession> = {}): PickableSession {
  const tool = changes.tool === undefined ? 'codex' : changes.tool
  return {
    ...{ id, tool, key: `${tool ?? ''}:${id}`, entries: 20, prompts: 3, toolCalls: 12, failures: 1 },
    ...{ cost: 100_000_000, activeMs: 10 * minute },
    ...changes,
  }
}

/** Like all others. */
const usual = (tool: string | null = 'codex', length = 12) =>
  Array.from({ length }, (_, n) => build(`${tool} ${n}`, { tool }))

function pick(sessions: readonly PickableSession[], compared = sessions, seed = 'seed') {
  return pickSessions({ seed, teamId: 'red', sessions, compared })
}

const show = (picks: ReturnType<typeof pick>) => picks.map(({ session, why }) => `${why} ${session.id}`)

test('two dearest, two longest, two unusual, and one by chance, each only once', () => {
  const special = [
    build('dear', { cost: 9e9, activeMs: 500 * minute }),
    build('dear too', { cost: 8e9 }),
    build('long', { activeMs: 100 * minute }),
    build('long too', { activeMs: 90 * minute }),
    build('talk', { prompts: 41, toolCalls: 0 }),
    build('broken', { toolCalls: 40, failures: 30 }),
  ]
  const picks = pick([...special, ...usual()])
  expect(show(picks).slice(0, 6)).toEqual([
    ...['dearest dear', 'dearest dear too', 'longest long', 'longest long too'],
    ...['surprising talk', 'surprising broken'],
  ])
  expect(picks[6]?.why).toBe('chance')
  expect(picks.map(({ sentence }) => sentence)).toEqual([
    "It cost $9.00: the dearest of the team's 18 sessions.",
    "It cost $8.00: number 2 of the dearest of the team's 18 sessions.",
    "Active for 1 h 40 min: number 2 of the longest of the team's 18 sessions.",
    "Active for 1 h 30 min: number 3 of the longest of the team's 18 sessions.",
    '41 prompts; half of the sessions with Codex have 3 or fewer.',
    '30 of 40 tool calls failed; half of the sessions with Codex have 8 % or fewer.',
    'Drawn by chance from the 12 sessions that are left.',
  ])
})

describe('the sentence about an unusual session', () => {
  test.each<[Partial<PickableSession>, string]>([
    [
      { prompts: 5, toolCalls: 0, cost: 150_000_000 },
      '5 prompts without a single tool call; half of the sessions with Codex have 4 for each prompt or more.',
    ],
    [
      { prompts: 3, toolCalls: 96, failures: 8 },
      '32 tool calls for each of 3 prompts; half of the sessions with Codex have 4 for each prompt or fewer.',
    ],
    [
      { cost: 6_000_000_000 },
      '$2.00 for each of 3 prompts; half of the sessions with Codex cost $0.033 for each prompt or less.',
    ],
    [{ prompts: 0, toolCalls: 0 }, '0 prompts; half of the sessions with Codex have 3 or more.'],
  ])('%j', (changes, sentence) => {
    // The first two are picked for other reasons.
    const decoys = ['a', 'b'].map(id =>
      build(id, { cost: 9e9, activeMs: 99 * minute, prompts: 300, toolCalls: 1200, failures: 100 }),
    )
    const longer = ['c', 'd'].map(id => build(id, { activeMs: 80 * minute }))
    const picks = pick([...decoys, ...longer, build('x', changes)], [...usual(), build('x', changes)])
    expect(picks.find(({ session }) => session.id === 'x')).toMatchObject({ why: 'surprising', sentence })
  })

  test('says "none" for a median of nothing', () => {
    const talk = Array.from({ length: 12 }, (_, n) => build(`${n}`, { toolCalls: 0 }))
    const own = [...talk, build('x', { toolCalls: 30, failures: 0 })]
    const [first] = pick(own).filter(({ why }) => why === 'surprising')
    expect(first?.sentence).toBe(
      '10 tool calls for each of 3 prompts; half of the sessions with Codex have none.',
    )
  })

  test('names all sessions if too few have the same tool', () => {
    const own = [...usual('codex', 4), build('x', { tool: 'pi', prompts: 60, toolCalls: 240 })]
    const [first] = pick(own, [...own, ...usual('claude')]).filter(({ why }) => why === 'surprising')
    expect(first?.sentence).toBe('60 prompts; half of all sessions have 3 or fewer.')
  })

  test('nothing is unusual if there is too little to compare with, or all are alike', () => {
    expect(show(pick([build('x', { prompts: 60 })]))).toEqual(['dearest x'])
    expect(show(pick(usual())).filter(name => name.startsWith('surprising'))).toEqual([])
  })
})

test('a team with few sessions has fewer picks, and empty ones are none', () => {
  expect(pick([])).toEqual([])
  expect(pick([build('x', { entries: 0, cost: 0 })])).toEqual([])
  expect(show(pick([build('a'), build('b'), build('c')]))).toEqual(['dearest a', 'dearest b', 'longest c'])
})

// Shown to fail on a build that drew by the place in the list.
test('the draw follows from seed, team and sessions, and anybody can repeat it', () => {
  const sessions = usual('codex', 40)
  const digest = (seed: string, id: string) =>
    createHash('sha256').update(`${seed}\nred\ncodex\n${id}`).digest('hex')
  for (const seed of ['4 2 6 1', 'x']) {
    const picks = pick(sessions, sessions, seed)
    const others = sessions.filter(
      ({ id }) => !picks.some(({ session, why }) => session.id === id && why !== 'chance'),
    )
    const [lowest] = others.toSorted((a, b) => (digest(seed, a.id) < digest(seed, b.id) ? -1 : 1))
    expect(picks.at(-1)).toMatchObject({ why: 'chance', session: { id: lowest?.id ?? '' } })
  }
})

const anySession = fc.record({
  id: fc.string({ maxLength: 3 }),
  tool: fc.constantFrom('codex', 'claude', null),
  entries: fc.nat(50),
  prompts: fc.nat(50),
  toolCalls: fc.nat(200),
  failures: fc.nat(200),
  cost: fc.nat(2_000_000_000),
  activeMs: fc.nat(9_000_000),
})

test('the order of the sessions changes nothing', () => {
  const list = fc.uniqueArray(anySession, { maxLength: 30, selector: ({ id, tool }) => `${tool}:${id}` })
  fc.assert(
    fc.property(list, found => {
      const sessions = found.map(({ id, ...rest }) => build(id, rest))
      const turned = sessions.toReversed()
      expect(pick(turned)).toEqual(pick(sessions))
      const keys = pick(sessions).map(({ session }) => session.key)
      expect(new Set(keys).size).toBe(keys.length)
    }),
  )
})
