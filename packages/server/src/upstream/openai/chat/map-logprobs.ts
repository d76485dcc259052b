// The logprobs of OpenAI-compatible servers → log probabilities per token; malformed entries are left out.
import type { LikelyToken, TokenLogprob } from '@fairgate/contracts/chat/response.ts'
import { asArray, asRecord, asString, type JsonRecord } from '../../narrow-json.ts'

/** Null when the choice has none. */
export function mapLogprobs(choice: JsonRecord): readonly TokenLogprob[] | null {
  const content = asRecord(choice.logprobs)?.content
  if (!Array.isArray(content)) return null
  return content.flatMap(item =>
    readToken(item).map(token => ({
      ...token,
      top_logprobs: asArray(asRecord(item)?.top_logprobs).flatMap(readToken),
    })),
  )
}

function readToken(item: unknown): LikelyToken[] {
  const record = asRecord(item)
  const token = asString(record?.token)
  if (token === null) return []
  const logprob = typeof record?.logprob === 'number' ? record.logprob : 0
  const bytes = record?.bytes
  const isBytes = Array.isArray(bytes) && bytes.every(byte => Number.isInteger(byte))
  return [{ token, logprob, bytes: isBytes ? bytes : [...Buffer.from(token)] }]
}
