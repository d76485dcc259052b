// How many input tokens a chat turn holds, for models whose tokens are known from above and for those of other upstreams.
import { expect, test } from 'bun:test'
import type { ChatRequest } from '@fairgate/contracts/chat/request.ts'
import type { CatalogModel } from '../../catalog/types.ts'
import { buildChatCall } from '../../upstream/testing/build-chat-call.ts'
import { planChat } from './plan-chat.ts'

const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,UE5H' } } as const
const withImage: Partial<ChatRequest> = { messages: [{ role: 'user', content: [image] }] }

function inputOf(request: Partial<ChatRequest>, changes: Partial<CatalogModel>): unknown {
  const call = buildChatCall(request)
  const model = { ...call.model, contextLimit: 100_000, ...changes }
  const dependencies = { minimumUsefulOutput: 1, countInput: async () => null }
  const { estimate } = planChat(call.request, model, () => new AbortController().signal, dependencies, 'chat')
  return estimate.kind === 'tokens' ? estimate.inputTokens : estimate
}

test.each<[string, Partial<ChatRequest>, Partial<CatalogModel>, number]>([
  // Five bytes, and 16 for the message.
  ['text', {}, {}, 21],
  ['text, and what the upstream adds by itself', {}, { promptOverhead: 1024 }, 1045],
  ['never more than the context', {}, { promptOverhead: 1024, contextLimit: 500 }, 500],
  ['an image of known tokens', withImage, {}, 2632],
  ['an image of unknown tokens', withImage, { hasMediaCeilings: false }, 100_000],
])('%s', (_, request, changes, tokens) => expect(inputOf(request, changes)).toBe(tokens))
