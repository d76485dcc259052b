// A public chat request → the body of the vendor's generateContent. Pure.
import { type ChatRequest, textOf } from '@fairgate/contracts/chat/request.ts'
import type { ChatCall } from '../../port.ts'
import { buildThinkingConfig } from './build-thinking-config.ts'

type Part = { readonly text: string }
type Content = { readonly role: 'user' | 'model'; readonly parts: readonly Part[] }

export type VendorChatBody = {
  readonly contents: readonly Content[]
  readonly systemInstruction?: { readonly parts: readonly Part[] }
  readonly generationConfig: Readonly<Record<string, unknown>>
}

export function convertChatRequest(call: ChatCall): VendorChatBody {
  const { messages } = call.request
  const instructions = messages
    .filter(({ role }) => role === 'system' || role === 'developer')
    .map(textOf)
    .filter(text => text !== '')
  const contents = mergeTurns(messages)
  return {
    // The vendor wants at least one turn, also when there are only instructions.
    contents: contents.length > 0 ? contents : [{ role: 'user', parts: [blank] }],
    ...(instructions.length === 0
      ? {}
      : { systemInstruction: { parts: [{ text: instructions.join('\n\n') }] } }),
    generationConfig: buildGenerationConfig(call),
  }
}

/** The vendor refuses a turn without text. */
const blank: Part = { text: ' ' }

/** Consecutive turns of one role become one: the vendor expects the roles to alternate. */
function mergeTurns(messages: ChatRequest['messages']): Content[] {
  const turns: { role: Content['role']; parts: Part[] }[] = []
  for (const message of messages) {
    if (message.role === 'system' || message.role === 'developer') continue
    const role = message.role === 'assistant' ? 'model' : 'user'
    const text = textOf(message)
    const parts = text === '' ? [] : [{ text }]
    const last = turns.at(-1)
    if (last?.role === role) last.parts.push(...parts)
    else turns.push({ role, parts })
  }
  return turns.map(({ role, parts }) => ({ role, parts: parts.length > 0 ? parts : [blank] }))
}

function buildGenerationConfig(call: ChatCall): Record<string, unknown> {
  const { request } = call
  const config: Record<string, unknown> = { maxOutputTokens: call.outputCap }
  const copy = (name: string, value: unknown) => {
    if (value !== null && value !== undefined) config[name] = value
  }
  copy('temperature', request.temperature)
  copy('topP', request.top_p)
  copy('seed', wrapSeed(request.seed ?? null))
  copy('presencePenalty', request.presence_penalty)
  copy('frequencyPenalty', request.frequency_penalty)
  copy('stopSequences', typeof request.stop === 'string' ? [request.stop] : request.stop)
  copy('thinkingConfig', buildThinkingConfig(call))
  return config
}

/** Into the int32 that the vendor takes: seeds of further choices count on from the client's and may pass its end. */
function wrapSeed(seed: number | null): number | null {
  return seed === null ? null : seed | 0
}
