// The vendor's finish reasons → the public four, and what is wrong with an answer that only seems to be complete.
import type { FinishReason } from '@fairgate/contracts/chat/response.ts'
import type { AnswerFault } from '../../port.ts'

const reasons: Readonly<Record<string, FinishReason>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  CONTINUATION: 'length',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  LANGUAGE: 'content_filter',
  OTHER: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
  IMAGE_PROHIBITED_CONTENT: 'content_filter',
  IMAGE_RECITATION: 'content_filter',
  IMAGE_OTHER: 'content_filter',
  NO_IMAGE: 'content_filter',
  ESCALATION: 'content_filter',
}

/** Malformed calls and unknown reasons become `stop`. */
export function mapFinishReason(reason: string): FinishReason {
  return Object.hasOwn(reasons, reason) ? (reasons[reason] ?? 'stop') : 'stop'
}

const malformed = new Set([
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MALFORMED_RESPONSE',
  'MISSING_THOUGHT_SIGNATURE',
])

/** `isEmpty`: neither text nor calls nor media came. Null for an answer that is one, or whose reason tells why it is none. */
export function findFault(reason: string, isEmpty: boolean): AnswerFault | null {
  if (malformed.has(reason)) return 'malformed_call'
  return isEmpty && mapFinishReason(reason) === 'stop' ? 'empty' : null
}
