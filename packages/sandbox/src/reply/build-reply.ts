// Plan → the JSON of a whole reply and of the chunks of a stream, as the vendor writes them.
import type { Usage } from '../counters.ts'
import type { Switches } from '../switches.ts'
import type { ReplyPlan } from './plan-reply.ts'

/** The body of generateContent. Empty members are left out, as on the real wire. */
export function buildReply(plan: ReplyPlan, switches: Switches): object {
  const head = buildHead(plan, plan.usage, switches)
  if (plan.text === null) return { promptFeedback: { blockReason: plan.blockReason }, ...head }
  const parts = [...buildThought(plan), ...(plan.text === '' ? [] : [{ text: plan.text }])]
  const content = { ...(parts.length === 0 ? {} : { parts }), role: 'model' }
  return { candidates: [{ content, finishReason: plan.finishReason, index: 0 }], ...head }
}

export type ReplyChunk = { readonly body: object; readonly usage: Usage }

/** The chunks of a stream, with cumulative usage and the finish reason on the last. */
export function buildChunks(plan: ReplyPlan, switches: Switches): ReplyChunk[] {
  if (plan.text === null) return [{ body: buildReply(plan, switches), usage: plan.usage }]
  const pieces = cut(plan.text, switches.chunks ?? Math.min(8, Math.ceil(plan.usage.candidates / 8)))
  const chunks: ReplyChunk[] = []
  const add = (parts: readonly object[], candidates: number, finishReason: string | null) => {
    const usage = { ...plan.usage, candidates }
    const content = { ...(parts.length === 0 ? {} : { parts }), role: 'model' }
    const candidate = { content, ...(finishReason === null ? {} : { finishReason }), index: 0 }
    chunks.push({ body: { candidates: [candidate], ...buildHead(plan, usage, switches) }, usage })
  }
  const thought = buildThought(plan)
  if (thought.length > 0) add(thought, 0, null)
  let written = 0
  pieces.forEach((piece, index) => {
    written += Array.from(piece).length
    const isLast = index === pieces.length - 1
    const candidates = isLast ? plan.usage.candidates : Math.ceil(written / 4)
    add([{ text: piece }], candidates, isLast ? plan.finishReason : null)
  })
  if (pieces.length === 0) add([], 0, plan.finishReason)
  return chunks
}

function buildThought({ thought }: ReplyPlan): object[] {
  return thought === null ? [] : [{ text: thought, thought: true }]
}

function buildHead(plan: ReplyPlan, usage: Usage, switches: Switches): object {
  const tail = { modelVersion: plan.model, responseId: plan.responseId }
  return switches.noUsage === true ? tail : { usageMetadata: buildUsage(usage, switches), ...tail }
}

function buildUsage(usage: Usage, { badUsage }: Switches): object {
  const { prompt, cached, candidates, thoughts } = usage
  if (badUsage !== undefined) {
    const wrong = { negative: -5, fractional: 2.5, absurd: 9e15 }[badUsage]
    return { promptTokenCount: prompt, candidatesTokenCount: wrong, totalTokenCount: prompt + candidates }
  }
  return {
    promptTokenCount: prompt,
    ...(cached === 0 ? {} : { cachedContentTokenCount: cached }),
    ...(candidates === 0 ? {} : { candidatesTokenCount: candidates }),
    totalTokenCount: prompt + candidates + thoughts,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: prompt }],
    ...(thoughts === 0 ? {} : { thoughtsTokenCount: thoughts }),
  }
}

/** In so many pieces of about the same length, never inside a character. */
function cut(text: string, count: number): string[] {
  const codePoints = Array.from(text)
  const size = Math.max(1, Math.ceil(codePoints.length / Math.max(1, count)))
  const pieces: string[] = []
  for (let start = 0; start < codePoints.length; start += size) {
    pieces.push(codePoints.slice(start, start + size).join(''))
  }
  return pieces
}
