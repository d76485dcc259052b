// Converts `thinking` as Anthropic's clients send it, and LiteLLM's in chat.
import type { Conversation } from '../../upstream/port.ts'

export type SentThinking = {
  /** Any value besides `enabled` and `disabled` leaves it to the model. */
  readonly type: string
  readonly budget_tokens?: number | null
}

type Effort = NonNullable<Conversation['reasoning_effort']>

/** `effort`: the requested one, for models without budgets. `isShown`: the answer shows the thoughts. */
export function convertThinking(
  { type, budget_tokens: tokens }: SentThinking,
  effort: Effort | null,
  isShown: boolean,
): Pick<Conversation, 'reasoning_effort' | 'thinking'> {
  if (type === 'disabled' || (type === 'enabled' && tokens === 0)) return { reasoning_effort: 'none' }
  if (type !== 'enabled')
    return { ...(effort === null ? {} : { reasoning_effort: effort }), thinking: { budget: 'auto', isShown } }
  const budget = tokens ?? 'auto'
  return { reasoning_effort: effort ?? effortOf(budget), thinking: { budget, isShown } }
}

/** For models without budgets: the level of `reasoning_effort` with about as many tokens. */
function effortOf(budget: number | 'auto') {
  if (budget === 'auto' || budget >= 16_384) return 'high'
  return budget >= 4096 ? 'medium' : 'low'
}
