// Tests what needs an organiser and what does not: a table of figures and the resulting conditions.
import { describe, expect, test } from 'bun:test'
import { nanoDollars } from '../../ledger/money.ts'
import { type AttentionFacts, findConditions } from './find-conditions.ts'
import { silenceMs, type TeamFacts } from './find-team-conditions.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const usd = (amount: number) => nanoDollars(amount * 1e9)
const calm: AttentionFacts = {
  now,
  teams: [],
  event: null,
  forecast: null,
  submissions: null,
  timeZone: 'Asia/Seoul',
  isGatewayOpen: true,
  openPhase: 'contest',
  upstreams: [],
  disk: { freeBytes: 5000, warnBelowBytes: 5000 },
  ledger: { reason: null, unwritten: 0 },
  wrongTotals: 0,
  knownSince: new Map(),
}
const team: TeamFacts = {
  teamId: 'red',
  name: 'Red Pandas',
  isBlocked: false,
  spent: usd(0),
  periodStart: 7,
  budget: usd(25),
  dryAt: null,
  recentCalls: 0,
  lately: { calls: 0, refused: 0, worst: null },
  lastEntryAt: null,
  isBoardLocked: false,
  logOpenSince: 0,
  explained: null,
  uncharged: nanoDollars(0),
  questions: { waiting: 0, since: null },
}
const vendor = { upstream: 'vendor', keys: [], failing: null, recentTries: { tries: 0, failed: 0 } }
const find = (facts: Partial<AttentionFacts>) => findConditions({ ...calm, ...facts })
const findTeam = (facts: Partial<TeamFacts>) => find({ teams: [{ ...team, ...facts }] })
const idsOf = (facts: Partial<AttentionFacts>) => find(facts).map(({ id }) => id)

test('no conditions if nothing needs attention', () => {
  expect(find({ teams: [team], event: { spent: usd(1), cap: usd(900) } })).toEqual([])
})

describe('the budget of a team', () => {
  test.each([
    [19.99, null],
    [20, 'budget_low'],
    [24.8, 'budget_low'],
    [24.9, 'budget_spent'],
    [25, 'budget_spent'],
    [26, 'budget_spent'],
  ])('%d of 25 USD: %p', (spent, kind) => {
    expect(findTeam({ spent: usd(spent) }).map(found => found.kind)).toEqual(
      kind === null ? [] : [kind as 'budget_low'],
    )
  })

  test('says how much, and what to do', () => {
    expect(findTeam({ spent: usd(20.75) })).toEqual([
      {
        id: 'budget_low:red:7',
        kind: 'budget_low',
        severity: 'warning',
        subjects: [{ kind: 'team', id: 'red', name: 'Red Pandas' }],
        text: 'Red Pandas has spent 83 % of its budget ($20.75 of $25).',
        since: now,
        action: { text: 'Grant', command: 'fairgate grant red <usd> --reason <text>' },
      },
    ])
  })

  test('shows spend to the cent, never as less than it is', () => {
    const textOf = (spent: number) => findTeam({ spent: nanoDollars(spent) })[0]?.text
    expect(textOf(20_750_000_001)).toContain('($20.76 of $25)')
    expect(textOf(Number.MAX_SAFE_INTEGER)).toContain('($9007199.254740991 of $25)')
  })

  test('a new period is another condition', () => {
    const [first, second] = [7, 8].map(periodStart => findTeam({ spent: usd(25), periodStart })[0]?.id)
    expect(first).not.toBe(second)
  })

  test.each([
    ['blocked', { isBlocked: true }],
    ['without a budget', { budget: null }],
    ['with a budget of zero', { budget: usd(0) }],
  ])('a team %s is not reported', (_name, facts) => {
    expect(findTeam({ spent: usd(25), ...facts })).toEqual([])
  })
})

test.each([
  [719, []],
  [720, ['event_cap_low']],
  [900, ['event_cap_spent']],
])('%d of a cap of 900 USD', (spent, expected) => {
  expect(idsOf({ event: { spent: usd(spent), cap: usd(900) } })).toEqual(expected)
})

describe('upstreams', () => {
  const key = (id: string, fault: 'refused' | 'exhausted' | 'busy' | null) => ({ id, name: `..${id}`, fault })
  test.each([
    ['all keys work', [key('a', null)], []],
    ['one is busy for a moment', [key('a', 'busy'), key('b', null)], []],
    ['one is refused', [key('a', 'refused'), key('b', null)], ['upstream_key_out:vendor:a']],
    ['one is used up, one is busy', [key('a', 'exhausted'), key('b', 'busy')], ['upstream_key_out:vendor:a']],
    ['all are out', [key('a', 'refused'), key('b', 'exhausted')], ['upstream_out:vendor']],
    ['the upstream needs no key', [], []],
  ])('%s', (_name, keys, expected) => {
    expect(idsOf({ upstreams: [{ ...vendor, keys }] })).toEqual(expected)
  })

  test.each([
    [0, 0, null],
    [19, 19, null],
    [20, 1, null],
    [20, 2, '10 %'],
    [200, 10, null],
    [200, 11, '5 %'],
  ])('of %d tries %d have failed: %p', (tries, failed, share) => {
    const texts = find({ upstreams: [{ ...vendor, recentTries: { tries, failed } }] }).map(({ text }) => text)
    const reported = `${share} of the attempts at the upstream vendor have failed in the last five minutes.`
    expect(texts).toEqual(share === null ? [] : [reported])
  })

  test('failed tries are reported next to a key that is out, but not for an upstream that is down', () => {
    const recentTries = { tries: 100, failed: 50 }
    const keys = [key('a', 'refused'), key('b', null)]
    expect(idsOf({ upstreams: [{ ...vendor, keys, recentTries }] })).toEqual([
      'upstream_errors:vendor',
      'upstream_key_out:vendor:a',
    ])
    const failing = { since: now - 60_000, code: 'upstream_error' }
    expect(idsOf({ upstreams: [{ ...vendor, failing, recentTries }] })).toEqual(['upstream_out:vendor'])
  })
})

test.each([
  [59_999, []],
  [60_000, ['upstream_out:vendor']],
])('an upstream with calls failing for %d ms', (ms, expected) => {
  const failing = { since: now - ms, code: 'upstream_error' }
  expect(idsOf({ upstreams: [{ ...vendor, failing }] })).toEqual(expected)
})

test('disk, ledger and totals', () => {
  expect(idsOf({ disk: { freeBytes: 4999, warnBelowBytes: 5000 } })).toEqual(['disk_short'])
  expect(idsOf({ disk: null })).toEqual([])
  const [found] = find({ ledger: { reason: 'database_full', unwritten: 1 } })
  expect(found?.text).toBe(
    'Charges cannot be written (database_full), so paid calls are refused; 1 charge waits to be written.',
  )
  expect(idsOf({ wrongTotals: 2 })).toEqual(['totals_wrong'])
})

describe('the recorder of a team', () => {
  test.each([
    ['a few calls', { recentCalls: 4 }, false],
    ['calls and no entry ever', { recentCalls: 5 }, true],
    ['calls and an old entry', { recentCalls: 5, lastEntryAt: now - silenceMs }, true],
    ['calls and a recent entry', { recentCalls: 50, lastEntryAt: now - silenceMs + 1 }, false],
    ['no calls', { lastEntryAt: now - 10 * silenceMs }, false],
    ['a board that is locked', { recentCalls: 50, logOpenSince: null }, false],
    ['a board that has been open for a moment', { recentCalls: 50, logOpenSince: now - 1000 }, false],
  ])('%s', (_name, facts, isSilent) => {
    expect(findTeam(facts).map(({ id }) => id)).toEqual(isSilent ? ['recorder_silent:red'] : [])
  })
})

// Before, the end of a phase flagged 48 recorders.
test('no recorder is silent while the gateway is paused or closed', () => {
  expect(idsOf({ isGatewayOpen: false, teams: [{ ...team, recentCalls: 50 }] })).toEqual([])
})

describe('a budget that will not last', () => {
  const dryAt = now + 30 * 60_000
  test('shows the hour in the zone of the event, and what to do', () => {
    expect(findTeam({ dryAt, spent: usd(10) })).toEqual([
      {
        id: 'budget_runs_dry:red:7',
        kind: 'budget_runs_dry',
        severity: 'warning',
        subjects: [{ kind: 'team', id: 'red', name: 'Red Pandas' }],
        text: 'Red Pandas will have spent its budget at 21:30 (Asia/Seoul), at the pace of the last hour.',
        since: now,
        action: { text: 'Grant', command: 'fairgate grant red <usd> --reason <text>' },
      },
    ])
  })
  test('shows the day if it is not today', () => {
    expect(findTeam({ dryAt: dryAt + 3 * 3_600_000 })[0]?.text).toContain('at 2026-11-22 00:30 (Asia/Seoul)')
  })
  test.each([
    ['the budget itself is low', { spent: usd(20) }, ['budget_low:red:7']],
    ['the team is blocked', { isBlocked: true }, []],
    ['the period has just begun', { periodStart: now - 15 * 60_000 + 1 }, []],
    [
      'the period is a quarter of an hour old',
      { periodStart: now - 900_000 },
      [`budget_runs_dry:red:${now - 900_000}`],
    ],
  ])('%s', (_name, facts, expected) => {
    expect(findTeam({ dryAt, ...facts }).map(({ id }) => id)).toEqual(expected)
  })
  test('not while the gateway is closed', () => {
    expect(find({ isGatewayOpen: false, teams: [{ ...team, dryAt }] })).toEqual([])
  })
})

describe('refusals', () => {
  const lately = (calls: number, refused: number) => ({ lately: { calls, refused, worst: 'rpm_exceeded' } })
  test.each([
    ['a few', lately(10, 4), false],
    ['few of many', lately(1000, 19), false],
    ['a tenth of the calls', lately(45, 5), true],
    ['many at once', lately(1000, 20), true],
    ['of a team that is blocked', { ...lately(0, 50), isBlocked: true }, false],
    ['of a budget that is spent', { ...lately(0, 50), spent: usd(0.001), budget: usd(0.001) }, false],
  ])('%s', (_name, facts, isReported) => {
    const kinds = findTeam(facts).map(({ kind }) => kind)
    expect(kinds.includes('refused_often')).toBe(isReported)
  })
  test('say how many, by which limit, and where to look', () => {
    expect(findTeam(lately(46, 214))).toMatchObject([
      {
        text: 'Red Pandas: 214 of 260 calls were refused in the last ten minutes, most with rpm_exceeded.',
        action: { command: 'fairgate call list red --code rpm_exceeded' },
      },
    ])
  })
  test('not while the gateway is closed, which refuses all calls', () => {
    expect(find({ isGatewayOpen: false, teams: [{ ...team, ...lately(0, 50) }] })).toEqual([])
  })
})

describe('spend that the log does not explain', () => {
  const explained = (share: number, usdJudged: number) => ({
    explained: { share, judged: usd(usdJudged), covered: usd(usdJudged * share) },
  })
  test.each([
    ['nothing is known', {}, false],
    ['six tenths are explained', explained(0.6, 10), false],
    ['less, of little spend', explained(0.5, 2), false],
    ['less, of more', explained(0.5, 2.1), true],
    ['its recorder is silent now', { ...explained(0, 10), recentCalls: 5 }, false],
  ])('%s', (_name, facts, isReported) => {
    const kinds = findTeam(facts).map(({ kind }) => kind)
    expect(kinds.includes('log_uncovered')).toBe(isReported)
  })
  test('says how much', () => {
    const facts = { explained: { share: 0.419, judged: usd(8.5), covered: usd(3.5) } }
    expect(findTeam(facts)[0]?.text).toBe('The log of Red Pandas explains 41 % of $8.5.')
  })
})

test('a manually locked board is reported only while a phase is running', () => {
  const locked = [{ ...team, isBoardLocked: true }]
  expect(find({ teams: locked })).toMatchObject([
    {
      id: 'board_locked:red',
      text: 'The board of Red Pandas is locked while the phase contest is running, so its log entries are refused.',
    },
  ])
  expect(find({ teams: locked, openPhase: null })).toEqual([])
  expect(findTeam({ isBoardLocked: true, isBlocked: true })).toEqual([])
})

describe('the event at its current pace', () => {
  const until = Date.parse('2026-11-21T09:00:00Z')
  const event = { spent: usd(500), cap: usd(900) }
  test.each([
    ['ends below its cap', event, usd(900), []],
    ['ends above it', event, usd(900.01), ['event_cap_forecast']],
    ['is near its cap already', { ...event, spent: usd(720) }, usd(1000), ['event_cap_low']],
    ['has no cap', null, usd(1000), []],
  ])('%s', (_name, own, spent, expected) => {
    expect(idsOf({ event: own, forecast: { spent, until } })).toEqual(expected)
  })
  test('says how much, and by when', () => {
    expect(find({ event, forecast: { spent: usd(950.001), until } })[0]?.text).toBe(
      'At the current pace the event will have spent $950.01 by 18:00 (Asia/Seoul), more than its cap ($900).',
    )
  })
})

test('the most severe come first, then those that have lasted longest', () => {
  const found = find({
    wrongTotals: 1,
    teams: ['a', 'b', 'c'].map(teamId => ({ ...team, teamId, spent: usd(teamId === 'c' ? 25 : 20) })),
    knownSince: new Map([['budget_low:b:7', now - 60_000]]),
  })
  expect(found.map(({ id }) => id)).toEqual([
    'totals_wrong',
    'budget_spent:c:7',
    'budget_low:b:7',
    'budget_low:a:7',
  ])
  expect(found.find(({ id }) => id === 'budget_low:b:7')?.since).toBe(now - 60_000)
})

test('a question that has waited for ten minutes, with the number of questions', () => {
  const asked = (minutes: number) => ({ questions: { waiting: 2, since: now - minutes * 60_000 } })
  expect(findTeam(asked(9))).toEqual([])
  expect(findTeam(asked(10))).toMatchObject([
    {
      id: 'question_waiting:red',
      severity: 'warning',
      text: 'Red Pandas has waited for an answer for more than ten minutes (2 questions).',
    },
  ])
})

describe('submissions', () => {
  const submissions = { deadline: now + 30 * 60_000, missing: 14, teams: 60, isLateAccepted: true }
  test('teams that have not handed in are one condition, which lasts beyond the deadline', () => {
    expect(find({ submissions })).toEqual([
      {
        id: `submissions_missing:${submissions.deadline}`,
        kind: 'submissions_missing',
        severity: 'warning',
        subjects: [{ kind: 'event', id: 'event', name: 'the event' }],
        text: '14 of 60 teams have not handed in. The deadline is at 21:30 (Asia/Seoul).',
        since: now,
        action: { text: 'List them, then announce', command: 'fairgate submission list --state missing' },
      },
    ])
    const after = { ...submissions, deadline: now, missing: 1 }
    expect(find({ submissions: after })[0]?.text).toBe(
      '1 of 60 teams has not handed in. The deadline was at 21:00 (Asia/Seoul), and late submissions are accepted.',
    )
    expect(find({ submissions: { ...after, isLateAccepted: false } })[0]?.text).toEndWith(
      '21:00 (Asia/Seoul).',
    )
  })
  test('all have handed in', () => {
    expect(idsOf({ submissions: { ...submissions, missing: 0 } })).toEqual([])
  })
})
