// Turns chat events into the bytes of a streamed reply. Anything that is the same in every chunk is serialised once.
import type { ChatRequest } from '@fairgate/contracts/chat/request.ts'
import { toApiError } from '../../../http/write-error.ts'
import type { ChatEvent, UsageReport } from '../../../upstream/port.ts'
import type { AnswerWriter } from '../../conversation/answer-pieces.ts'
import { buildImage, buildUsage } from './build-completion.ts'

type Shape = Pick<ChatRequest, 'model' | 'parallel_tool_calls' | 'stream_options'>

const done = 'data: [DONE]\n\n'

/** Written parts of one choice. */
type Choice = { hasBegun: boolean; toolCalls: number; images: number }

export class ChunkWriter implements AnswerWriter {
  private readonly callId: string
  private readonly model: string
  /** A client that asked for one call at a time gets no more. */
  private readonly hasOneCall: boolean
  private readonly includesUsage: boolean
  private readonly choices: Choice[] = []
  private created = 0
  private head = ''

  /** `request`: not kept. */
  constructor({ model, parallel_tool_calls, stream_options }: Shape, callId: string) {
    this.callId = callId
    this.model = model
    this.hasOneCall = parallel_tool_calls === false
    this.includesUsage = stream_options?.include_usage === true
  }

  /** Before the first chunk. `created`: Unix seconds. */
  begin(created: number): void {
    this.created = created
    this.head =
      `data: {"id":${JSON.stringify(`chatcmpl-${this.callId}`)},"object":"chat.completion.chunk","created":${created},` +
      `"model":${JSON.stringify(this.model)},"choices":[`
  }

  /** The event as SSE text; '' if clients see nothing of it. */
  write(index: number, event: ChatEvent): string {
    switch (event.type) {
      case 'text-delta':
        return this.delta(
          index,
          `"content":${JSON.stringify(event.text)}`,
          event.logprobs && JSON.stringify({ content: event.logprobs, refusal: null }),
        )
      case 'reasoning-delta':
        return this.delta(index, `"reasoning_content":${JSON.stringify(event.text)}`)
      case 'signature': {
        const blocks = [{ type: 'thinking', thinking: '', signature: event.signature }]
        return this.delta(index, `"thinking_blocks":${JSON.stringify(blocks)}`)
      }
      case 'tool-call': {
        const choice = this.choice(index)
        const position = choice.toolCalls
        choice.toolCalls += 1
        if (position > 0 && this.hasOneCall) return ''
        return this.delta(index, `"tool_calls":${JSON.stringify([{ index: position, ...event.call }])}`)
      }
      case 'image': {
        const choice = this.choice(index)
        const shown = [buildImage(event.image, choice.images)]
        choice.images += 1
        return this.delta(index, `"images":${JSON.stringify(shown)}`)
      }
      case 'audio-delta': {
        const id = `audio_${this.callId}_${index}`
        const audio = { id, data: event.audio.base64, expires_at: this.created }
        return this.delta(index, `"audio":${JSON.stringify(audio)}`)
      }
      case 'metadata': {
        const { annotations } = event
        const shown = annotations.length === 0 ? '' : `"annotations":${JSON.stringify(annotations)}`
        return this.delta(index, shown, 'null', writeGeminiData(event))
      }
      case 'usage':
      case 'progress':
        return ''
      case 'finish': {
        const opening = this.choice(index).hasBegun ? '' : this.delta(index, '"content":""')
        return opening + this.chunk(index, '', JSON.stringify(event.reason), 'null', '')
      }
    }
  }

  /** The usage chunk if it was requested, and `[DONE]`. `costUsd` is the charge. */
  end(usage: readonly UsageReport[], costUsd: number): string {
    if (!this.includesUsage) return done
    const figures = { ...buildUsage(usage), cost: costUsd }
    return `${this.head}],"usage":${JSON.stringify(figures)}}\n\n${done}`
  }

  /** An error after the reply has started, then `[DONE]`: OpenAI's clients raise on the `error` member. */
  fail(error: unknown): string {
    return `data: ${JSON.stringify(toApiError(error).toBody())}\n\n${done}`
  }

  /** The first delta of a choice carries its role. `further`: members next to the choices. */
  private delta(index: number, members: string, logprobs = 'null', further = ''): string {
    const choice = this.choice(index)
    if (choice.hasBegun) return this.chunk(index, members, 'null', logprobs, further)
    choice.hasBegun = true
    const opening = members === '' ? '"role":"assistant"' : `"role":"assistant",${members}`
    return this.chunk(index, opening, 'null', logprobs, further)
  }

  private chunk(index: number, delta: string, finish: string, logprobs: string, further: string): string {
    return `${this.head}{"index":${index},"delta":{${delta}},"finish_reason":${finish},"logprobs":${logprobs}}]${further}}\n\n`
  }

  private choice(index: number): Choice {
    const known = this.choices[index]
    if (known !== undefined) return known
    const choice = { hasBegun: false, toolCalls: 0, images: 0 }
    this.choices[index] = choice
    return choice
  }
}

/** Further members of a chunk, next to its choices, as JSON text. */
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
