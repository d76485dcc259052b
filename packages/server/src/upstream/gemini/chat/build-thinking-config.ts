// reasoning_effort → the vendor's thinkingConfig: a token budget for some models, a level for others.
import type { ChatRequest } from '@fairgate/contracts/chat/request.ts'
import type { ChatCall } from '../../port.ts'

export type ThinkingConfig = { readonly includeThoughts: boolean } & (
  | { readonly thinkingBudget: number }
  | { readonly thinkingLevel: string }
)

type Effort = NonNullable<ChatRequest['reasoning_effort']>

const budgets: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 512,
  low: 1024,
  medium: 8192,
  high: 24_576,
}

/** Models with levels cannot switch reasoning off; `none` asks for the least. */
const levels: Readonly<Record<Effort, string>> = {
  none: 'MINIMAL',
  minimal: 'MINIMAL',
  low: 'LOW',
  medium: 'MEDIUM',
  high: 'HIGH',
}

/** null leaves it to the model: no effort was asked for, or the model does not reason. */
export function buildThinkingConfig({ request, model, outputCap }: ChatCall): ThinkingConfig | null {
  const effort = request.reasoning_effort ?? null
  if (effort === null || model.reasoning === 'none') return null
  const includeThoughts = effort !== 'none'
  if (model.reasoning === 'level') return { includeThoughts, thinkingLevel: levels[effort] }
  return { includeThoughts, thinkingBudget: Math.min(budgets[effort], outputCap) }
}
