// A configured OpenAI-compatible server as an upstream: chat and media over one client.
import type { Upstream } from '../choose-upstream.ts'
import type { ExchangeDependencies } from '../exchange.ts'
import { createKeyRing } from '../key-ring.ts'
import type { OutputCapMember } from './chat/convert-chat-request.ts'
import { createOpenaiChat } from './create-openai-chat.ts'
import { createOpenaiMedia } from './create-openai-media.ts'
import { createOpenaiClient } from './openai-client.ts'

export type OpenaiUpstreamDependencies = Omit<ExchangeDependencies, 'keys'> & {
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
  /** Null for a server that asks for none. */
  readonly secrets: readonly string[] | null
  readonly outputCap: OutputCapMember
  readonly newToolCallId: () => string
}

export function createOpenaiUpstream(dependencies: OpenaiUpstreamDependencies): Upstream {
  const { secrets, outputCap, newToolCallId, ...others } = dependencies
  const keys = secrets === null ? null : createKeyRing(secrets)
  const client = createOpenaiClient({ ...others, keys })
  return { chat: createOpenaiChat(client, { outputCap, newToolCallId }), media: createOpenaiMedia(client) }
}
