// Chart of the limit that refused a call: how full it was, and the calls of the 60 seconds before.

import type { OrganiserCallDetail } from '@fairgate/contracts/calls/call.ts'
import type { OrganiserCallsPage } from '@fairgate/contracts/calls/call-list.ts'
import { readOf, useRead } from '../../../api/use-read.ts'
import { formatExactNano, parseMoney } from '../../../format/money.ts'
import { formatCount } from '../../../format/number.ts'
import { UseBar } from '../../../show/bars.tsx'
import { Moment } from '../../../show/moment.tsx'

type Refusal = NonNullable<OrganiserCallDetail['refusal']>

const windowMs = 60_000
const maxCalls = 200

const units: Readonly<Record<string, string>> = {
  rpm_exceeded: 'requests in 60 s',
  tpm_exceeded: 'tokens in 60 s',
  parallel_exceeded: 'parallel calls',
}

const levelNames: Readonly<Record<string, string>> = {
  service_model: 'all teams, this model',
  team: 'the team',
  team_model: 'the team, this model',
  key: 'the key',
  key_model: 'the key, this model',
}

export function RefusalWindow({
  call,
  refusal,
}: {
  readonly call: OrganiserCallDetail
  readonly refusal: Refusal
}) {
  const { code, received_at } = call
  const unit = units[code ?? ''] ?? null
  const [limit, used, held] = [refusal.limit, refusal.used, refusal.held].map(text => Number(text)) as [
    number,
    number,
    number,
  ]
  const write = (text: string) => (unit === null ? writeDollars(text) : formatCount(Number(text)))
  const label = `${write(refusal.used)} of ${write(refusal.limit)}${unit === null ? '' : ` ${unit}`}`
  return (
    <section className="sunken-box">
      <h3>Limit</h3>
      <div className="row-between">
        <span>
          <span className="strong">{label}</span>
          <span className="muted">, {levelNames[refusal.level] ?? refusal.level.replaceAll('_', ' ')}</span>
        </span>
        {held > 0 ? <span className="muted nowrap">{write(refusal.held)} held</span> : null}
      </div>
      <UseBar
        used={used}
        held={held}
        limit={limit}
        tone="bad"
        label={`${label}, ${write(refusal.held)} held`}
      />
      {code === 'rpm_exceeded' || code === 'tpm_exceeded' ? (
        <LastMinute call={call} refusal={refusal} />
      ) : null}
      <div className="row-between small muted">
        <span>
          frees up <Moment at={refusal.reset} as="clock" none="– waiting does not help" />
        </span>
        <span>
          refused <Moment at={received_at} as="clock" />
        </span>
      </div>
    </section>
  )
}

function writeDollars(text: string): string {
  const nano = parseMoney(text)
  return nano === null ? text : formatExactNano(String(nano))
}

/** A mark for each call that counted at this level; the refused call is at the right edge. */
function LastMinute({ call, refusal }: { readonly call: OrganiserCallDetail; readonly refusal: Refusal }) {
  const until = Date.parse(call.received_at)
  const isOfKey = refusal.level.startsWith('key')
  const isOfModel = refusal.level.endsWith('model')
  const before = useRead(
    readOf<OrganiserCallsPage>('/calls', {
      team_id: refusal.level === 'service_model' ? undefined : call.team_id,
      key: isOfKey ? call.key : undefined,
      model: isOfModel ? (call.model_served ?? call.model_asked) : undefined,
      from: new Date(until - windowMs).toISOString(),
      until: call.received_at,
      limit: maxCalls,
    }),
  )
  if (before.data === undefined) return null
  const counted = before.data.items.filter(({ outcome }) => outcome !== 'refused' && outcome !== 'replayed')
  // Older calls may be gone from the record; an empty window would suggest that there were none.
  if (counted.length === 0) return null
  const place = (at: number) => `${((at - until + windowMs) / windowMs) * 100}%`
  return (
    <figure>
      <svg className="refusal-window" role="img" aria-label={`${counted.length} calls in the 60 s before`}>
        <rect width="100%" height="100%" rx="4" fill="var(--panel)" />
        {counted.map(({ call_id, received_at }) => (
          <rect
            key={call_id}
            x={place(Date.parse(received_at))}
            y="6"
            width="2"
            height="22"
            fill="var(--series-1)"
          />
        ))}
        <rect x="calc(100% - 3px)" width="3" height="100%" fill="var(--fill-bad)" />
      </svg>
      <figcaption className="row-between small muted">
        <span>60 s earlier</span>
        <span>{formatCount(counted.length)} answered calls on record</span>
        <span className="tone-bad">this call</span>
      </figcaption>
    </figure>
  )
}
