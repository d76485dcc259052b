// Lists the blocks of a prompt in the order of the prompt cache, and where `cache_control` asks to cache a prefix.
import { countTokens } from '../count-tokens.ts'
import { isObject, type Json } from '../json.ts'
import { VendorError } from '../vendor-error.ts'
import { refuseMember } from './anthropic-error.ts'
import type { Lifetime, PromptBlock } from './prompt-cache.ts'
import { requireMember } from './read-content.ts'
import type { Message } from './read-messages.ts'

const maxBreakpoints = 4

/** The whole prompt, with the places at which a prefix is to be cached. */
export function listBlocks(
  body: Json,
  system: Pick<Message, 'content' | 'blocks'>,
  messages: readonly Message[],
): readonly PromptBlock[] {
  const tools = Array.isArray(body.tools) ? body.tools.filter(isObject) : []
  const found: Found[] = [
    ...tools.map((json, index) => ({
      json,
      place: `tools.${index}`,
      tokens: countTokens(JSON.stringify(withoutControl(json))),
      scope: '',
    })),
    ...system.content.map((json, index) => ({
      json,
      place: `system.${index}`,
      tokens: system.blocks[index]?.tokens ?? 0,
      scope: '',
    })),
    ...messages.flatMap(({ role, content, blocks }, at) =>
      content.map((json, index) => ({
        json,
        place: `messages.${at}.content.${index}`,
        tokens: blocks[index]?.tokens ?? 0,
        // Changes of these invalidate what is cached of the messages, but neither tools nor system.
        scope: JSON.stringify([role, body.tool_choice, body.thinking]),
      })),
    ),
  ]
  const last = found.findLast(({ json }) => !/thinking$/.test(String(json.type)))
  const auto = readControl(body.cache_control, 'cache_control')
  let [count, isAfter5m] = [0, false]
  return found.map(({ json, place, tokens, scope }, index) => {
    const own = readControl(json.cache_control, `${place}.cache_control`)
    if (own !== null && /thinking$/.test(String(json.type)))
      throw refuseMember(`${place}.${String(json.type)}.cache_control`, 'Extra inputs are not permitted')
    const lifetime = own ?? (found[index] === last ? auto : null)
    if (lifetime === '1h' && isAfter5m)
      throw refuseMember(
        `${place}.cache_control.ttl`,
        "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.",
      )
    if (lifetime !== null) count += 1
    if (lifetime === '5m') isAfter5m = true
    if (count > maxBreakpoints)
      throw new VendorError(
        400,
        `A maximum of ${maxBreakpoints} blocks with cache_control may be provided. Found ${found.filter(one => one.json.cache_control).length}.`,
      )
    return { content: `${scope}${JSON.stringify(withoutControl(json))}`, tokens, lifetime }
  })
}

type Found = { readonly json: Json; readonly place: string; readonly tokens: number; readonly scope: string }

function withoutControl({ cache_control: _, ...json }: Json): Json {
  return json
}

function readControl(value: unknown, place: string): Lifetime | null {
  if (value === undefined || value === null) return null
  const { type, ttl = '5m', ...others } = requireMember(value, place)
  if (type !== 'ephemeral')
    throw refuseMember(
      place,
      `Input tag '${String(type)}' found using 'type' does not match any of the expected tags: 'ephemeral'`,
    )
  const [other] = Object.keys(others)
  if (other !== undefined) throw refuseMember(`${place}.ephemeral.${other}`, 'Extra inputs are not permitted')
  if (ttl === '5m' || ttl === '1h') return ttl
  throw refuseMember(`${place}.ephemeral.ttl`, "Input should be '5m' or '1h'")
}
