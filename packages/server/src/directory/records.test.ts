// The records of keys and teams: every field of the contract, whether or not anything was ever set.
import { describe, expect, test } from 'bun:test'
import { keyInfoSchema, keyRecordSchema } from '@fairgate/contracts/info/key-record.ts'
import { teamInfoSchema, teamRecordSchema } from '@fairgate/contracts/info/team-record.ts'
import { Value } from 'typebox/value'
import { nanoDollars } from '../ledger/money.ts'
import { buildNewKey, buildNewTeam } from './apply-fields.ts'
import { buildKeyRecord, buildTeamInfo } from './records.ts'
import { resolveTestModel as resolveModel } from './testing/resolve-test-model.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const change = { resolveModel, now, actor: 'admin', defaultMaxParallelRequests: 10 }
const identity = { keyHash: 'a'.repeat(64), keyName: 'sk-...abcd', teamId: 'team-1' }
const bareKey = buildNewKey(identity, {}, change)
const bareTeam = buildNewTeam('team-1', {}, change)
const fullKey = buildNewKey(
  identity,
  {
    max_budget: 0.1,
    duration: '1d',
    model_max_budget: { fast: 0.3 },
    aliases: { mine: 'fast' },
    model_rpm_limit: { fast: 3 },
    organization_id: 'o',
  },
  change,
)
const noKeyFigures = { spend: nanoDollars(0), modelSpend: {}, budgetResetAt: null }
const noTeamFigures = {
  spent: nanoDollars(0),
  held: nanoDollars(0),
  budget: null,
  budgetResetAt: null,
  keys: [],
}

describe('spec 2.1: key record', () => {
  test.each([
    ['bare', bareKey],
    ['full', fullKey],
  ])('a %s key has every field, and keeps to the schema', (_name, key) => {
    const record = buildKeyRecord(key, noKeyFigures)
    expect(Object.keys(record.info).sort()).toEqual([...keyRecordSchema.required].sort())
    expect(Value.Check(keyInfoSchema, record)).toBe(true)
    expect(JSON.parse(JSON.stringify(record))).toEqual(record)
  })

  test('text that was never set is empty, not null', () => {
    const { info } = buildKeyRecord(bareKey, noKeyFigures)
    expect(info).toMatchObject({ key_alias: '', user_id: '', blocked: null, expires: null, max_budget: null })
  })

  test('money is in USD, times in ISO 8601', () => {
    const figures = { spend: nanoDollars(1), modelSpend: { 'model-1': 0.25 }, budgetResetAt: now }
    expect(buildKeyRecord(fullKey, figures).info).toMatchObject({
      spend: 1e-9,
      max_budget: 0.1,
      model_max_budget: { 'model-1': 0.3 },
      model_spend: { 'model-1': 0.25 },
      budget_reset_at: '2026-11-21T12:00:00.000Z',
      expires: '2026-11-22T12:00:00.000Z',
      metadata: { model_rpm_limit: { 'model-1': 3 } },
    })
  })
})

describe('spec 2.2: team record', () => {
  test('a team has every field, and keeps to the schema', () => {
    const record = buildTeamInfo(bareTeam, noTeamFigures)
    expect(Object.keys(record.team_info).sort()).toEqual([...teamRecordSchema.required].sort())
    expect(Value.Check(teamInfoSchema, record)).toBe(true)
    expect(record.team_info).toMatchObject({
      blocked: false,
      metadata: { model_rpm_limit: {}, model_tpm_limit: {} },
    })
  })

  test('its keys are shown without their secrets and identities', () => {
    const figures = { ...noTeamFigures, keys: [{ key: fullKey, spend: nanoDollars(5) }] }
    const record = buildTeamInfo(bareTeam, figures)
    expect(Value.Check(teamInfoSchema, record)).toBe(true)
    expect(record.keys).toMatchObject([{ key_name: 'sk-...abcd', spend: 5e-9 }])
    expect(JSON.stringify(record)).not.toContain(fullKey.keyHash)
  })

  test('spend and held come from the figures, in USD', () => {
    const figures = { ...noTeamFigures, spent: nanoDollars(2_000_000_000), held: nanoDollars(500_000_000) }
    expect(buildTeamInfo(bareTeam, { ...figures, budgetResetAt: now }).team_info).toMatchObject({
      spend: 2,
      held: 0.5,
      budget_reset_at: '2026-11-21T12:00:00.000Z',
    })
  })
})
