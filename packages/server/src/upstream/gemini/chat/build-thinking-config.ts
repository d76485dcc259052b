// How much a model is asked to think: an effort or a number of tokens → a budget for some models, a level for others.
import type { ChatRequest } from '@fairgate/contracts/chat/request.ts'
import type { ChatCall, Thinking } from '../../port.ts'

type Effort = NonNullable<ChatRequest['reasoning_effort']>
type Level = 'MINIMAL' | 'LOW' | 'MEDIUM' | 'HIGH'

/** The vendor's own table for its OpenAI-compatible endpoint; the highest efforts ask for all that a model can think. */
const efforts: Readonly<Record<Effort, { readonly budget: number; readonly level: Level }>> = {
  none: { budget: 0, level: 'MINIMAL' },
  minimal: { budget: 512, level: 'MINIMAL' },
  low: { budget: 1024, level: 'LOW' },
  medium: { budget: 8192, level: 'MEDIUM' },
  high: { budget: 24_576, level: 'HIGH' },
  xhigh: { budget: Number.POSITIVE_INFINITY, level: 'HIGH' },
  max: { budget: Number.POSITIVE_INFINITY, level: 'HIGH' },
}

/** The model decides. */
const dynamic = -1
/** Of a cap that is large enough, so much stays for the answer: thoughts count as output and would use it up. */
const answerRoom = 1024
/** With a smaller cap the model does not decide by itself: it may think so much and then has nothing left to answer. */
const smallCap = 8192

/** Null when nothing was asked for, or the model does not think. */
export function buildThinkingConfig({ request, model, outputCap }: ChatCall): object | null {
  const effort = request.reasoning_effort ?? null
  const thinking = request.thinking ?? null
  if (model.reasoning === 'none' || (effort === null && thinking === null)) return null
  const includeThoughts = thinking === null ? effort !== 'none' : thinking.isShown
  if (model.reasoning === 'level') {
    const level = chooseLevel(effort, thinking?.budget ?? null)
    if (level !== null) return { includeThoughts, thinkingLevel: limitLevel(level, model.upstreamId) }
  } else {
    const budget = chooseBudget(effort, thinking, outputCap, limitsOf(model.upstreamId))
    if (budget !== null) return { includeThoughts, thinkingBudget: budget }
  }
  return includeThoughts ? { includeThoughts } : null
}

/** Null: the model's own. */
function chooseLevel(effort: Effort | null, budget: Thinking['budget']): Level | null {
  if (budget === null || budget === 'auto') return effort === null ? null : efforts[effort].level
  if (budget <= efforts.minimal.budget) return 'MINIMAL'
  if (budget <= efforts.low.budget) return 'LOW'
  return budget <= efforts.medium.budget ? 'MEDIUM' : 'HIGH'
}

/** What the models of type pro lack. A level that a model does not know is refused. */
function limitLevel(level: Level, upstreamId: string): Level {
  if (!isPro(upstreamId)) return level
  if (level === 'MINIMAL') return 'LOW'
  return level === 'MEDIUM' && /-3-pro/.test(upstreamId) ? 'HIGH' : level
}

type BudgetLimits = { readonly least: number; readonly most: number; readonly canBeOff: boolean }

/** What each model of the second generation takes, by the vendor's page on thinking. */
function limitsOf(upstreamId: string): BudgetLimits {
  if (isPro(upstreamId)) return { least: 128, most: 32_768, canBeOff: false }
  if (upstreamId.includes('flash-lite')) return { least: 512, most: 24_576, canBeOff: true }
  return { least: 1, most: 24_576, canBeOff: true }
}

function isPro(upstreamId: string): boolean {
  return /-pro(?:-|$)/.test(upstreamId)
}

/** Null: the model's own. */
function chooseBudget(
  effort: Effort | null,
  thinking: Thinking | null,
  outputCap: number,
  limits: BudgetLimits,
): number | null {
  const asked = thinking?.budget ?? (effort === null ? null : efforts[effort].budget)
  if (asked === null) return null
  const roomy = outputCap - Math.min(answerRoom, Math.ceil(outputCap / 2))
  if (asked === 'auto') return outputCap > smallCap ? dynamic : limitBudget(roomy, limits)
  // An effort of plain chat may take the whole cap, as it always could.
  const isPlain = thinking === null && asked !== Number.POSITIVE_INFINITY
  const most = isPlain ? outputCap : roomy
  return limitBudget(Math.min(asked, most), limits)
}

/** Too little to think with is no thinking, where the model can do without. */
function limitBudget(budget: number, { least, most, canBeOff }: BudgetLimits): number {
  if (budget >= least) return Math.min(budget, most)
  return canBeOff ? 0 : least
}
