// The vendor's logprobsResult → log probabilities per token.
import type { LikelyToken, TokenLogprob } from '@fairgate/contracts/chat/response.ts'
import { asArray, asRecord, asString, type JsonRecord } from '../../narrow-json.ts'

/** null when the candidate has none. */
export function mapLogprobs(candidate: JsonRecord): readonly TokenLogprob[] | null {
  const result = asRecord(candidate.logprobsResult)
  if (result === null) return null
  const likely = asArray(result.topCandidates)
  return asArray(result.chosenCandidates).flatMap((item, position) =>
    readToken(item).map(token => ({
      ...token,
      top_logprobs: asArray(asRecord(likely[position])?.candidates).flatMap(readToken),
    })),
  )
}

function readToken(item: unknown): LikelyToken[] {
  const record = asRecord(item)
  const token = asString(record?.token)
  if (token === null) return []
  const logprob = typeof record?.logProbability === 'number' ? record.logProbability : 0
  return [{ token, logprob, bytes: [...Buffer.from(token)] }]
}
