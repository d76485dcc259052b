// Checks which limits apply to a call, and that a changed record is noticed at once although levels are built only once.
import { describe, expect, test } from 'bun:test'
import { nanoDollars } from '../ledger/money.ts'
import { buildLevels, findLevels } from './build-levels.ts'
import { buildKey, buildModel, buildTeam } from './testing/build-parties.ts'

describe('buildLevels', () => {
  test('lists only what is limited, in the order in which refusals name equal limits', () => {
    const one = new Map([['model-1', 1]])
    const team = buildTeam({ rpmLimit: 2, modelTpmLimit: one, maxBudget: nanoDollars(5) })
    const key = buildKey({
      tpmLimit: 0,
      modelRpmLimit: new Map([...one, ['other', 9]]),
      modelMaxBudget: new Map([['model-1', nanoDollars(0)]]),
      budgetDuration: '1d',
      budgetAnchor: 7,
      maxParallelRequests: 3,
    })
    expect<unknown>(buildLevels(team, key, buildModel({ rpmLimit: 4, tpmLimit: 5 }))).toEqual({
      teamId: 'team-1',
      keyHash: 'key-1',
      modelId: 'model-1',
      slots: 3,
      rates: [
        { level: 'team', requests: 2, tokens: null },
        { level: 'key', requests: null, tokens: 0 },
        { level: 'service_model', requests: 4, tokens: 5 },
        { level: 'team_model', requests: null, tokens: 1 },
        { level: 'key_model', requests: 1, tokens: null },
      ],
      budgets: [
        { level: 'team', maximum: 5, granted: null },
        { level: 'key_model', maximum: 0, granted: null },
      ],
      periods: {
        team: { budgetDuration: null, budgetAnchor: 0, since: null },
        key: { budgetDuration: '1d', budgetAnchor: 7, since: null },
      },
      until: null,
    })
    expect(buildLevels(team, key, null)).toMatchObject({
      modelId: null,
      rates: [{ level: 'team' }, { level: 'key' }],
      budgets: [{ level: 'team' }],
    })
    expect(buildLevels(team, key, buildModel({ id: 'free' })).rates).toHaveLength(2)
  })

  test('the budget of a phase replaces that of the team and starts periods; the event cap comes last', () => {
    const team = buildTeam({
      maxBudget: nanoDollars(5),
      granted: { amount: nanoDollars(3), periodStart: 70 },
    })
    const key = buildKey({ maxBudget: nanoDollars(4) })
    const event = { cap: nanoDollars(9), teamBudget: nanoDollars(2), since: 70, until: 90 }
    const levels = buildLevels(team, key, buildModel(), event)
    expect<unknown>(levels.budgets).toEqual([
      { level: 'team', maximum: 2, granted: team.granted },
      { level: 'key', maximum: 4, granted: null },
      { level: 'event', maximum: 9, granted: null },
    ])
    expect(levels).toMatchObject({ periods: { team: { since: 70 }, key: { since: 70 } }, until: 90 })
    const ofTeam = buildLevels(team, key, buildModel(), { ...event, cap: null, teamBudget: null })
    expect<unknown>(ofTeam.budgets.map(({ maximum }) => maximum)).toEqual([5, 4])
    expect(buildLevels(team, key, null, event).budgets).toHaveLength(2)
    expect(findLevels(team, key, null, event)).toBe(findLevels(team, key, null, event))
    expect(findLevels(team, key, null, { ...event, until: 91 }).until).toBe(91)
  })
})

describe('findLevels', () => {
  const [team, key, model] = [buildTeam(), buildKey(), buildModel()]

  test('returns the same levels for the same records', () => {
    expect(findLevels(team, key, model)).toBe(findLevels(team, key, model))
    expect(findLevels(team, key, null)).toBe(findLevels(team, key, null))
    expect(findLevels(team, key, model)).toEqual(buildLevels(team, key, model))
    expect(findLevels(team, key, null)).toEqual(buildLevels(team, key, null))
  })

  test('notices each replaced record', () => {
    const known = () => findLevels(team, key, model)
    const rates = [{ level: 'team', requests: 1, tokens: null }]
    expect<unknown>([known().rates, findLevels({ ...team, rpmLimit: 1 }, key, model).rates]).toEqual([
      [],
      rates,
    ])
    expect([known().slots, findLevels(team, { ...key, maxParallelRequests: 2 }, model).slots]).toEqual([
      1000, 2,
    ])
    expect([known().modelId, findLevels(team, key, { ...model, id: 'other' }).modelId]).toEqual([
      'model-1',
      'other',
    ])
    expect<unknown>(findLevels(team, key, { ...model, rpmLimit: 3 }).rates).toEqual([
      { level: 'service_model', requests: 3, tokens: null },
    ])
    expect(known().rates).toEqual([])
  })
})
