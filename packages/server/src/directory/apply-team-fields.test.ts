// What only a team has: its name and its members for information.
import { expect, test } from 'bun:test'
import { applyTeamFields, buildNewTeam } from './apply-team-fields.ts'
import { invalid, refusalOf } from './testing/refusal-of.ts'
import { resolveTestModel as resolveModel } from './testing/resolve-test-model.ts'

const change = { resolveModel, now: 1000, actor: 'admin' }

test('a new team is called by its id until it gets a name', () => {
  const team = buildNewTeam('team-1', {}, change)
  expect(team).toMatchObject({ teamId: 'team-1', alias: 'team-1', models: [], maxBudget: null })
  const named = applyTeamFields(team, { team_alias: 'The Ones' }, change)
  expect(named.alias).toBe('The Ones')
  expect(applyTeamFields(named, {}, change).alias).toBe('The Ones')
  expect(applyTeamFields(named, { team_alias: null }, change).alias).toBe('team-1')
})

test('members are kept for information', () => {
  const team = buildNewTeam(
    'team-1',
    { members_with_roles: [{ role: 'admin' }], organization_id: 'o' },
    change,
  )
  expect(team.informational).toEqual({ members_with_roles: [{ role: 'admin' }], organization_id: 'o' })
  expect(applyTeamFields(team, { members_with_roles: null }, change).informational).toEqual({
    organization_id: 'o',
  })
})

test('a team has no team whose models it could share', async () => {
  expect(await refusalOf(() => buildNewTeam('team-1', { models: ['all-team-models'] }, change))).toEqual(
    invalid('models[0]'),
  )
})
