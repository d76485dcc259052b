// Model names become ids before they are stored; unknown names are refused by their position.
import { describe, expect, test } from 'bun:test'
import { resolveModelList, resolveModelMap, resolveOne, wholeTeam } from './resolve-models.ts'
import { invalid, refusalOf } from './testing/refusal-of.ts'
import { resolveTestModel as resolve } from './testing/resolve-test-model.ts'

describe('resolveModelList', () => {
  test('aliases become ids, each id appears once, in the given order', () => {
    expect(resolveModelList(['model-2', 'fast', 'model-1', 'model-2'], resolve, [])).toEqual([
      'model-2',
      'model-1',
    ])
  })

  test('a kept name passes, but only if it is kept', async () => {
    expect(resolveModelList([wholeTeam], resolve, [wholeTeam])).toEqual([wholeTeam])
    expect(await refusalOf(() => resolveModelList([wholeTeam], resolve, []))).toEqual(invalid('models[0]'))
  })

  test('an unknown name is refused by its position', async () => {
    expect(await refusalOf(() => resolveModelList(['fast', 'nope'], resolve, []))).toEqual(
      invalid('models[1]'),
    )
  })
})

describe('resolveModelMap', () => {
  test('the names become ids and the values stay', () => {
    expect(resolveModelMap('p', { fast: 1, 'model-2': 2 }, resolve)).toEqual(
      new Map([
        ['model-1', 1],
        ['model-2', 2],
      ]),
    )
  })

  test('two names of one model are refused as ambiguous', async () => {
    expect(await refusalOf(() => resolveModelMap('p', { fast: 1, 'model-1': 1 }, resolve))).toEqual(
      invalid('p.model-1'),
    )
  })

  test.each(['nope', '__proto__', 'constructor'])('the unknown name %s is refused', async name => {
    const values: Record<string, number> = JSON.parse(`{"${name}":1}`)
    expect(await refusalOf(() => resolveModelMap('p', values, resolve))).toEqual(invalid(`p.${name}`))
  })
})

test('a long unknown name is not repeated in full', () => {
  expect(() => resolveOne('x'.repeat(5000), 'models[0]', resolve)).toThrow(/"x{100}"/)
})
