// The console's frame: event and clock, navigation, search and account menu.

import type { AttentionReply } from '@fairgate/contracts/console/attention.ts'
import type { EventRecord } from '@fairgate/contracts/management/event.ts'
import { Menu, UnstyledButton } from '@mantine/core'
import { Link, Outlet, useNavigate } from '@tanstack/react-router'
import { Flag, Keyboard, MoreHorizontal, Search, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { readOf, useRead } from '../../api/use-read.ts'
import { formatClock, formatLeft, formatMoment, formatZone } from '../../format/time.ts'
import { useHotkeys, useKeyHelp } from '../../frame/hotkeys.tsx'
import { useHeadingFocus } from '../../frame/use-heading-focus.ts'
import { usePageParts, useRefresh, useServerNow } from '../../live/live-context.tsx'
import { Badge } from '../../show/badge.tsx'
import { BrandSign } from '../../show/brand.tsx'
import { ForeignText } from '../../show/foreign.tsx'
import { LiveDot, StaleNotice } from '../../show/live-dot.tsx'
import { SchemeButton } from '../../show/scheme-button.tsx'
import { useZone, ZoneContext } from '../../show/zone-context.tsx'
import { useMayRead, useSession } from '../session-context.tsx'
import { CommandPalette } from './command-palette.tsx'
import { placesFor } from './navigation.ts'

export function Frame() {
  useHeadingFocus()
  const event = useRead(readOf<EventRecord>('/event'))
  useRefresh('event', [['/event']], 100)
  const zone = event.data?.time_zone ?? 'UTC'
  return (
    <ZoneContext.Provider value={zone}>
      <div className="frame" data-gateway={event.data?.gateway}>
        <a className="skip-link" href="#content">
          Skip to content
        </a>
        <FrameHead event={event.data} />
        <Navigation />
        <main className="frame-main" id="content" tabIndex={-1}>
          <div className="screen">
            <StaleNotice />
            <Outlet />
          </div>
        </main>
        <BottomBar />
      </div>
    </ZoneContext.Provider>
  )
}

function FrameHead({ event }: { readonly event: EventRecord | undefined }) {
  const [isPaletteOpen, setPaletteOpen] = useState(false)
  useHotkeys([{ keys: 'mod+k', does: 'Search or jump to anything', run: () => setPaletteOpen(true) }])
  return (
    <header className="frame-head">
      <Link to="/console" className="frame-brand">
        <BrandSign />
        <span className="frame-word">Fairgate</span>
      </Link>
      <div className="row grow">
        <span className="strong cut">
          {event === undefined ? (
            ''
          ) : (
            <ForeignText text={event.name === '' ? 'Untitled event' : event.name} most={60} />
          )}
        </span>
        {event === undefined ? null : <PhaseClock event={event} />}
      </div>
      <UnstyledButton className="frame-search chip" onClick={() => setPaletteOpen(true)}>
        <Search size={14} aria-hidden />
        <span className="frame-search-words">
          Search or jump to… <kbd className="faint">⌘ K</kbd>
        </span>
      </UnstyledButton>
      <LiveDot />
      <Clock />
      <span className="from-600">
        <SchemeButton />
      </span>
      <Account />
      {isPaletteOpen ? <CommandPalette onClose={() => setPaletteOpen(false)} /> : null}
    </header>
  )
}

function PhaseClock({ event }: { readonly event: EventRecord }) {
  const now = useServerNow()
  const zone = useZone()
  const phase = event.phases.find(({ name }) => name === event.phase)
  const until = phase?.until ?? null
  return (
    <>
      {event.gateway === 'open' ? null : (
        <Badge tone={event.gateway === 'paused' ? 'warn' : 'plain'}>
          {event.gateway === 'paused' ? 'Paused' : 'Gateway closed'}
        </Badge>
      )}
      {phase === undefined ? null : (
        <span className={until === null ? '' : 'from-600'}>
          <Badge tone="info" icon={<Flag aria-hidden />}>
            <ForeignText text={phase.name} most={24} />
          </Badge>
        </span>
      )}
      {until === null ? null : (
        <span className="nowrap">
          <span className="strong">{formatLeft(Date.parse(until) - now)}</span>{' '}
          <span className="muted">left</span>
          <span className="muted from-1024">
            , ends {formatMoment(Date.parse(until), now, zone)} {formatZone(zone, now)}
          </span>
        </span>
      )}
    </>
  )
}

function Clock() {
  const now = useServerNow()
  const zone = useZone()
  return (
    <span className="frame-clock mono muted nowrap">
      {formatClock(now, zone)} {formatZone(zone, now)}
    </span>
  )
}

function Account() {
  const { name, role } = useSession()
  const { send } = usePageParts()
  const signOut = async (everywhere: boolean) => {
    await send('DELETE', '/session', everywhere ? { query: { everywhere: true } } : {}).catch(() => undefined)
    location.assign('/console/sign-in')
  }
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <UnstyledButton className="chip" data-account>
          <span aria-hidden>{name.slice(0, 2).toUpperCase()}</span>
          <span className="hidden-text">Signed in as {name}</span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <ForeignText text={name} most={40} />, {role}
        </Menu.Label>
        <Menu.Item onClick={() => void signOut(false)}>Sign out</Menu.Item>
        <Menu.Item onClick={() => void signOut(true)}>Sign out everywhere</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

function Navigation() {
  const { role } = useSession()
  const navigate = useNavigate()
  const showKeys = useKeyHelp()
  const groups = placesFor(role)
  const attention = useRead(readOf<AttentionReply>('/attention'), { isOff: !useMayRead('operators') })
  useRefresh('attention', [['/attention']])
  const waiting = (attention.data?.total.critical ?? 0) + (attention.data?.total.warning ?? 0)
  useHotkeys(
    groups.flatMap(({ places }) =>
      places.map(({ to, label, key }) => ({
        keys: `g ${key}`,
        does: label,
        run: () => void navigate({ to }),
      })),
    ),
  )
  return (
    <nav className="frame-nav" aria-label="Console">
      {groups.map(({ name, places }) => (
        <div key={name ?? ''}>
          {name === null ? null : <h2>{name}</h2>}
          {places.map(({ to, label, icon: Icon }) => (
            <Link
              key={to}
              to={to}
              className="frame-link"
              activeOptions={{ exact: to === '/console', includeSearch: false }}
              title={label}
            >
              <Icon aria-hidden />
              <span className="frame-word">{label}</span>
              {to === '/console' && waiting > 0 ? (
                <span
                  className="frame-count"
                  data-tone={(attention.data?.total.critical ?? 0) > 0 ? 'bad' : 'plain'}
                  title={`${waiting} need attention`}
                >
                  {waiting}
                </span>
              ) : null}
            </Link>
          ))}
        </div>
      ))}
      <div className="frame-foot">
        <button type="button" className="frame-link" onClick={showKeys} title="Keyboard shortcuts">
          <Keyboard aria-hidden />
          <span className="frame-word">Shortcuts</span>
          <kbd className="frame-word faint">?</kbd>
        </button>
      </div>
    </nav>
  )
}

function BottomBar() {
  const { role } = useSession()
  const navigate = useNavigate()
  const places = placesFor(role).flatMap(group => group.places)
  const main = places.filter(({ isMain }) => isMain === true).slice(0, 4)
  const rest = places.filter(place => !main.includes(place))
  return (
    <nav className="frame-bottom" aria-label="Console, main screens">
      {main.map(({ to, label, icon: Icon }) => (
        <Link key={to} to={to} activeOptions={{ exact: to === '/console', includeSearch: false }}>
          <Icon aria-hidden />
          {label}
        </Link>
      ))}
      <Menu position="top-end">
        <Menu.Target>
          <button type="button">
            <MoreHorizontal aria-hidden />
            More
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          {rest.map(({ to, label }) => (
            <Menu.Item key={to} onClick={() => void navigate({ to })}>
              {label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </nav>
  )
}

/** Shown for an unknown address. */
export function NoSuchScreen() {
  return (
    <div className="empty">
      <TriangleAlert aria-hidden />
      <h1>Page not found</h1>
      <Link to="/console">Go to Overview</Link>
    </div>
  )
}
