// Limits in use now, the fullest first.
import type { LimitInUse } from '@fairgate/contracts/console/team-detail.ts'
import { formatCount } from '../../format/number.ts'
import { UseBar } from '../../show/bars.tsx'
import { Card } from '../../show/card.tsx'
import { ForeignText } from '../../show/foreign.tsx'
import { Moment } from '../../show/moment.tsx'
import { chooseLimits, nameLimit } from '../read-self.ts'
import { useSelf } from '../self-context.tsx'

export function LimitsCard() {
  const { limits_now: limits, keys } = useSelf()
  const own = keys.find(({ is_own }) => is_own)?.key_id
  const shown = chooseLimits(limits.filter(({ key }) => key === null || key === own))
  if (shown.length === 0) return null
  return (
    <Card title="Current limits">
      <LimitRows limits={shown} />
    </Card>
  )
}

export function LimitRows({ limits }: { readonly limits: readonly LimitInUse[] }) {
  const { keys } = useSelf()
  return (
    <ul className="stack">
      {limits.map(limit => {
        const { level, key, model, kind, used, limit: most, frees_at } = limit
        const name = nameLimit(limit, keys)
        const unit = kind === 'parallel' ? '' : ' /min'
        return (
          <li key={`${level} ${key} ${model} ${kind}`}>
            <div className="row-between">
              <span className="cut">
                <ForeignText text={name} most={80} />
              </span>
              <span className="strong nowrap">
                {formatCount(used)} of {formatCount(most)}
                {unit}
              </span>
            </div>
            <UseBar used={used} limit={most} label={`${name}: ${used} of ${most}`} />
            {used >= most && frees_at !== null ? (
              <div className="small tone-bad">
                full until <Moment at={frees_at} as="clock" />
              </div>
            ) : null}
          </li>
        )
      })}
    </ul>
  )
}
