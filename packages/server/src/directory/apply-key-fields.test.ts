// What only a key has: expiry, aliases, budgets per model, parallel calls, routes.
import { describe, expect, test } from 'bun:test'
import type { KeyFields } from '@fairgate/contracts/management/key-bodies.ts'
import { nanoDollars } from '../ledger/money.ts'
import { applyKeyFields, buildNewKey } from './apply-key-fields.ts'
import { invalid, refusalOf } from './testing/refusal-of.ts'
import { resolveTestModel as resolveModel } from './testing/resolve-test-model.ts'

const change = { resolveModel, now: 1000, actor: 'admin', defaultMaxParallelRequests: 10 }
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

  test('absent members stay as they are, the expiry too', () => {
    expect(applyKeyFields(full, {}, { ...change, now: 5000 })).toEqual({ ...full, updatedAt: 5000 })
  })

  test('null takes each member away', () => {
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
