// The wall: clock, counters, newest announcement, and a tile for each team in a fixed order. It ranks no one.
import type { WallState } from '@fairgate/contracts/console/wall.ts'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { formatCount } from '../format/number.ts'
import { formatClock, formatZone } from '../format/time.ts'
import type { LiveStream } from '../live/live-stream.ts'
import { UseBar } from '../show/bars.tsx'
import { BrandSign } from '../show/brand.tsx'
import { ForeignText } from '../show/foreign.tsx'
import { LightSign, type LightTone } from '../show/light-sign.tsx'
import { QrCode } from '../show/qr-code.tsx'
import {
  choosePage,
  followEnd,
  groupHead,
  isJustOver,
  readClock,
  sizeTiles,
  toneOf,
  toneWords,
} from './read-wall.ts'

export function WallPage({
  live,
  readState,
}: {
  readonly live: LiveStream
  readonly readState: () => Promise<Response>
}) {
  const [state, setState] = useState<WallState | null>(null)
  const [refusal, setRefusal] = useState<string | null>(null)
  const [now, setNow] = useState(Date.now)
  // Kept here because the server reports only the next phase once one has ended.
  const [knownEnd, setKnownEnd] = useState<string | null>(null)
  const { kind, heardAt } = useSyncExternalStore(live.watch, live.state)

  useEffect(() => live.listen('wall', data => setState(data as WallState)), [live])
  useEffect(() => {
    const timer = setInterval(() => setNow(live.serverNow()), 250)
    return () => clearInterval(timer)
  }, [live])
  useEffect(() => {
    document.title = 'Wall · Fairgate'
    readState().then(
      async response => {
        if (response.ok) setState((await response.json()) as WallState)
        else if (response.status === 404)
          setRefusal('This wall link no longer works. Organisers can create another in Settings.')
      },
      // The stream reconnects by itself.
      () => undefined,
    )
  }, [readState])

  const until = state?.clock.until ?? null
  useEffect(() => setKnownEnd(known => followEnd(known, until, now)), [until, now])

  if (refusal !== null) return <p className="wall-refusal">{refusal}</p>
  if (state === null) return null
  const age = heardAt === null ? null : Math.floor((Date.now() - heardAt) / 1000)
  return (
    <main className="wall">
      <WallHead state={state} now={now} />
      <Announcement state={state} />
      <Tiles state={state} now={now} />
      <WallFoot state={state} />
      {kind === 'stale' && age !== null ? <p className="wall-stale">▲ {age} s old</p> : null}
      {isJustOver(knownEnd, now) ? (
        <div className="wall-over" role="alert">
          <p>Time is up.</p>
          <p className="wall-over-next">Push your work.</p>
        </div>
      ) : null}
    </main>
  )
}

function WallHead({ state, now }: { readonly state: WallState; readonly now: number }) {
  const zone = state.clock.time_zone
  const { large, below } = readClock(
    state.clock,
    now,
    at => `${formatClock(at, zone, false)} ${formatZone(zone, at)}`,
  )
  const { counters } = state
  const figures: readonly (readonly [string, string, string])[] = [
    ['Calls', formatCount(counters.calls), `${formatCount(counters.calls_per_min)} per minute`],
    ['Log entries', formatCount(counters.entries), `${formatCount(counters.entries_per_min)} per minute`],
    ['Teams working', formatCount(counters.teams_at_work), `of ${formatCount(counters.teams)}`],
  ]
  return (
    <header className="wall-head">
      <div>
        <h1 className="wall-event">
          <BrandSign size={34} />
          <ForeignText text={state.event_name === '' ? 'Fairgate' : state.event_name} most={60} />
          {state.clock.name === null ? null : (
            <span className="badge" data-tone="info">
              <ForeignText text={state.clock.name} most={30} />
            </span>
          )}
          {state.frozen_at === null ? null : (
            <span className="badge" data-tone="held">
              figures as of {formatClock(Date.parse(state.frozen_at), zone, false)}
            </span>
          )}
        </h1>
        <div className="wall-clock">{large}</div>
        <div className="wall-small">
          <ForeignText text={below} most={80} />
        </div>
      </div>
      <dl className="wall-figures">
        {figures.map(([name, value, note]) => (
          <div key={name}>
            <dt className="wall-small">{name}</dt>
            <dd className="wall-figure">{value}</dd>
            <dd className="wall-small">{note}</dd>
          </div>
        ))}
      </dl>
    </header>
  )
}

function Announcement({ state: { announcement, clock } }: { readonly state: WallState }) {
  if (announcement === null) return null
  return (
    <section className="wall-announcement" aria-label="Announcement">
      <span>
        <ForeignText text={announcement.text} most={220} />
      </span>
      <span className="wall-small">{formatClock(Date.parse(announcement.from), clock.time_zone, false)}</span>
    </section>
  )
}

function Tiles({ state, now }: { readonly state: WallState; readonly now: number }) {
  const { tiles, page, pages } = choosePage(state.tiles, now)
  return (
    <section
      className="wall-tiles"
      data-size={sizeTiles(state.tiles.length)}
      aria-label={`Teams${pages > 1 ? `, page ${page} of ${pages}` : ''}`}
    >
      {tiles.map(tile => {
        const tone = toneOf(tile)
        return (
          <div key={tile.name} className="wall-tile">
            <div className="wall-name">
              <LightSign tone={tone} label={toneWords[tone]} size="1em" />
              <span className="cut">
                <ForeignText text={tile.name} most={40} />
              </span>
            </div>
            {tile.bar === null ? null : (
              <UseBar
                used={1 - tile.bar}
                limit={1}
                label={`${Math.round(tile.bar * 100)} % of the budget left`}
                height={8}
              />
            )}
          </div>
        )
      })}
    </section>
  )
}

function WallFoot({ state: { head } }: { readonly state: WallState }) {
  const address = location.origin
  return (
    <footer className="wall-foot">
      <div className="wall-address">
        <QrCode text={address} label={`QR code of ${address}`} className="wall-qr" />
        <div>
          <div className="wall-name">Your team page</div>
          <code>{location.host}</code>
        </div>
      </div>
      <ul className="wall-legend wall-small">
        {(Object.keys(toneWords) as LightTone[]).map(tone => (
          <li key={tone} className="row">
            <LightSign tone={tone} label="" size="1em" /> {toneWords[tone]}
          </li>
        ))}
      </ul>
      <div className="end">
        <div className="wall-small">
          Head of heads over {formatCount(head.entries)} entries. Write it down.
        </div>
        <code>{groupHead(head.sha256)}</code>
      </div>
    </footer>
  )
}
