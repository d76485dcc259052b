// The finish reasons of OpenAI-compatible servers → the public four.
import type { FinishReason } from '@fairgate/contracts/chat/response.ts'

const reasons: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  max_tokens: 'length',
  model_length: 'length',
  content_filter: 'content_filter',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
}

/** Some servers say `stop` although they sent a call. A refusal in words counts as one whatever they say. Unknown reasons are `stop`. */
export function mapFinishReason(
  reason: string,
  { hasCalls, hasRefusal }: { readonly hasCalls: boolean; readonly hasRefusal: boolean },
): FinishReason {
  if (hasRefusal) return 'content_filter'
  const known = Object.hasOwn(reasons, reason) ? (reasons[reason] ?? 'stop') : 'stop'
  if (known === 'stop' && hasCalls) return 'tool_calls'
  return known === 'tool_calls' && !hasCalls ? 'stop' : known
}
