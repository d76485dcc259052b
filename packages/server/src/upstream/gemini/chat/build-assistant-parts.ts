// What the model said and called in earlier turns → the vendor's parts, with the thought signatures it gave out.
import type { AssistantContent } from '@fairgate/contracts/chat/content-parts.ts'
import type { AssistantMessage } from '@fairgate/contracts/chat/message.ts'
import { readArguments } from '@fairgate/contracts/chat/tools.ts'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { Part } from './part.ts'
import { readSignature } from './tool-call-id.ts'

/** The vendor's own word for calls that no model of its made: without it, models that reason by level refuse them. */
const foreignSignature = 'skip_thought_signature_validator'

/** `index`: of the message, for errors. `needsSignature`: the model refuses calls without one. */
export function buildAssistantParts(
  message: AssistantMessage,
  index: number,
  needsSignature: boolean,
): readonly Part[] {
  const { content, refusal, tool_calls: toolCalls, thinking_blocks: blocks } = message
  const text = typeof content === 'string' ? content : joinParts(content ?? null, refusal ?? '')
  const calls = toolCalls ?? []
  if (calls.length === 0 && !blocks?.length) return text === '' ? [] : [{ text }]
  const ofCalls = calls.map(call => readSignature(call.id))
  const isSigned = ofCalls.some(signature => signature !== null)
  const ofBlocks = blocks?.findLast(block => typeof block.signature === 'string')?.signature || null
  const parts: Part[] = []
  // The vendor signs the text, or else the first call; a signature alone stands on an empty text.
  if (ofBlocks !== null && (text !== '' || calls.length === 0 || isSigned))
    parts.push({ text, thoughtSignature: ofBlocks })
  else if (text !== '') parts.push({ text })
  calls.forEach((call, position) => {
    const given = ofCalls[position] ?? null
    const isFirstUnsigned = position === 0 && !isSigned
    const fallback = (text === '' ? ofBlocks : null) ?? (needsSignature ? foreignSignature : null)
    const signature = given ?? (isFirstUnsigned ? fallback : null)
    const functionCall = {
      name: call.function.name,
      args: argumentsOf(
        call.function.arguments,
        `messages[${index}].tool_calls[${position}].function.arguments`,
      ),
    }
    parts.push(signature === null ? { functionCall } : { functionCall, thoughtSignature: signature })
  })
  return parts
}

function joinParts(content: Exclude<AssistantContent, string> | null, refusal: string): string {
  if (content === null) return refusal
  return content.map(part => (part.type === 'text' ? part.text : part.refusal)).join('')
}

function argumentsOf(text: string, param: string): Readonly<Record<string, unknown>> {
  const args = readArguments(text)
  if (args !== null) return args
  throw new ApiError('invalid_request', { param, message: `${param} must be a JSON object as text.` })
}
