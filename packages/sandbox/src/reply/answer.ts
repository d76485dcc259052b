// Defines a model kind's contribution to a reply, before usage and names are added.
import type { Goods } from '../counters.ts'
import type { TokenDetail } from './plan-reply.ts'

/** Parts after the text, which come in one chunk of a stream, and their tokens. */
export type ReplyStep = { readonly parts: readonly object[]; readonly candidates: number }

export type Answer = {
  readonly text: string
  readonly textTokens: number
  readonly thought: string | null
  readonly thoughts: number
  readonly steps: readonly ReplyStep[]
  readonly finishReason: string
  readonly extras: object
  readonly candidatesDetails: readonly TokenDetail[]
  readonly goods: Goods
}

export const plainAnswer: Answer = {
  text: '',
  textTokens: 0,
  thought: null,
  thoughts: 0,
  steps: [],
  finishReason: 'STOP',
  extras: {},
  candidatesDetails: [],
  goods: {},
}

export function inlineData(mimeType: string, bytes: Uint8Array): object {
  return { inlineData: { mimeType, data: Buffer.from(bytes).toString('base64') } }
}
