// Decides what the sandbox will answer: text, reasoning, token counts and finish reason. Pure and repeatable.
import { countTokens, writeText } from '../count-tokens.ts'
import type { Usage } from '../counters.ts'
import type { GenerateRequest } from '../read-request.ts'
import type { Switches } from '../switches.ts'

export type ReplyPlan = {
  readonly model: string
  readonly responseId: string
  /** null when the prompt is refused. */
  readonly text: string | null
  readonly thought: string | null
  readonly finishReason: string
  readonly blockReason: string | null
  readonly usage: Usage
}

/** An answer of free length has so many tokens. */
const freeLength = 40
/** Up to this cap the answer uses it up exactly, so that costs can be foretold. */
const smallCap = 64
const vendorDefaultCap = 8192

export function planReply(
  model: string,
  request: GenerateRequest,
  switches: Switches,
  responseId: string,
): ReplyPlan {
  const prompt = countPrompt(request)
  const cached = Math.min(switches.cachedTokens ?? 0, prompt)
  const head = { model, responseId }
  if (switches.blockPrompt !== undefined) {
    const usage = { prompt, cached, candidates: 0, thoughts: 0 }
    return { ...head, text: null, thought: null, finishReason: '', blockReason: switches.blockPrompt, usage }
  }
  const cap = request.maxOutputTokens ?? vendorDefaultCap
  const thoughts = Math.min(switches.thinkingTokens ?? request.thinking.tokens, cap)
  const wanted = switches.outputTokens ?? (cap <= smallCap ? cap : freeLength)
  const isRefused = switches.finishReason !== undefined && switches.finishReason !== 'STOP'
  const candidates = isRefused ? 0 : Math.min(wanted, cap - thoughts)
  const usesCap = candidates < wanted || candidates + thoughts === cap
  return {
    ...head,
    text: candidates === 0 ? '' : writeText(candidates, echo(request.lastText), switches.splitUtf8 === true),
    thought: request.thinking.isShown && thoughts > 0 ? writeText(thoughts, 'Thinking: ', false) : null,
    finishReason: switches.finishReason ?? (usesCap ? 'MAX_TOKENS' : 'STOP'),
    blockReason: null,
    usage: { prompt, cached, candidates, thoughts },
  }
}

/** The same for a call and for a count of its tokens. */
export function countPrompt(request: GenerateRequest): number {
  return request.texts.reduce((sum, text) => sum + countTokens(text), 0)
}

function echo(prompt: string): string {
  const quoted = prompt.replaceAll(/\s+/g, ' ').trim().slice(0, 60)
  return `You said "${quoted}". `
}
