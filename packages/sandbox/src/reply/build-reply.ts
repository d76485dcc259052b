// Turns a plan into the JSON of a whole reply or of the chunks of a stream, as the vendor writes them.
import type { Usage } from '../counters.ts'
import { cutText } from '../play-stream.ts'
import type { Switches } from '../switches.ts'
import type { ReplyPlan, TokenDetail } from './plan-reply.ts'

/** The body of generateContent. Empty members are left out, as on the real wire. */
export function buildReply(plan: ReplyPlan, switches: Switches): object {
  const head = buildHead(plan, plan.usage, switches)
  if (plan.text === null) return { promptFeedback: { blockReason: plan.blockReason }, ...head }
  const parts = [
    ...buildThought(plan),
    ...(plan.text === '' ? [] : [{ text: plan.text }]),
    ...plan.steps.flatMap(step => step.parts),
  ]
  const content = { ...(parts.length === 0 ? {} : { parts }), role: 'model' }
  const logprobs = plan.logprobs === null ? {} : buildLogprobs(plan.text, plan.logprobs)
  return {
    candidates: [{ content, finishReason: plan.finishReason, index: 0, ...plan.extras, ...logprobs }],
    ...head,
  }
}

export type ReplyChunk = { readonly body: object; readonly usage: Usage }

/** The chunks of a stream, with cumulative usage and the finish reason on the last. */
export function buildChunks(plan: ReplyPlan, switches: Switches): ReplyChunk[] {
  const { text, steps } = plan
  if (text === null) return [{ body: buildReply(plan, switches), usage: plan.usage }]
  const textTokens = steps.reduce((rest, step) => rest - step.candidates, plan.usage.candidates)
  const pieces = cutText(text, switches.chunks ?? Math.min(8, Math.ceil(textTokens / 8)))
  const chunks: ReplyChunk[] = []
  const add = (parts: readonly object[], candidates: number, isLast: boolean, piece = '') => {
    const usage = { ...plan.usage, candidates }
    const content = { ...(parts.length === 0 ? {} : { parts }), role: 'model' }
    const end = isLast ? { finishReason: plan.finishReason, index: 0, ...plan.extras } : { index: 0 }
    const logprobs = plan.logprobs === null || piece === '' ? {} : buildLogprobs(piece, plan.logprobs)
    const body = {
      candidates: [{ content, ...end, ...logprobs }],
      ...buildHead(plan, usage, switches),
    }
    chunks.push({ body, usage })
  }
  const thought = buildThought(plan)
  if (thought.length > 0) add(thought, 0, false)
  let written = 0
  pieces.forEach((piece, index) => {
    written += Array.from(piece).length
    const isLast = index === pieces.length - 1
    add([{ text: piece }], isLast ? textTokens : Math.ceil(written / 4), isLast && steps.length === 0, piece)
  })
  let candidates = textTokens
  steps.forEach((step, index) => {
    candidates += step.candidates
    add(step.parts, candidates, index === steps.length - 1)
  })
  if (pieces.length === 0 && steps.length === 0) add([], 0, true)
  return chunks
}

function buildThought({ thought }: ReplyPlan): object[] {
  return thought === null ? [] : [{ text: thought, thought: true }]
}

function buildHead(plan: ReplyPlan, usage: Usage, switches: Switches): object {
  const tail = { modelVersion: plan.model, responseId: plan.responseId }
  return switches.noUsage === true ? tail : { usageMetadata: buildUsage(plan, usage, switches), ...tail }
}

function buildUsage(plan: ReplyPlan, usage: Usage, { badUsage }: Switches): object {
  const { prompt, cached, candidates, thoughts } = usage
  if (badUsage !== undefined) {
    const wrong = { negative: -5, fractional: 2.5, absurd: 9e15 }[badUsage]
    return { promptTokenCount: prompt, candidatesTokenCount: wrong, totalTokenCount: prompt + candidates }
  }
  const details = listDetails(plan, candidates)
  return {
    promptTokenCount: prompt,
    ...(cached === 0 ? {} : { cachedContentTokenCount: cached }),
    ...(candidates === 0 ? {} : { candidatesTokenCount: candidates }),
    totalTokenCount: prompt + candidates + thoughts,
    promptTokensDetails: plan.promptDetails,
    ...(details.length === 0 ? {} : { candidatesTokensDetails: details }),
    ...(thoughts === 0 ? {} : { thoughtsTokenCount: thoughts }),
  }
}

/** Media count once they are sent. In the middle of a stream, only audio without text is partly sent. */
function listDetails(
  { usage, text, candidatesDetails }: ReplyPlan,
  candidates: number,
): readonly TokenDetail[] {
  const [first] = candidatesDetails
  if (first === undefined || candidates === usage.candidates) return candidatesDetails
  const isPart = text === '' && candidatesDetails.length === 1 && candidates > 0
  return isPart ? [{ ...first, tokenCount: candidates }] : []
}

/** `avgLogprobs` and `logprobsResult` of a candidate; `top` alternatives for each token. */
function buildLogprobs(text: string, top: number): object {
  const codePoints = Array.from(text)
  const tokens = Array.from({ length: Math.ceil(codePoints.length / 4) }, (_, index) =>
    codePoints.slice(index * 4, index * 4 + 4).join(''),
  )
  const chosenCandidates = tokens.map((token, index) => ({
    token,
    tokenId: index + 1,
    logProbability: -((index % 10) + 1) / 100,
  }))
  const sum = chosenCandidates.reduce((total, { logProbability }) => total + logProbability, 0)
  const topCandidates = chosenCandidates.map(chosen => ({
    candidates: Array.from({ length: top }, (_, rank) =>
      rank === 0
        ? chosen
        : { token: `alt${rank}`, tokenId: 10_000 + rank, logProbability: chosen.logProbability - rank },
    ),
  }))
  return {
    ...(tokens.length === 0 ? {} : { avgLogprobs: sum / tokens.length }),
    logprobsResult: { chosenCandidates, ...(top === 0 ? {} : { topCandidates }) },
  }
}
