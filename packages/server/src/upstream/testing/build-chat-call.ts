// A chat call for tests of the upstreams: one user message to a small model until a test says otherwise.
import type { CatalogModel } from '../../catalog/types.ts'
import type { ChatCall, Conversation } from '../port.ts'

const model: CatalogModel = {
  id: 'mm-2.5-flash',
  aliases: [],
  modality: 'chat',
  upstream: 'vendor',
  upstreamId: 'upstream-2.5-flash',
  contextLimit: 1_000_000,
  maxOutput: 65_536,
  defaultOutputCap: 8192,
  typicalOutput: 500,
  reasoning: 'budget',
  imageTokens: new Map(),
  promptOverhead: 0,
  fallbacks: [],
  kind: 'vendor',
  voices: null,
  imageSizes: new Map(),
  audioFormats: [],
  retiresOn: null,
  price: { tiers: [{ aboveInputTokens: 0, rates: {} }] },
  rpmLimit: null,
  tpmLimit: null,
}

function buildChatRequest(changes: Partial<Conversation> = {}): Conversation {
  return { model: model.id, messages: [{ role: 'user', content: 'Hello' }], ...changes }
}

export function buildChatCall(
  request: Partial<Conversation> = {},
  changes: { readonly outputCap?: number; readonly reasoning?: CatalogModel['reasoning'] } = {},
): ChatCall {
  const { outputCap = 8192, reasoning = 'budget' } = changes
  return { request: buildChatRequest(request), model: { ...model, reasoning }, outputCap }
}
