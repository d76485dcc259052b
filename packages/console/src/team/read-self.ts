// Turns a team's figures into words: whether the budget lasts, which limits are tight, what was left over time.

import type { Self } from '@fairgate/contracts/console/self.ts'
import type { LimitInUse } from '@fairgate/contracts/console/team-detail.ts'
import { formatMoney } from '../format/money.ts'

export type Verdict = { readonly tone: 'ok' | 'warn' | 'bad' | 'plain'; readonly text: string }

/** `clockAt` formats an instant as a time of day. */
export function judgeBudget(
  { budget_nano, left_nano, pace_nano_h, dry_at }: Self['budget'],
  gateway: Self['phase']['gateway'],
  clockAt: (at: number) => string,
): Verdict {
  if (budget_nano === null) return { tone: 'plain', text: 'No budget' }
  if (left_nano !== null && left_nano <= 0) return { tone: 'bad', text: 'Budget spent' }
  if (gateway !== 'open') return { tone: 'plain', text: gateway === 'paused' ? 'Paused' : 'Gateway closed' }
  if (dry_at !== null)
    return { tone: 'warn', text: `Budget lasts until about ${clockAt(Date.parse(dry_at))}` }
  if (pace_nano_h === null) return { tone: 'plain', text: 'Too early for a forecast' }
  if (pace_nano_h === 0) return { tone: 'plain', text: 'No spending now' }
  return { tone: 'ok', text: `Lasts until the end at ${formatMoney(pace_nano_h)} an hour` }
}

const kinds: Readonly<Record<LimitInUse['kind'], string>> = {
  requests: 'Requests',
  tokens: 'Tokens',
  parallel: 'Parallel calls',
  budget: 'Budget',
}

/** The facts about a key that name its limits. */
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
  if (key === undefined) return 'another key'
  if (key.is_own) return 'your key'
  return `${key.person ?? (key.alias === '' ? 'key' : key.alias)} …${key.key_name.slice(-4)}`
}

/** How many more calls fit into the rest of the budget, at the average cost of the newest ones. Null if fewer than `least` were charged. */
export function countMoreCalls(
  leftNano: number,
  calls: readonly { readonly cost_nano: number }[],
  least = 3,
): number | null {
  const charged = calls.filter(({ cost_nano }) => cost_nano > 0)
  const spent = charged.reduce((sum, { cost_nano }) => sum + cost_nano, 0)
  return charged.length < least || leftNano <= 0 ? null : Math.floor((leftNano * charged.length) / spent)
}

/** The fullest first. Unused limits are left out beyond `least`. Budgets have their own card. */
export function chooseLimits(limits: readonly LimitInUse[], least = 4): readonly LimitInUse[] {
  const share = ({ used, limit }: LimitInUse) => (limit === 0 ? 1 : used / limit)
  const sorted = limits
    .filter(({ kind }) => kind !== 'budget')
    .toSorted((one, other) => share(other) - share(one))
  return sorted.filter((limit, index) => index < least || share(limit) > 0).slice(0, 8)
}

/** The budget left at the end of each step, oldest first. `points`: the amount spent in each step. */
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
