// What teams and keys have in common: absent members stay, null takes away, wrong values are refused by name.
import { describe, expect, test } from 'bun:test'
import type { OwnerFields } from '@fairgate/contracts/management/owner-fields.ts'
import { nanoDollars } from '../ledger/money.ts'
import { applyOwnerFields, type Change, emptyOwner, setMember } from './apply-owner-fields.ts'
import { invalid, refusalOf } from './testing/refusal-of.ts'
import { resolveTestModel } from './testing/resolve-test-model.ts'

const at = (now: number, actor = 'admin'): Change => ({ resolveModel: resolveTestModel, now, actor })
const empty = emptyOwner(at(1000))
const apply = (fields: OwnerFields, current = empty, now = 2000) =>
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

  test('null takes each member away', () => {
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
  test('may stand in the metadata and are kept there by id', () => {
    const owner = apply({ metadata: { model_rpm_limit: { fast: 7 } } })
    expect(owner.modelRpmLimit).toEqual(new Map([['model-1', 7]]))
    expect(owner.metadata).toEqual({ model_rpm_limit: { 'model-1': 7 } })
  })

  test('stay in force when other metadata replace those of before', () => {
    const owner = apply({ metadata: JSON.parse('{"other":1}') }, full)
    expect(owner.metadata).toEqual({
      other: 1,
      model_rpm_limit: { 'model-1': 5 },
      model_tpm_limit: { 'model-2': 50 },
    })
    expect(owner.modelRpmLimit).toEqual(full.modelRpmLimit)
  })

  test('one of the two kinds is changed without the other', () => {
    const owner = apply({ model_rpm_limit: null }, full)
    expect(owner.modelRpmLimit.size).toBe(0)
    expect(owner.modelTpmLimit).toEqual(full.modelTpmLimit)
    expect(owner.metadata).not.toHaveProperty('model_rpm_limit')
  })
})

test('setMember leaves, sets and takes away', () => {
  const current = { organization_id: 'a', members_with_roles: [1] }
  expect(setMember(current, 'organization_id', undefined)).toBe(current)
  expect(setMember(current, 'organization_id', 'b')).toEqual({ ...current, organization_id: 'b' })
  expect(setMember(current, 'organization_id', null)).toEqual({ members_with_roles: [1] })
})
