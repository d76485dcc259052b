// What the figures of a team mean in words: whether the money lasts, which limits are tight, what the lights say.

import type { Self } from '@fairgate/contracts/console/self.ts'
import type { LimitInUse } from '@fairgate/contracts/console/team-detail.ts'
import { formatMoney } from '../format/money.ts'

export type Verdict = { readonly tone: 'ok' | 'warn' | 'bad' | 'plain'; readonly text: string }

/** `clockAt` writes an instant as a time of day. */
export function judgeBudget(
  { budget_nano, left_nano, pace_nano_h, dry_at }: Self['budget'],
  gateway: Self['phase']['gateway'],
  clockAt: (at: number) => string,
): Verdict {
  if (budget_nano === null) return { tone: 'plain', text: 'No budget is set' }
  if (left_nano !== null && left_nano <= 0) return { tone: 'bad', text: 'Nothing is left' }
  if (gateway !== 'open')
    return { tone: 'plain', text: gateway === 'paused' ? 'Paused' : 'The gateway is closed' }
  if (dry_at !== null) return { tone: 'warn', text: `Runs dry about ${clockAt(Date.parse(dry_at))}` }
  if (pace_nano_h === null) return { tone: 'plain', text: 'Too early to say whether it lasts' }
  if (pace_nano_h === 0) return { tone: 'plain', text: 'Nothing is being spent' }
  return { tone: 'ok', text: `Lasts to the end at ${formatMoney(pace_nano_h)} an hour` }
}

const kinds: Readonly<Record<LimitInUse['kind'], string>> = {
  requests: 'Requests',
  tokens: 'Tokens',
  parallel: 'Running at once',
  budget: 'Budget',
}

/** What is known of a key that a limit may be of. */
type LimitedKey = Pick<Self['keys'][number], 'key_id' | 'alias' | 'key_name' | 'person' | 'is_own'>

export function nameLimit({ kind, level, key, model }: LimitInUse, keys: readonly LimitedKey[] = []): string {
  const of =
    level === 'service_model'
      ? 'all teams'
      : key === null
        ? null
        : nameKey(keys.find(({ key_id }) => key_id === key))
  return [`${kinds[kind]}${model === null ? '' : `, ${model}`}`, of].filter(part => part !== null).join(', ')
}

function nameKey(key: LimitedKey | undefined): string {
  if (key === undefined) return 'one key'
  if (key.is_own) return 'your key'
  return `${key.person ?? (key.alias === '' ? 'key' : key.alias)} …${key.key_name.slice(-4)}`
}

/** How many calls that cost as much as the newest ones fit into what is left. Null: too few were charged to say. */
export function countMoreCalls(
  leftNano: number,
  calls: readonly { readonly cost_nano: number }[],
  least = 3,
): number | null {
  const charged = calls.filter(({ cost_nano }) => cost_nano > 0)
  const spent = charged.reduce((sum, { cost_nano }) => sum + cost_nano, 0)
  return charged.length < least || leftNano <= 0 ? null : Math.floor((leftNano * charged.length) / spent)
}

/** The fullest first; what nobody uses is left out beyond `least`. Budgets stand in a card of their own. */
export function chooseLimits(limits: readonly LimitInUse[], least = 4): readonly LimitInUse[] {
  const share = ({ used, limit }: LimitInUse) => (limit === 0 ? 1 : used / limit)
  const sorted = limits
    .filter(({ kind }) => kind !== 'budget')
    .toSorted((one, other) => share(other) - share(one))
  return sorted.filter((limit, index) => index < least || share(limit) > 0).slice(0, 8)
}

/** What was left at the end of each step, oldest first; `points` are what was spent in each. */
export function traceLeft(
  points: readonly { readonly at: number; readonly cost: number }[],
  left: number,
  range: { readonly from: number; readonly now: number; readonly stepMs: number },
): readonly { readonly at: number; readonly value: number }[] {
  const spent = points.reduce((sum, { cost }) => sum + cost, 0)
  const traced = [{ at: range.from, value: left + spent }]
  let rest = left + spent
  for (const { at, cost } of points) {
    if (at > range.from) traced.push({ at, value: rest })
    rest -= cost
    traced.push({ at: Math.min(at + range.stepMs, range.now), value: rest })
  }
  const last = traced.at(-1)
  if (last !== undefined && last.at < range.now) traced.push({ at: range.now, value: rest })
  return traced
}
