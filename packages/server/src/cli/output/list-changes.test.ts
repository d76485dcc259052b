// Output of many changes: similar ones share a line, a few are listed in full, and no different value is silently hidden.
import { expect, test } from 'bun:test'
import type { ActionReply } from '@fairgate/contracts/management/planned-action.ts'
import { summariseChanges } from './list-changes.ts'

type Change = ActionReply['changes'][number]
const change = (what: string, subject: string, from: Change['from'], to: Change['to']): Change => ({
  what,
  subject,
  from,
  to,
  count: 1,
})
const teams = Array.from({ length: 60 }, (_, index) => `team-${String(index + 1).padStart(2, '0')}`)

test('sixty new teams and their members take one line for each kind', () => {
  const lines = summariseChanges([
    change('event.cap_nano', 'event', null, 900e9),
    change('phase', 'contest', null, 'a to b'),
    ...teams.map(team => change('team', team, null, team.toUpperCase())),
    ...teams.map(team => change('team.rpm', team, null, 30)),
    ...teams.map((team, index) => change('team.budget_nano', team, null, index < 50 ? 10e9 : 20e9)),
    ...teams.flatMap(team => [1, 2].map(seat => change('member', `${team}/${seat}`, null, `${seat}`))),
    ...teams.map(team => change('member.email', `${team}/1`, null, `one@${team}.example`)),
  ])
  expect(lines).toEqual([
    '  event.cap of event: none → 900.00 USD',
    '  phase of contest: none → a to b',
    '  60 new teams: team-01, team-02, team-03 and 57 more',
    '  team.rpm of 60 teams: none → 30 (team-01, team-02, team-03 and 57 more)',
    '  team.budget of 50 teams: none → 10.00 USD (team-01, team-02, team-03 and 47 more)',
    '  team.budget of 10 teams: none → 20.00 USD (team-51, team-52, team-53 and 7 more)',
    '  120 new members: team-01/1, team-01/2, team-02/1 and 117 more',
    '  member.email of 60 members, with different values: team-01/1, team-02/1, team-03/1 and 57 more',
    '  --verbose shows all 362 changes, one per line.',
  ])
})

test('up to 30 changes are listed in full, and exceptions among more keep their own line', () => {
  const thirty = teams.slice(0, 30).map(team => change('team.rpm', team, 10, 20))
  expect(summariseChanges(thirty)).toHaveLength(30)
  const lines = summariseChanges([
    ...teams.slice(1).map(team => change('team.blocked', team, false, true)),
    change('team.blocked', 'team-01', true, false),
  ])
  expect(lines).toEqual([
    '  team.blocked of 59 teams: false → true (team-02, team-03, team-04 and 56 more)',
    '  team.blocked of team-01: true → false',
    '  --verbose shows all 60 changes, one per line.',
  ])
})
