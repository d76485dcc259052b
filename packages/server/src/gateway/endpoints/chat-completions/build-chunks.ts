// Chat events → the bytes of a streamed reply. What is the same in every chunk is serialised once.
import type { ChatRequest } from '@fairgate/contracts/chat/request.ts'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { ChatEvent, UsageReport } from '../../../upstream/port.ts'
import { buildImage, buildUsage } from './build-completion.ts'

export type ChunkWriter = {
  /** The event as SSE text; '' when it is nothing that a client sees. */
  readonly write: (index: number, event: ChatEvent) => string
  /** The usage chunk when it was asked for, and `[DONE]`. `costUsd` is the charge. */
  readonly end: (usage: readonly UsageReport[], costUsd: number) => string
  /** An error after the reply has begun, then `[DONE]`: OpenAI's clients raise on the `error` member. */
  readonly fail: (error: unknown) => string
}

const done = 'data: [DONE]\n\n'

export function createChunkWriter(facts: {
  request: ChatRequest
  callId: string
  created: number
}): ChunkWriter {
  const { request, callId, created } = facts
  const head =
    `data: {"id":${JSON.stringify(`chatcmpl-${callId}`)},"object":"chat.completion.chunk","created":${created},` +
    `"model":${JSON.stringify(request.model)},"choices":[`
  const begun = new Set<number>()
  const toolCalls = createCounter()
  const images = createCounter()
  const chunk = (index: number, delta: string, finish: string, logprobs = 'null', further = '') =>
    `${head}{"index":${index},"delta":{${delta}},"finish_reason":${finish},"logprobs":${logprobs}}]${further}}\n\n`
  /** The first delta of a choice carries its role. */
  const role = (index: number): string => {
    if (begun.has(index)) return ''
    begun.add(index)
    return '"role":"assistant",'
  }
  return {
    write: (index, event) => {
      switch (event.type) {
        case 'text-delta':
          return chunk(
            index,
            `${role(index)}"content":${JSON.stringify(event.text)}`,
            'null',
            event.logprobs && JSON.stringify({ content: event.logprobs, refusal: null }),
          )
        case 'reasoning-delta':
          return chunk(index, `${role(index)}"reasoning_content":${JSON.stringify(event.text)}`, 'null')
        case 'signature': {
          const blocks = [{ type: 'thinking', thinking: '', signature: event.signature }]
          return chunk(index, `${role(index)}"thinking_blocks":${JSON.stringify(blocks)}`, 'null')
        }
        case 'tool-call': {
          const position = toolCalls.next(index)
          // A client that asked for one call at a time gets no more.
          if (position > 0 && request.parallel_tool_calls === false) return ''
          const calls = [{ index: position, ...event.call }]
          return chunk(index, `${role(index)}"tool_calls":${JSON.stringify(calls)}`, 'null')
        }
        case 'image': {
          const shown = [buildImage(event.image, images.next(index))]
          return chunk(index, `${role(index)}"images":${JSON.stringify(shown)}`, 'null')
        }
        case 'audio-delta': {
          const id = `audio_${callId}_${index}`
          const audio = { id, data: event.audio.base64, expires_at: created }
          return chunk(index, `${role(index)}"audio":${JSON.stringify(audio)}`, 'null')
        }
        case 'metadata': {
          const { annotations } = event
          const delta = annotations.length === 0 ? '' : `"annotations":${JSON.stringify(annotations)}`
          return chunk(
            index,
            `${role(index)}${delta}`.replace(/,$/, ''),
            'null',
            'null',
            writeGeminiData(event),
          )
        }
        case 'usage':
        case 'progress':
          return ''
        case 'finish': {
          const opening = begun.has(index) ? '' : chunk(index, `${role(index)}"content":""`, 'null')
          return opening + chunk(index, '', JSON.stringify(event.reason))
        }
      }
    },
    end: (usage, costUsd) => {
      if (request.stream_options?.include_usage !== true) return done
      const figures = { ...buildUsage(usage), cost: costUsd }
      return `${head}],"usage":${JSON.stringify(figures)}}\n\n${done}`
    },
    fail: error => {
      const known = error instanceof ApiError ? error : new ApiError('internal', { cause: error })
      return `data: ${JSON.stringify(known.toBody())}\n\n${done}`
    },
  }
}

/** Counts from 0 for each choice. */
function createCounter() {
  const counts = new Map<number, number>()
  return {
    next: (choice: number): number => {
      const count = counts.get(choice) ?? 0
      counts.set(choice, count + 1)
      return count
    },
  }
}

/** Further members of a chunk, beside its choices, as JSON text. */
function writeGeminiData(event: Extract<ChatEvent, { type: 'metadata' }>): string {
  const members = {
    vendor_grounding_metadata: event.groundingMetadata,
    vendor_url_context_metadata: event.urlContextMetadata,
    vendor_citation_metadata: event.citationMetadata,
  }
  return Object.entries(members)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `,"${name}":${JSON.stringify([value])}`)
    .join('')
}
