// The vendor's finish reasons → the public four.
import type { FinishReason } from '@fairgate/contracts/chat/response.ts'

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
