// Teams and keys that name models which no longer exist: reported by owner and by list.
import { expect, test } from 'bun:test'
import { nanoDollars } from '../ledger/money.ts'
import { buildKey, buildTeam } from '../limits/testing/build-parties.ts'
import { findMissingModels } from './find-missing-models.ts'

const find = (team: Parameters<typeof buildTeam>[0], key: Parameters<typeof buildKey>[0] = {}) =>
  findMissingModels(
    { teams: () => [buildTeam(team)], keys: () => [buildKey(key)] },
    id => id === 'known',
    name => name === 'known' || name === 'nickname',
  )

test('known names, the word for all, and empty lists are not reported', () => {
  const limits = new Map([['known', 5]])
  expect(
    find(
      { models: ['known'], modelRpmLimit: limits },
      { models: ['all-team-models'], aliases: new Map([['mine', 'nickname']]) },
    ),
  ).toEqual([])
})

test('each list that names a removed model is reported on its own', () => {
  const gone = new Map([['gone', 5]])
  const found = find(
    { models: ['known', 'gone', 'nickname'], modelTpmLimit: gone },
    { aliases: new Map([['mine', 'gone']]), modelMaxBudget: new Map([['gone', nanoDollars(1)]]) },
  )
  const owner = { team_id: 'team-1', key: null }
  const key = { team_id: 'team-1', key: 'key-1' }
  expect(found).toEqual([
    // A list contains canonical ids: a model that has become a mere alias allows nothing either.
    { ...owner, member: 'models', models: ['gone', 'nickname'] },
    { ...owner, member: 'model_tpm_limit', models: ['gone'] },
    { ...key, member: 'aliases', models: ['gone'] },
    { ...key, member: 'model_max_budget', models: ['gone'] },
  ])
})
