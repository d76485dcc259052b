// Efforts and budgets as each kind of model accepts them, and never one that a model refuses.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { CatalogModel } from '../../../catalog/types.ts'
import type { Conversation } from '../../port.ts'
import { buildChatCall } from '../../testing/build-chat-call.ts'
import { buildThinkingConfig } from './build-generation-config.ts'

type Asked = Pick<Conversation, 'reasoning_effort' | 'thinking'>

function configOf(
  asked: Asked,
  reasoning: CatalogModel['reasoning'],
  outputCap = 65_536,
  upstreamId = 'gemini-2.5-flash',
): unknown {
  const call = buildChatCall(asked, { reasoning, outputCap })
  return buildThinkingConfig({ ...call, model: { ...call.model, upstreamId } })
}

describe('effort', () => {
  test.each([
    ['none', 0, 'MINIMAL'],
    ['minimal', 512, 'MINIMAL'],
    ['low', 1024, 'LOW'],
    ['medium', 8192, 'MEDIUM'],
    ['high', 24_576, 'HIGH'],
    ['xhigh', 24_576, 'HIGH'],
    ['max', 24_576, 'HIGH'],
  ] as const)('%s', (effort, thinkingBudget, thinkingLevel) => {
    const includeThoughts = effort !== 'none'
    const asked = { reasoning_effort: effort }
    expect(configOf(asked, 'budget')).toEqual({ includeThoughts, thinkingBudget })
    expect(configOf(asked, 'level')).toEqual({ includeThoughts, thinkingLevel })
    expect(configOf(asked, 'none')).toBeNull()
  })

  test('if not requested, it is left to the model', () => {
    expect(configOf({}, 'budget')).toBeNull()
    expect(configOf({ reasoning_effort: null }, 'level')).toBeNull()
  })

  test('the budget never exceeds the output cap', () => {
    expect(configOf({ reasoning_effort: 'high' }, 'budget', 300)).toMatchObject({ thinkingBudget: 300 })
  })

  test('the highest efforts leave room for the answer', () => {
    expect(configOf({ reasoning_effort: 'max' }, 'budget', 10_000)).toMatchObject({ thinkingBudget: 8976 })
    expect(configOf({ reasoning_effort: 'xhigh' }, 'budget', 300)).toMatchObject({ thinkingBudget: 150 })
  })

  test.each<[string, Asked['reasoning_effort'], CatalogModel['reasoning'], object]>([
    ['gemini-2.5-pro', 'none', 'budget', { includeThoughts: false, thinkingBudget: 128 }],
    ['gemini-2.5-pro', 'max', 'budget', { includeThoughts: true, thinkingBudget: 32_768 }],
    ['gemini-3-pro-preview', 'none', 'level', { includeThoughts: false, thinkingLevel: 'LOW' }],
    ['gemini-3-pro-preview', 'medium', 'level', { includeThoughts: true, thinkingLevel: 'HIGH' }],
    ['gemini-3.1-pro-preview', 'minimal', 'level', { includeThoughts: true, thinkingLevel: 'LOW' }],
    ['gemini-3.1-pro-preview', 'medium', 'level', { includeThoughts: true, thinkingLevel: 'MEDIUM' }],
    ['gemini-3-flash-preview', 'minimal', 'level', { includeThoughts: true, thinkingLevel: 'MINIMAL' }],
  ])('a level that %s lacks for %s becomes the nearest it has', (upstreamId, effort, reasoning, config) => {
    expect(configOf({ reasoning_effort: effort ?? null }, reasoning, 65_536, upstreamId)).toEqual(config)
  })

  test('a budget below the minimum of a model means the least thinking it can do', () => {
    const asked = { reasoning_effort: 'low' } as const
    expect(configOf(asked, 'budget', 300, 'gemini-2.5-flash-lite')).toMatchObject({ thinkingBudget: 0 })
    expect(configOf(asked, 'budget', 100, 'gemini-2.5-pro')).toMatchObject({ thinkingBudget: 128 })
  })
})

describe('thinking', () => {
  const shown = { isShown: true }
  test.each<[string, Asked, object | null, object | null]>([
    [
      'the model decides',
      { thinking: { budget: 'auto', isShown: false } },
      { includeThoughts: false, thinkingBudget: -1 },
      null,
    ],
    [
      'the model decides, and an effort is given',
      { thinking: { budget: 'auto', ...shown }, reasoning_effort: 'low' },
      { includeThoughts: true, thinkingBudget: -1 },
      { includeThoughts: true, thinkingLevel: 'LOW' },
    ],
    [
      'as the effort says',
      { thinking: { budget: null, isShown: false }, reasoning_effort: 'medium' },
      { includeThoughts: false, thinkingBudget: 8192 },
      { includeThoughts: false, thinkingLevel: 'MEDIUM' },
    ],
    [
      'only to be shown',
      { thinking: { budget: null, ...shown } },
      { includeThoughts: true },
      { includeThoughts: true },
    ],
    ['not even that', { thinking: { budget: null, isShown: false } }, null, null],
    [
      'off',
      { thinking: { budget: 0, isShown: false } },
      { includeThoughts: false, thinkingBudget: 0 },
      { includeThoughts: false, thinkingLevel: 'MINIMAL' },
    ],
    [
      'tokens, regardless of the effort',
      { thinking: { budget: 1024, ...shown }, reasoning_effort: 'high' },
      { includeThoughts: true, thinkingBudget: 1024 },
      { includeThoughts: true, thinkingLevel: 'LOW' },
    ],
    [
      'more tokens than the model can think',
      { thinking: { budget: 60_000, ...shown } },
      { includeThoughts: true, thinkingBudget: 24_576 },
      { includeThoughts: true, thinkingLevel: 'HIGH' },
    ],
  ])('%s', (_, asked, ofBudget, ofLevel) => {
    expect(configOf(asked, 'budget')).toEqual(ofBudget)
    expect(configOf(asked, 'level', 65_536, 'gemini-3-flash-preview')).toEqual(ofLevel)
  })

  test('with a small cap, thinking leaves room for the answer', () => {
    const tokens = { thinking: { budget: 4000, ...shown } }
    expect(configOf(tokens, 'budget', 4000)).toMatchObject({ thinkingBudget: 2976 })
    const auto = { thinking: { budget: 'auto', ...shown } } as const
    expect(configOf(auto, 'budget', 1000)).toMatchObject({ thinkingBudget: 500 })
    expect(configOf(auto, 'budget', 1)).toMatchObject({ thinkingBudget: 0 })
  })

  test('any request gets a budget that its model accepts', () => {
    const models = fc.constantFrom('gemini-2.5-flash', 'gemini-2.5-flash-lite', 'gemini-2.5-pro')
    const budget = fc.oneof(fc.nat({ max: 100_000 }), fc.constant('auto' as const))
    fc.assert(
      fc.property(models, budget, fc.integer({ min: 1, max: 65_536 }), (upstreamId, given, cap) => {
        const config = configOf({ thinking: { budget: given, isShown: true } }, 'budget', cap, upstreamId)
        const { thinkingBudget } = config as { thinkingBudget: number }
        const least = upstreamId.endsWith('pro') ? 128 : upstreamId.endsWith('lite') ? 512 : 1
        const isPossible = thinkingBudget >= least || (thinkingBudget === 0 && least !== 128)
        expect(thinkingBudget === -1 || isPossible).toBe(true)
        expect(thinkingBudget).toBeLessThanOrEqual(Math.max(cap - 1, least))
      }),
    )
  })
})
