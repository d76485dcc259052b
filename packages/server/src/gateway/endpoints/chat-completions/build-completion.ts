// The body of a unary reply: the results of the upstream calls merged into one completion (spec 2.3).
import type { ChatRequest } from '@fairgate/contracts/chat/request.ts'
import type { ChatCompletion } from '@fairgate/contracts/chat/response.ts'
import type { ChatChoice, ChatResult } from '../../../upstream/port.ts'
import { buildUsage } from './build-usage.ts'

export type CompletionFacts = {
  readonly results: readonly ChatResult[]
  readonly request: ChatRequest
  readonly callId: string
  /** Unix seconds. */
  readonly created: number
}

export function buildCompletion({ results, request, callId, created }: CompletionFacts): ChatCompletion {
  const choices = results.flatMap(result => result.choices)
  return {
    id: `chatcmpl-${results[0]?.responseId ?? callId}`,
    created,
    model: request.model,
    object: 'chat.completion',
    choices: choices.map(buildChoice),
    usage: buildUsage(results.map(result => result.usage)),
    vendor_grounding_metadata: present(choices.map(choice => choice.groundingMetadata)),
    vendor_url_context_metadata: present(choices.map(choice => choice.urlContextMetadata)),
    vendor_safety_results: present(choices.map(choice => choice.safetyRatings)),
    vendor_citation_metadata: present(choices.map(choice => choice.citationMetadata)),
  }
}

function buildChoice(choice: ChatChoice, index: number): ChatCompletion['choices'][number] {
  return {
    finish_reason: choice.finishReason,
    index,
    message: {
      role: 'assistant',
      content: choice.text,
      refusal: null,
      ...(choice.reasoning === null ? {} : { reasoning_content: choice.reasoning }),
      images: [],
      thinking_blocks: choice.reasoning === null ? [] : [{ type: 'thinking', thinking: choice.reasoning }],
    },
    logprobs: null,
  }
}

function present(values: readonly unknown[]): unknown[] {
  return values.filter(value => value !== null)
}
