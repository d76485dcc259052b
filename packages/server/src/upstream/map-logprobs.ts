// Log probabilities per token, from either kind of upstream. Malformed entries are left out.
import type { LikelyToken, TokenLogprob } from '@fairgate/contracts/chat/response.ts'
import { asArray, asRecord, asString, type JsonRecord } from './narrow-json.ts'

/** From a candidate of the vendor; null if it has none. */
export function mapGeminiLogprobs({ logprobsResult }: JsonRecord): readonly TokenLogprob[] | null {
  const result = asRecord(logprobsResult)
  if (result === null) return null
  const likely = asArray(result.topCandidates)
  return mapTokens(asArray(result.chosenCandidates), (_, at) => asRecord(likely[at])?.candidates)
}

/** From a choice of an OpenAI-compatible server; null if it has none. */
export function mapOpenaiLogprobs({ logprobs }: JsonRecord): readonly TokenLogprob[] | null {
  const content = asRecord(logprobs)?.content
  return Array.isArray(content) ? mapTokens(content, item => asRecord(item)?.top_logprobs) : null
}

function mapTokens(chosen: readonly unknown[], likelyAt: (item: unknown, at: number) => unknown) {
  return chosen.flatMap((item, at) =>
    readToken(item).map(token => ({
      ...token,
      top_logprobs: asArray(likelyAt(item, at)).flatMap(readToken),
    })),
  )
}

function readToken(item: unknown): LikelyToken[] {
  const record = asRecord(item)
  const token = asString(record?.token)
  if (token === null) return []
  const said = record?.logprob ?? record?.logProbability
  const bytes = record?.bytes
  const isBytes = Array.isArray(bytes) && bytes.every(byte => Number.isInteger(byte))
  const logprob = typeof said === 'number' ? said : 0
  return [{ token, logprob, bytes: isBytes ? bytes : [...Buffer.from(token)] }]
}
