// Chat events → the bytes of a streamed reply. What is the same in every chunk is serialised once.
import type { ChatRequest } from '@fairgate/contracts/chat/request.ts'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { ChatEvent, UsageReport } from '../../../upstream/port.ts'
import { buildUsage } from './build-usage.ts'

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
  const chunk = (index: number, delta: string, finish: string) =>
    `${head}{"index":${index},"delta":{${delta}},"finish_reason":${finish},"logprobs":null}]}\n\n`
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
          return chunk(index, `${role(index)}"content":${JSON.stringify(event.text)}`, 'null')
        case 'reasoning-delta':
          return chunk(index, `${role(index)}"reasoning_content":${JSON.stringify(event.text)}`, 'null')
        case 'usage':
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
