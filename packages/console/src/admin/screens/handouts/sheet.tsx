// Printable sheet for one team: how its members join. Contains no keys.

import type { TeamsReply } from '@fairgate/contracts/console/teams.ts'
import type { MadeClaim } from '@fairgate/contracts/management/claims.ts'
import type { EventRecord } from '@fairgate/contracts/management/event.ts'
import { readOf, useRead } from '../../../api/use-read.ts'
import { formatMoney } from '../../../format/money.ts'
import { countOf } from '../../../format/number.ts'
import { formatClock, formatDay, formatZone } from '../../../format/time.ts'
import { ForeignText } from '../../../show/foreign.tsx'
import { useZone } from '../../../show/zone-context.tsx'
import { addressOfQr, joinAddress, showCode } from './show-claim.ts'

export function Sheet({ claim, event }: { readonly claim: MadeClaim; readonly event: EventRecord }) {
  const zone = useZone()
  const teams = useRead(readOf<TeamsReply>('/teams', { sort: 'team_id', limit: 500, q: claim.team_id }))
  const budget = teams.data?.items.find(({ team_id }) => team_id === claim.team_id)?.budget_nano ?? null
  const end = Date.parse(claim.expires_at)
  const origin = URL.canParse(claim.url) ? new URL(claim.url).origin : null
  const phases = event.phases.filter(({ gateway }) => gateway === 'open')
  return (
    <article className="sheet" aria-label={`Sheet for ${claim.team_id}`}>
      <header className="row-between">
        <span className="sheet-event">
          <ForeignText text={event.name === '' ? 'Your event' : event.name} most={80} />
        </span>
        <code>{claim.team_id}</code>
      </header>
      <div className="sheet-join">
        <div>
          <h2>
            <ForeignText text={claim.team_alias} most={80} />
          </h2>
          <p>Scan the QR code, or open this address:</p>
          <p className="sheet-address">{joinAddress(claim.url, claim.code)}</p>
          <p>and enter your team’s code</p>
          <p className="sheet-code" data-code>
            {showCode(claim.code)}
          </p>
        </div>
        <img className="sheet-qr" src={addressOfQr(claim.qr_svg)} alt={`QR code for ${claim.url}`} />
      </div>
      <ol className="sheet-steps">
        <li>Each member picks a name and a tool, and gets one command.</li>
        <li>Run it in a terminal inside your repository. It shows what it will do first.</li>
        <li>Four lights turn green: key, call, recorder, log. You are ready.</li>
      </ol>
      <dl className="sheet-facts">
        {origin === null ? null : (
          <>
            <dt>Models at</dt>
            <dd className="mono">{origin}/v1</dd>
          </>
        )}
        {budget === null ? null : (
          <>
            <dt>Budget</dt>
            <dd>{formatMoney(budget, 'nearest')}, shared by the team</dd>
          </>
        )}
        {phases.map(({ name, from, until }) => (
          <Phase key={name} name={name} from={from} until={until} zone={zone} />
        ))}
      </dl>
      <p className="sheet-small">
        The code works for {countOf(claim.free_members + claim.seats_left, 'person', 'people')} until{' '}
        {formatDay(end, zone)} {formatClock(end, zone, false)}. It is not a key: you get your key when you
        claim a seat, and keys are never printed. Lost the sheet? An organiser can create a new code, which
        stops the old one.
      </p>
    </article>
  )
}

function Phase({
  name,
  from,
  until,
  zone,
}: {
  readonly name: string
  readonly from: string
  readonly until: string | null
  readonly zone: string
}) {
  const start = Date.parse(from)
  const end = until === null ? null : Date.parse(until)
  const isSameDay = end !== null && formatDay(start, zone) === formatDay(end, zone)
  return (
    <>
      <dt>
        <ForeignText text={name} most={40} />
      </dt>
      <dd>
        {formatDay(start, zone)}, {formatClock(start, zone, false)}
        {end === null
          ? ' onwards'
          : ` to ${isSameDay ? '' : `${formatDay(end, zone)}, `}${formatClock(end, zone, false)}`}{' '}
        {formatZone(zone, start)}
      </dd>
    </>
  )
}
