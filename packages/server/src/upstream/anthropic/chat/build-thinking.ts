// Chooses how much a model of Anthropic thinks: a budget for older models, an effort for those that decide by themselves.
import type { ChatCall, Conversation } from '../../port.ts'
import type { Turn } from './build-messages.ts'

type Effort = NonNullable<Conversation['reasoning_effort']>

type ThinkingConfig = { readonly thinking?: object; readonly effort?: string }

const budgets: Readonly<Record<Exclude<Effort, 'none'>, number>> = {
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: Number.POSITIVE_INFINITY,
  max: Number.POSITIVE_INFINITY,
}

const leastBudget = 1024
/** How much of a large enough cap stays for the answer: thoughts count as output and would use it up. */
const answerRoom = 1024

/** `isForced`: a tool must be called, which excludes thinking. Empty: the model's own. */
export function buildThinking(
  { request, model, outputCap }: ChatCall,
  turns: readonly Turn[],
  isForced: boolean,
): ThinkingConfig {
  const effort = request.reasoning_effort ?? null
  const asked = request.thinking ?? null
  if (model.reasoning === 'none' || (effort === null && asked === null)) return {}
  const display = (asked === null ? effort !== 'none' : asked.isShown) ? 'summarized' : 'omitted'
  if (model.reasoning === 'level') {
    const type = isForced || effort === 'none' ? 'disabled' : 'adaptive'
    const thinking = type === 'disabled' ? { type } : { type, display }
    if (effort === null || effort === 'none') return { thinking }
    return { thinking, effort: effort === 'minimal' ? 'low' : effort }
  }
  if (effort === 'none' || isForced || isInUnthoughtLoop(turns)) return {}
  const usual = budgets[effort ?? 'medium']
  const budget = asked === null || typeof asked.budget !== 'number' ? usual : asked.budget
  const tokens = Math.min(budget, outputCap - Math.min(answerRoom, Math.ceil(outputCap / 2)))
  if (tokens < leastBudget) return {}
  return {
    thinking: { type: 'enabled', budget_tokens: tokens, ...(display === 'omitted' ? { display } : {}) },
  }
}

/** Calls of another model wait for their results: with a budget, the API demands thoughts before them. */
function isInUnthoughtLoop(turns: readonly Turn[]): boolean {
  const [answer, results] = turns.slice(-2)
  const isLoop = results?.content.some(({ type }) => type === 'tool_result') === true
  return isLoop && answer?.content[0]?.type !== 'thinking' && answer?.content[0]?.type !== 'redacted_thinking'
}
