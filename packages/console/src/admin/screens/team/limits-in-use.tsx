// The limits that apply to a team's calls now: how full each is, and when it frees up.

import type { LimitInUse } from '@fairgate/contracts/console/team-detail.ts'
import { Button } from '@mantine/core'
import { useState } from 'react'
import { formatMoney } from '../../../format/money.ts'
import { formatCount } from '../../../format/number.ts'
import { UseBar } from '../../../show/bars.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { Moment } from '../../../show/moment.tsx'
import { Empty } from '../../../show/states.tsx'
import { orderLimits } from './order-limits.ts'

const maxShown = 6

const kindWords: Readonly<Record<LimitInUse['kind'], string>> = {
  requests: 'Requests',
  tokens: 'Tokens',
  parallel: 'Parallel calls',
  budget: 'Budget',
}

/** `aliasOf` returns the alias of a key by its SHA-256. */
export function LimitsInUse({
  limits,
  aliasOf,
}: {
  readonly limits: readonly LimitInUse[]
  readonly aliasOf: (key: string) => string
}) {
  const [isWhole, setWhole] = useState(false)
  const ordered = orderLimits(limits)
  if (ordered.length === 0)
    return <Empty>No limits apply: the team has no keys, or its keys are unlimited.</Empty>
  return (
    <>
      <ul className="stack">
        {(isWhole ? ordered : ordered.slice(0, maxShown)).map(limit => (
          <li key={`${limit.kind} ${limit.level} ${limit.key} ${limit.model}`}>
            <LimitRow limit={limit} aliasOf={aliasOf} />
          </li>
        ))}
      </ul>
      {ordered.length > maxShown ? (
        <Button variant="subtle" size="xs" mt={8} aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show fewer' : `Show all ${ordered.length}`}
        </Button>
      ) : null}
    </>
  )
}

function LimitRow({
  limit: { kind, level, key, model, limit, used, held, frees_at },
  aliasOf,
}: {
  readonly limit: LimitInUse
  readonly aliasOf: (key: string) => string
}) {
  const format = (value: number, rounding: 'up' | 'down' | 'nearest' = 'up') =>
    kind === 'budget' ? formatMoney(value, rounding) : formatCount(value)
  const unit = kind === 'requests' || kind === 'tokens' ? ' /min' : ''
  const whose = level === 'service_model' ? 'all teams' : key === null ? 'team' : aliasOf(key)
  const isFull = used + held >= limit
  const free = Math.max(0, limit - used - held)
  const note = isFull ? (
    <>
      full
      {frees_at === null ? (
        ''
      ) : (
        <>
          ; frees up <Moment at={frees_at} as={kind === 'budget' ? 'moment' : 'clock'} />
        </>
      )}
    </>
  ) : (
    <>
      {format(free, 'down')} free{held > 0 ? `, ${format(held)} held for running calls` : ''}
    </>
  )
  return (
    <>
      <div className="row-between">
        <span className="cut">
          <span className="strong">{kindWords[kind]}</span>
          {model === null ? null : (
            <>
              {' '}
              <code>{model}</code>
            </>
          )}
          <span className="muted">
            , <ForeignText text={whose} most={32} />
          </span>
        </span>
        <span className="nowrap">
          <span className="strong">{format(used)}</span> of {format(limit, 'nearest')}
          {unit}
        </span>
      </div>
      <UseBar
        used={used}
        held={held}
        limit={limit}
        label={`${kindWords[kind]}${model === null ? '' : ` for ${model}`}: ${format(used)} of ${format(limit, 'nearest')}`}
      />
      <div className="muted small">{note}</div>
    </>
  )
}
