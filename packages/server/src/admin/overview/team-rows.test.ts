// The light of a team's log: by what has arrived, and by how much of the spend it explains as far as that is known.
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
  isBoardLocked: false,
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
  ['nothing has come', {}, { s: 'none', since: null, text: 'No log entry yet.' }],
  ['it is not known yet', logged, { s: 'ok', since, text: '2 log entries have arrived.' }],
  [
    'there is too little to judge',
    { ...logged, entries: 1, coverage: { share: null, asOf: now } },
    { s: 'ok', since, text: '1 log entry has arrived.' },
  ],
  [
    'enough is explained',
    { ...logged, coverage: { share: 0.6, asOf: now } },
    { s: 'ok', since, text: '2 log entries have arrived. The log explains 60 % of the spend.' },
  ],
  [
    'too little is explained',
    { ...logged, coverage: { share: 0.5999, asOf: now } },
    { s: 'warn', since, text: '2 log entries have arrived. The log explains 59 % of the spend.' },
  ],
])('%s', (_, changes, light) => {
  expect(logLight(changes)).toEqual(light as ReturnType<typeof logLight>)
})
