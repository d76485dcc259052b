// Changes between two catalogs, as the audit records them.
import { expect, test } from 'bun:test'
import { buildModel } from '../limits/testing/build-parties.ts'
import { compareCatalogs } from './compare-catalogs.ts'
import { describeModel } from './describe-model.ts'

const record = (id: string, changes: Parameters<typeof buildModel>[0] = {}) =>
  describeModel(buildModel({ id, ...changes }))

test('models that are new, removed, changed and unchanged', () => {
  const before = [record('same'), record('gone'), record('limited'), record('dearer')]
  const price = { tiers: [{ aboveInputTokens: 0, rates: { inputText: 1_500_000_000, song: 4e13 } }] } as const
  const after = [
    record('same'),
    record('limited', { rpmLimit: 105 }),
    record('dearer', { price }),
    record('new'),
  ]
  const difference = compareCatalogs(before, after)
  expect(difference).toMatchObject({ added: ['new'], removed: ['gone'], changed: ['limited', 'dearer'] })
  expect(difference.before).toEqual({
    gone: record('gone'),
    limited: { rpm_limit: null },
    dearer: { price: record('dearer').price },
  })
  expect(difference.after).toEqual({
    new: record('new'),
    limited: { rpm_limit: 105 },
    dearer: { price: { input: 1.5, song: 0.04 } },
  })
})

test('no changes', () => {
  const same = [record('one'), record('two')]
  const nothing = { added: [], removed: [], changed: [], before: {}, after: {} }
  expect(compareCatalogs(same, [record('one'), record('two')])).toEqual(nothing)
})
