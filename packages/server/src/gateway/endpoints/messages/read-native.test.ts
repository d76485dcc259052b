// Requests that are relayed to Anthropic: what is refused because it has no price, what is left out, and the size that the hold is for.
import { describe, expect, test } from 'bun:test'
import type { MessagesRequest } from '@fairgate/contracts/messages/request.ts'
import type { CatalogModel } from '../../../catalog/types.ts'
import { buildChatCall } from '../../../upstream/testing/build-chat-call.ts'
import { packReasoning } from '../../conversation/reasoning-envelope.ts'
import { readNative } from './read-native.ts'

const { model: base } = buildChatCall()
const priced: CatalogModel = {
  ...base,
  kind: 'anthropic',
  price: { tiers: [{ aboveInputTokens: 0, rates: { cacheWrite5m: 1 } }] },
}
const user = (content: unknown) => [{ role: 'user', content }]
const read = (members: object, model = priced) =>
  readNative({ model: 'm', max_tokens: 9, messages: user('Hi'), ...members } as MessagesRequest, model)
const cached = { type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }
const hour = { type: 'ephemeral', ttl: '1h' }

describe('refused', () => {
  test.each<[string, object, string]>([
    ['an unknown member', { fallbacks: [] }, 'fallbacks: Extra inputs are not permitted'],
    ['a tier', { service_tier: 'auto' }, 'service_tier must be "standard_only"'],
    ['speed', { speed: 'fast' }, 'speed must be "standard"'],
    ['a region', { inference_geo: 'us' }, 'inference_geo: Extra inputs'],
    ['containers', { container: 'c' }, 'container is not supported'],
    ['MCP servers', { mcp_servers: [{}] }, 'mcp_servers is not supported'],
    [
      'a compaction',
      { context_management: { edits: [{ type: 'compact_20260112' }] } },
      'edits[0].type: compact_20260112',
    ],
    [
      'a search',
      { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
      "tools[0].type: 'web_search_20250305' is not offered",
    ],
    [
      'a file of the account',
      { messages: user([{ type: 'image', source: { type: 'file', file_id: 'f' } }]) },
      'messages[0].content[0].source.type',
    ],
    [
      'an hour without a price',
      { cache_control: hour },
      'cache_control: mm-2.5-flash has no price for input that is cached for an hour',
    ],
    [
      'an hour within a result',
      {
        messages: user([
          {
            type: 'tool_result',
            tool_use_id: 't',
            content: [{ type: 'text', text: 'x', cache_control: hour }],
          },
        ]),
      },
      'messages[0].content[0].content[0].cache_control: ',
    ],
  ])('%s', (_, members, sentence) => expect(() => read(members)).toThrow(sentence))

  test.each(['system', 'tools'])('caching of %s by a model without a price', place => {
    const failure = () =>
      read(
        { [place]: [place === 'tools' ? { name: 'a', cache_control: hour } : cached] },
        { ...priced, price: base.price },
      )
    expect(failure).toThrow(`${place}[0].cache_control`)
  })
})

describe('relayed', () => {
  test('everything else, unchanged', () => {
    const members = {
      system: [cached],
      metadata: { user_id: 'u' },
      tools: [
        { name: 'a', input_schema: { type: 'object', cache_control: 'a name' }, eager_input_streaming: true },
        { type: 'bash_20250124', name: 'bash' },
      ],
      context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
      messages: [
        ...user([{ type: 'thing', of: 'tomorrow' }]),
        { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm', signature: 'c2ln' }] },
      ],
    }
    expect(read(members).body).toEqual({ model: 'm', max_tokens: 9, ...members })
  })

  test('but no thoughts of other models, which the API refuses', () => {
    const ours = { type: 'thinking', thinking: '', signature: packReasoning(base, { calls: [], text: 'x' }) }
    const said = { type: 'text', text: 'Hello' }
    const messages = [
      ...user('Hi'),
      { role: 'assistant', content: [ours, { type: 'thinking', thinking: 'Hm', signature: '' }, said] },
    ]
    expect(read({ messages }).body.messages).toEqual([...user('Hi'), { role: 'assistant', content: [said] }])
  })
})

test('the size has all text in bytes, images by their most, and documents without bound', () => {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(4000) } }
  const { size } = read({ messages: user([image, cached]) })
  expect(size).toMatchObject({ mediaTokens: 5000, medium: 'image', writesCache: true, messages: 1 })
  expect(size.utf8Bytes).toBeLessThan(300)
  const document = { type: 'document', source: { type: 'url', url: 'https://a.example/b.pdf' } }
  expect(read({ messages: user([document]) }).size).toMatchObject({
    mediaTokens: Number.POSITIVE_INFINITY,
    writesCache: false,
  })
})
