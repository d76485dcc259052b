// Checks the input tokens of a chat turn, for models with a known upper bound and for those of other upstreams.
import { describe, expect, test } from 'bun:test'
import type { CatalogModel } from '../../catalog/types.ts'
import { nanoDollars } from '../../ledger/money.ts'
import { decideOutputCap } from '../../ledger/output-cap.ts'
import type { Conversation } from '../../upstream/port.ts'
import { buildChatCall } from '../../upstream/testing/build-chat-call.ts'
import { buildAdmitted } from '../flow/testing/build-admitted.ts'
import { measureInput } from './measure-input.ts'
import { buildCalls, planChat } from './plan-chat.ts'

const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,UE5H' } } as const
const withImage: Partial<Conversation> = { messages: [{ role: 'user', content: [image] }] }

function inputOf(request: Partial<Conversation>, changes: Partial<CatalogModel>): unknown {
  const call = buildChatCall(request)
  const model = { ...call.model, contextLimit: 100_000, ...changes }
  const dependencies = { minimumUsefulOutput: 1, countInput: async () => null }
  const { estimate } = planChat(call.request, model, () => new AbortController().signal, dependencies, 'chat')
  return estimate.kind === 'tokens' ? estimate.inputTokens : estimate
}

test.each<[string, Partial<Conversation>, Partial<CatalogModel>, number]>([
  // Five bytes, and 16 for the message.
  ['text', {}, {}, 21],
  ['text, and what the upstream adds by itself', {}, { promptOverhead: 1024 }, 1045],
  ['never more than the context', {}, { promptOverhead: 1024, contextLimit: 500 }, 500],
  ['an image of known tokens', withImage, {}, 2632],
  ['an image of unknown tokens', withImage, { kind: 'openai' }, 100_000],
])('%s', (_, request, changes, tokens) => expect(inputOf(request, changes)).toBe(tokens))

// Shown to fail by leaving the cache's units out of `anyInput`: the hold is then 21 × 1.
test('a request that may write to a cache holds each token at the highest price that it can have', () => {
  const call = buildChatCall({ max_tokens: 1 })
  const rates = { inputText: 1e6, cachedInput: 1e5, cacheWrite5m: 3e6, cacheWrite1h: 7e6, outputText: 1e6 }
  const model = { ...call.model, price: { tiers: [{ aboveInputTokens: 0, rates }] as const } }
  const dependencies = { minimumUsefulOutput: 1, countInput: async () => null }
  const holdOf = (writesCache: boolean) => {
    const size = { ...measureInput(call.request, model), writesCache }
    const { estimate } = planChat(
      call.request,
      model,
      () => AbortSignal.abort(),
      dependencies,
      'messages',
      size,
    )
    return estimate.kind === 'tokens' ? decideOutputCap(estimate, 1e9)?.amount : estimate
  }
  expect([holdOf(false), holdOf(true)]).toEqual([nanoDollars(21 + 1), nanoDollars(21 * 7 + 1)])
})

describe('fallback models', () => {
  const { model } = buildChatCall()
  const priced = (id: string, changes: Partial<CatalogModel> = {}): CatalogModel => ({
    ...model,
    id,
    ...changes,
  })
  const asked = (fallbacks: readonly CatalogModel[]) => priced('asked', { fallbacks })
  const plan = (by: CatalogModel, request: Partial<Conversation> = {}, counted: number | null = null) => {
    const call = buildChatCall({ max_tokens: 4000, ...request })
    const dependencies = { minimumUsefulOutput: 256, countInput: async () => counted }
    return planChat(call.request, by, () => new AbortController().signal, dependencies, 'chat')
  }
  const hold = (by: CatalogModel, request: Partial<Conversation> = {}) => {
    const { estimate } = plan(by, request)
    return estimate.kind === 'tokens' ? estimate.alternatives : undefined
  }
  const grant = (outputCap: number, isRefined = false) => ({
    hold: { ...buildAdmitted(1000).hold, outputCap },
    isRefined,
  })

  test('the hold covers the price, ceiling and output of each', () => {
    const other = priced('other', { promptOverhead: 1024, maxOutput: 100 })
    expect(hold(asked([other]))).toMatchObject([
      { price: other.price, inputTokens: 1045, askedOutput: 100, minimumOutput: 100 },
    ])
    expect(hold(asked([]))).toBeUndefined()
  })

  test('a model without a price for the request is skipped; multiple choices have no fallback', () => {
    const rates = { search: 1, inputText: 1 }
    const searches = (id: string) => priced(id, { price: { tiers: [{ aboveInputTokens: 0, rates }] } })
    const by = { ...searches('asked'), fallbacks: [priced('plain'), searches('other')] }
    expect(plan(by, { web_search_options: {} }).fallbacks.map(({ id }) => id)).toEqual(['other'])
    expect(plan(by, { n: 2 }).fallbacks).toEqual([])
  })

  test('each upstream request has an output that its model accepts; no fallback after a better estimate', () => {
    const by = asked([priced('other', { maxOutput: 100 })])
    const [call] = buildCalls(grant(3000), buildChatCall().request, plan(by))
    expect(call).toMatchObject({ outputCap: 3000, fallbacks: [{ model: { id: 'other' }, outputCap: 100 }] })
    const [alone] = buildCalls(grant(3000, true), buildChatCall().request, plan(by))
    expect(alone).not.toHaveProperty('fallbacks')
  })

  test.each([
    ['counted', 5, 5],
    ['not counted', null, null],
  ])('the better estimate is only for the requested model: input %s', async (_, counted, inputTokens) => {
    const better = await plan(asked([priced('other')]), {}, counted).refine?.('red')
    expect(better).toMatchObject({ inputTokens, estimate: { inputTokens: counted ?? 21 } })
    expect(better?.estimate).not.toHaveProperty('alternatives')
  })
})
