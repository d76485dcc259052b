// A team's state and lights: how much the log explains, and effects of the organisers' own actions.
import { expect, test } from 'bun:test'
import { buildTeamRow, type TeamFacts } from './team-rows.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const facts: TeamFacts = {
  now,
  teamId: 'red',
  alias: 'Red',
  isBlocked: false,
  keys: { usable: 1, blocked: 0, all: 1 },
  people: 1,
  isGatewayOpen: true,
  logOpenSince: 0,
  granted: 0,
  uncharged: 0,
  budget: null,
  spent: 0,
  held: 0,
  periodStart: 0,
  periodEnd: null,
  calls: 0,
  lastCallAt: null,
  lastEntryAt: null,
  entries: 0,
  coverage: null,
  buckets: [],
}
const logLight = (changes: Partial<TeamFacts>) => buildTeamRow({ ...facts, ...changes }).lights.log
const logged = { entries: 2, lastEntryAt: now - 1000 }
const since = '2026-11-21T11:59:59.000Z'

test.each<[string, Partial<TeamFacts>, object]>([
  ['nothing has arrived', {}, { s: 'none', since: null, text: 'No log entry yet.' }],
  ['it is not known yet', logged, { s: 'none', since, text: '2 log entries have arrived.' }],
  [
    'only the recorder test has arrived',
    { ...logged, coverage: { share: null, hasToolEntry: false, asOf: now } },
    {
      s: 'warn',
      since,
      text: "Only the recorder's own test has arrived. Use one of your AI tools, then push.",
    },
  ],
  [
    'there is too little to judge',
    { ...logged, entries: 1, coverage: { share: null, hasToolEntry: true, asOf: now } },
    { s: 'ok', since, text: '1 log entry has arrived.' },
  ],
  [
    'enough is explained',
    { ...logged, coverage: { share: 0.6, hasToolEntry: true, asOf: now } },
    { s: 'ok', since, text: '2 log entries have arrived. The log explains 60 % of the spend.' },
  ],
  [
    'too little is explained',
    { ...logged, coverage: { share: 0.5999, hasToolEntry: true, asOf: now } },
    { s: 'warn', since, text: '2 log entries have arrived. The log explains 59 % of the spend.' },
  ],
])('%s', (_, changes, light) => {
  expect(logLight(changes)).toEqual(light as ReturnType<typeof logLight>)
})

// Before, a pause of 45 seconds flagged 13 teams, and a locked board was a silent recorder.
test.each<[string, Partial<TeamFacts>, string]>([
  ['many refusals of its own', { buckets: [bucket({ refused: 30 })] }, 'refused_now'],
  ['many refusals by a pause', { buckets: [bucket({ refused: 30, refusedByEvent: 30 })] }, 'working'],
  ['calls without entries', { buckets: [bucket({ calls: 30 })] }, 'recorder_silent'],
  ['the same, its board locked', { buckets: [bucket({ calls: 30 })], logOpenSince: null }, 'working'],
  ['the same, its board just unlocked', { buckets: [bucket({ calls: 30 })], logOpenSince: now }, 'working'],
  ['the same, the gateway closed', { buckets: [bucket({ calls: 30 })], isGatewayOpen: false }, 'working'],
])('%s', (_, changes, state) => {
  const row = buildTeamRow({ ...facts, lastCallAt: now - 1000, ...changes })
  expect(row.state).toBe(state as typeof row.state)
})

function bucket(counts: Partial<TeamFacts['buckets'][number]>) {
  return { start: now - (now % 300_000), cost: 0, calls: 0, refused: 0, refusedByEvent: 0, ...counts }
}
