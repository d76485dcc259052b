// Conditions link to the screen that can fix them.
import { expect, test } from 'bun:test'
import { whereToAct } from './where-to-act.ts'

const team = { kind: 'team', id: 'red', name: 'Red' } as const

test.each([
  ['budget_spent', [team], 'Grant…', '/console/teams/red?do=grant'],
  ['budget_runs_dry', [team], 'Grant…', '/console/teams/red?do=grant'],
  ['refused_often', [team], 'Calls', '/console/calls?team=red&outcome=refused'],
  ['log_uncovered', [team], 'Evidence', '/console/teams/red/evidence'],
  ['board_locked', [team], 'Open', '/console/teams/red'],
  ['recorder_silent', [team], 'Open', '/console/teams/red'],
  ['upstream_key_out', [{ kind: 'upstream_key', id: 'k', name: 'k' }], 'Upstreams', '/console/models'],
  ['event_cap_forecast', [{ kind: 'event', id: 'event', name: 'event' }], 'Spend', '/console/spend'],
  ['event_cap_low', [{ kind: 'event', id: 'event', name: 'event' }], 'Spend', '/console/spend'],
] as const)('%s', (kind, subjects, label, href) => {
  expect(whereToAct({ kind, subjects: [...subjects] })).toEqual({ label, href })
})

test('no screen fixes a full disk', () => {
  expect(
    whereToAct({ kind: 'disk_short', subjects: [{ kind: 'server', id: 'server', name: 'server' }] }),
  ).toBeNull()
})
