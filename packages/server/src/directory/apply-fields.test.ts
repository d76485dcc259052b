// Absent members stay, null removes, invalid values are refused by name; then the fields that only a team or only a key has.
import { describe, expect, test } from 'bun:test'
import type { KeyFields } from '@fairgate/contracts/management/key-bodies.ts'
import type { OwnerChanges, OwnerFields } from '@fairgate/contracts/management/owner-fields.ts'
import { nanoDollars } from '../ledger/money.ts'
import {
  applyKeyFields,
  applyOwnerFields,
  applyTeamFields,
  buildNewKey,
  buildNewTeam,
  type Change,
  emptyOwner,
  setMember,
} from './apply-fields.ts'
import { invalid, refusalOf } from './testing/refusal-of.ts'
import { resolveTestModel } from './testing/resolve-test-model.ts'

const at = (now: number, actor = 'admin'): Change => ({ resolveModel: resolveTestModel, now, actor })
const empty = emptyOwner(at(1000))
const apply = (fields: OwnerChanges, current = empty, now = 2000) =>
  applyOwnerFields(current, fields, at(now, 'other'), ['kept'])
const full = apply({
  max_budget: 12.5,
  budget_duration: '1d',
  rpm_limit: 60,
  tpm_limit: 1000,
  model_rpm_limit: { fast: 5 },
  model_tpm_limit: { 'model-2': 50 },
  models: ['fast', 'kept'],
  blocked: true,
  metadata: JSON.parse('{"note":"hello"}'),
  organization_id: 'org',
  tags: ['a'],
  guardrails: ['b'],
})

describe('applyOwnerFields', () => {
  test('a new owner has no limits, and its period starts now', () => {
    expect(empty).toMatchObject({ models: [], blocked: null, maxBudget: null, rpmLimit: null, metadata: {} })
    expect(empty).toMatchObject({ budgetDuration: null, budgetAnchor: 1000, createdBy: 'admin' })
  })

  test('every member is set', () => {
    expect(full).toEqual({
      models: ['model-1', 'kept'],
      blocked: true,
      maxBudget: nanoDollars(12_500_000_000),
      budgetDuration: '1d',
      budgetAnchor: 2000,
      rpmLimit: 60,
      tpmLimit: 1000,
      modelRpmLimit: new Map([['model-1', 5]]),
      modelTpmLimit: new Map([['model-2', 50]]),
      metadata: {
        note: 'hello',
        tags: ['a'],
        guardrails: ['b'],
        model_rpm_limit: { 'model-1': 5 },
        model_tpm_limit: { 'model-2': 50 },
      },
      informational: { organization_id: 'org' },
      createdAt: 1000,
      createdBy: 'admin',
      updatedAt: 2000,
      updatedBy: 'other',
    })
  })

  test('absent members stay as they are; only time and author of the change move', () => {
    expect(apply({}, full, 3000)).toEqual({ ...full, updatedAt: 3000 })
  })

  test('null removes each member', () => {
    const names = Object.keys({
      max_budget: 0,
      budget_duration: 0,
      rpm_limit: 0,
      tpm_limit: 0,
      model_rpm_limit: 0,
      model_tpm_limit: 0,
      models: 0,
      blocked: 0,
      metadata: 0,
      organization_id: 0,
      tags: 0,
      guardrails: 0,
    } satisfies Record<keyof OwnerFields, 0>)
    const cleared = apply(Object.fromEntries(names.map(name => [name, null])), full, 3000)
    expect(cleared).toEqual({ ...empty, budgetAnchor: 3000, updatedAt: 3000, updatedBy: 'other' })
  })

  test('zero is a limit, not "none"', () => {
    const zero = apply({ max_budget: 0, rpm_limit: 0, tpm_limit: 0, model_rpm_limit: { fast: 0 } })
    expect(zero).toMatchObject({ maxBudget: 0, rpmLimit: 0, tpmLimit: 0 })
    expect(zero.modelRpmLimit).toEqual(new Map([['model-1', 0]]))
  })

  test.each([
    [{ max_budget: -1 }, 'max_budget'],
    [{ max_budget: 1e12 }, 'max_budget'],
    [{ max_budget: Number.NaN }, 'max_budget'],
    [{ budget_duration: 'soon' }, 'budget_duration'],
    [{ budget_duration: '' }, 'budget_duration'],
    [{ models: ['fast', 'nope'] }, 'models[1]'],
    [{ model_rpm_limit: { nope: 1 } }, 'model_rpm_limit.nope'],
    [{ model_tpm_limit: { fast: 1, 'model-1': 1 } }, 'model_tpm_limit.model-1'],
    [{ metadata: { model_tpm_limit: { nope: 1 } } }, 'metadata.model_tpm_limit.nope'],
    [{ metadata: { model_rpm_limit: { fast: 1 } }, model_rpm_limit: { fast: 1 } }, 'model_rpm_limit'],
  ] satisfies [OwnerFields, string][])('%j is refused naming the member', async (fields, param) => {
    expect(await refusalOf(() => apply(fields))).toEqual(invalid(param))
  })
})

describe('changes relative to current values', () => {
  test('single models are set and removed; the others keep their limits', () => {
    const changed = apply(
      { set_model_rpm_limit: { 'model-2': 7 }, set_model_tpm_limit: { 'model-2': null, fast: 9 } },
      full,
    )
    expect(changed.modelRpmLimit).toEqual(
      new Map([
        ['model-1', 5],
        ['model-2', 7],
      ]),
    )
    expect(changed.modelTpmLimit).toEqual(new Map([['model-1', 9]]))
    expect(changed.metadata).toMatchObject({ note: 'hello', model_tpm_limit: { 'model-1': 9 } })
  })

  test('a model that has left the catalog can still be removed', () => {
    const old = { ...full, modelRpmLimit: new Map([['gone', 5]]) }
    expect(apply({ set_model_rpm_limit: { gone: null } }, old).modelRpmLimit.size).toBe(0)
  })

  test.each([
    [{ set_model_rpm_limit: { nope: 1 } }, 'set_model_rpm_limit.nope'],
    [{ set_model_rpm_limit: { nope: null } }, 'set_model_rpm_limit.nope'],
    [{ set_model_tpm_limit: { fast: 1, 'model-1': null } }, 'set_model_tpm_limit.model-1'],
    [{ set_model_tpm_limit: { fast: 1 }, model_tpm_limit: {} }, 'set_model_tpm_limit'],
    [{ set_model_rpm_limit: { fast: 1 }, metadata: { model_rpm_limit: {} } }, 'set_model_rpm_limit'],
  ] satisfies [OwnerChanges, string][])('%j is refused naming the member', async (fields, param) => {
    expect(await refusalOf(() => apply(fields))).toEqual(invalid(param))
  })
})

describe('budget period', () => {
  const daily = apply({ budget_duration: '1d' })

  test('another duration starts a new period', () => {
    expect(apply({ budget_duration: '1w' }, daily, 5000)).toMatchObject({ budgetAnchor: 5000 })
    expect(apply({ budget_duration: null }, daily, 5000)).toMatchObject({ budgetAnchor: 5000 })
  })

  test('the same duration, and a budget without one, do not', () => {
    expect(apply({ budget_duration: '1d' }, daily, 5000)).toMatchObject({ budgetAnchor: 2000 })
    expect(apply({ max_budget: 5 }, daily, 5000)).toMatchObject({ budgetAnchor: 2000 })
    expect(apply({ budget_duration: null }, empty, 5000)).toMatchObject({ budgetAnchor: 1000 })
  })
})

describe('limits per model', () => {
  test('may be given in the metadata and are kept there by id', () => {
    const owner = apply({ metadata: { model_rpm_limit: { fast: 7 } } })
    expect(owner.modelRpmLimit).toEqual(new Map([['model-1', 7]]))
    expect(owner.metadata).toEqual({ model_rpm_limit: { 'model-1': 7 } })
  })

  test('stay when other metadata replace the previous ones', () => {
    const owner = apply({ metadata: JSON.parse('{"other":1}') }, full)
    expect(owner.metadata).toEqual({
      other: 1,
      model_rpm_limit: { 'model-1': 5 },
      model_tpm_limit: { 'model-2': 50 },
    })
    expect(owner.modelRpmLimit).toEqual(full.modelRpmLimit)
  })

  test('each of the two kinds is changed without the other', () => {
    const owner = apply({ model_rpm_limit: null }, full)
    expect(owner.modelRpmLimit.size).toBe(0)
    expect(owner.modelTpmLimit).toEqual(full.modelTpmLimit)
    expect(owner.metadata).not.toHaveProperty('model_rpm_limit')
  })
})

test('setMember leaves, sets and removes', () => {
  const current = { organization_id: 'a', members_with_roles: [1] }
  expect(setMember(current, 'organization_id', undefined)).toBe(current)
  expect(setMember(current, 'organization_id', 'b')).toEqual({ ...current, organization_id: 'b' })
  expect(setMember(current, 'organization_id', null)).toEqual({ members_with_roles: [1] })
})

describe('what only a team has', () => {
  const change = { resolveModel: resolveTestModel, now: 1000, actor: 'admin' }

  test('a new team has its id as its name until it gets one', () => {
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

  test('a team cannot share the models of another team', async () => {
    expect(await refusalOf(() => buildNewTeam('team-1', { models: ['all-team-models'] }, change))).toEqual(
      invalid('models[0]'),
    )
  })
})

describe('what only a key has', () => {
  const change = { resolveModel: resolveTestModel, now: 1000, actor: 'admin', defaultMaxParallelRequests: 10 }
  const identity = { keyHash: 'hash', keyName: 'sk-...abcd', teamId: 'team-1' }
  const make = (fields: KeyFields) => buildNewKey(identity, fields, change)

  describe('buildNewKey', () => {
    test('without fields a key has the default of parallel calls and nothing else', () => {
      expect(make({})).toMatchObject({
        ...identity,
        alias: '',
        userId: '',
        aliases: new Map(),
        modelMaxBudget: new Map(),
        maxParallelRequests: 10,
        expiresAt: null,
        allowedRoutes: [],
        models: [],
        informational: {},
      })
    })

    test('every member is set', () => {
      const key = make({
        key_alias: 'laptop',
        user_id: 'someone',
        duration: '12h',
        models: ['all-team-models'],
        aliases: { mine: 'fast' },
        model_max_budget: {
          fast: 1.5,
        },
        max_parallel_requests: 3,
        allowed_routes: ['/v1/models'],
        config: { a: 1 },
        permissions: { b: 2 },
        allowed_cache_controls: ['no-cache'],
      })
      expect(key).toMatchObject({
        alias: 'laptop',
        userId: 'someone',
        expiresAt: 1000 + 43_200_000,
        models: ['all-team-models'],
        aliases: new Map([['mine', 'model-1']]),
        modelMaxBudget: new Map([['model-1', nanoDollars(1_500_000_000)]]),
        maxParallelRequests: 3,
        allowedRoutes: ['/v1/models'],
        informational: { config: { a: 1 }, permissions: { b: 2 }, allowed_cache_controls: ['no-cache'] },
      })
    })

    test.each([2, { budget_limit: 2 }, { max_budget: 2 }])(
      'a budget per model may be written as %j',
      budget => {
        expect(make({ model_max_budget: { fast: budget } }).modelMaxBudget).toEqual(
          new Map([['model-1', nanoDollars(2_000_000_000)]]),
        )
      },
    )
  })

  describe('applyKeyFields', () => {
    const full = make({
      key_alias: 'laptop',
      user_id: 'someone',
      duration: '1d',
      aliases: { mine: 'fast' },
      model_max_budget: { fast: 1 },
      max_parallel_requests: 3,
      allowed_routes: ['/v1/models'],
      config: { a: 1 },
      permissions: { b: 2 },
      allowed_cache_controls: [1],
    })

    test('budgets of single models are set and removed', () => {
      const two = applyKeyFields(
        full,
        { set_model_max_budget: { 'model-2': { max_budget: 0.1 + 0.2 } } },
        change,
      )
      expect(two.modelMaxBudget).toEqual(
        new Map([
          ['model-1', nanoDollars(1_000_000_000)],
          ['model-2', nanoDollars(300_000_000)],
        ]),
      )
      const one = applyKeyFields(two, { set_model_max_budget: { fast: null } }, change)
      expect([...one.modelMaxBudget.keys()]).toEqual(['model-2'])
    })

    test('absent members stay as they are, the expiry too', () => {
      expect(applyKeyFields(full, {}, { ...change, now: 5000 })).toEqual({ ...full, updatedAt: 5000 })
    })

    test('null removes each member', () => {
      const cleared = applyKeyFields(
        full,
        {
          key_alias: null,
          user_id: null,
          duration: null,
          aliases: null,
          model_max_budget: null,
          max_parallel_requests: null,
          allowed_routes: null,
          config: null,
          permissions: null,
          allowed_cache_controls: null,
        },
        change,
      )
      expect(cleared).toEqual(make({}))
    })

    test('a duration counts from the change, not from the creation', () => {
      expect(applyKeyFields(full, { duration: '1s' }, { ...change, now: 5000 }).expiresAt).toBe(6000)
    })

    test('no change reaches the identity of a key', () => {
      expect(applyKeyFields(full, { key_alias: 'new', models: ['fast'] }, change)).toMatchObject(identity)
    })

    test.each([
      [{ duration: '1m' }, 'duration'],
      [{ aliases: { mine: 'nope' } }, 'aliases.mine'],
      [{ model_max_budget: { nope: 1 } }, 'model_max_budget.nope'],
      [{ model_max_budget: { fast: 1e12 } }, 'model_max_budget.fast'],
      [{ model_max_budget: { fast: 1, 'model-1': 1 } }, 'model_max_budget.model-1'],
      [{ models: ['nope'] }, 'models[0]'],
      [{ max_budget: -0.5 }, 'max_budget'],
    ] satisfies [KeyFields, string][])('%j is refused naming the member', async (fields, param) => {
      expect(await refusalOf(() => applyKeyFields(full, fields, change))).toEqual(invalid(param))
    })
  })
})
