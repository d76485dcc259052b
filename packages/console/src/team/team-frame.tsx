// Frame of the team page: team name, phase clock, event-wide notices and navigation.

import type { SignInLink } from '@fairgate/contracts/management/access.ts'
import { Menu, UnstyledButton } from '@mantine/core'
import { Outlet } from '@tanstack/react-router'
import {
  Award,
  Cable,
  CircleHelp,
  House,
  type LucideIcon,
  MoreHorizontal,
  ReceiptText,
  Scale,
  ScrollText,
  Send,
} from 'lucide-react'
import { useEffect, useState } from 'react'
import { useAction } from '../api/use-read.ts'
import { formatCount } from '../format/number.ts'
import { formatLeft, formatMoment, formatZone } from '../format/time.ts'
import { useHeadingFocus } from '../frame/use-heading-focus.ts'
import { usePageParts, useServerNow } from '../live/live-context.tsx'
import { Badge } from '../show/badge.tsx'
import { BrandSign } from '../show/brand.tsx'
import { Dialog } from '../show/dialog.tsx'
import { ForeignText } from '../show/foreign.tsx'
import { LiveDot, StaleNotice } from '../show/live-dot.tsx'
import { Moment } from '../show/moment.tsx'
import { QrCode } from '../show/qr-code.tsx'
import { SchemeButton } from '../show/scheme-button.tsx'
import { PartError, Waiting } from '../show/states.tsx'
import { useNarrow } from '../show/use-narrow.ts'
import { useZone } from '../show/zone-context.tsx'
import { Announcements } from './parts/announcements.tsx'
import { CaseReminder } from './parts/case-reminder.tsx'
import { SubmissionReminder } from './parts/submission-card.tsx'
import { useSelf } from './self-context.tsx'
import { TeamLink, useGo } from './team-link.tsx'

const screens: readonly (readonly [string, string, LucideIcon])[] = [
  ['/', 'Now', House],
  ['/connect', 'Connect', Cable],
  ['/calls', 'Calls', ReceiptText],
  ['/log', 'Log', ScrollText],
  ['/limits', 'Models & limits', Scale],
  ['/submission', 'Submission', Send],
  ['/judging', 'Judging', Award],
  ['/ask', 'Questions', CircleHelp],
]

/** A phone's bar has room for five. */
const isInMenu = (href: string) => href === '/limits' || href === '/submission' || href === '/judging'

export function TeamFrame() {
  useHeadingFocus()
  const { team, phase, calls, entries, questions, submission, judging } = useSelf()
  const shown = screens.filter(
    ([href]) => (href !== '/submission' || submission !== null) && (href !== '/judging' || judging !== null),
  )
  const [isOnPhone, setOnPhone] = useState(false)
  const counts: Readonly<Record<string, number>> = {
    '/calls': calls,
    '/log': entries,
    '/ask': questions.waiting,
    '/judging': judging?.to_answer ?? 0,
  }
  useEffect(() => {
    document.title = `${team.team_alias} · Fairgate`
  }, [team.team_alias])
  return (
    <div className="team-frame">
      {isOnPhone ? <OnPhone onClose={() => setOnPhone(false)} /> : null}
      <a className="skip-link" href="#content">
        Skip to content
      </a>
      <header className="team-head">
        <BrandSign />
        <span className="strong cut">
          <ForeignText text={team.team_alias} most={40} />
        </span>
        <span className="muted cut grow from-768">
          <ForeignText text={phase.event_name} most={60} />
        </span>
        <span className="grow" />
        <PhaseClock />
        <span className="from-600">
          <LiveDot />
        </span>
        <SchemeButton />
        <More onPhone={() => setOnPhone(true)} />
      </header>
      <div className="team-body">
        <nav className="tabs team-tabs" aria-label="Screens">
          {shown.map(([href, label]) => (
            <TeamLink key={href} href={href} className="tab" isTab>
              {label}{' '}
              {(counts[href] ?? 0) > 0 ? (
                <span className="faint">{formatCount(counts[href] ?? 0)}</span>
              ) : null}
            </TeamLink>
          ))}
        </nav>
        <main id="content" className="stack" tabIndex={-1}>
          <Connection />
          <Stops />
          <SubmissionReminder />
          <CaseReminder />
          <Announcements />
          <Outlet />
        </main>
      </div>
      <nav className="team-bottom" aria-label="Screens, bottom bar">
        {shown
          .filter(([href]) => !isInMenu(href))
          .map(([href, label, Icon]) => (
            <TeamLink key={href} href={href} isTab>
              <Icon aria-hidden />
              {label === 'Questions' ? 'Ask' : label}
            </TeamLink>
          ))}
      </nav>
    </div>
  )
}

function PhaseClock() {
  const { phase } = useSelf()
  const now = useServerNow()
  const zone = useZone()
  if (phase.until === null)
    return phase.name === null ? null : (
      <Badge tone="info">
        <ForeignText text={phase.name} most={20} />
      </Badge>
    )
  const end = Date.parse(phase.until)
  return (
    <span className="nowrap">
      <span className="strong">{formatLeft(end - now)}</span> <span className="muted">left</span>
      <span className="muted from-600">
        , ends {formatMoment(end, now, zone)} {formatZone(zone, end)}
      </span>
    </span>
  )
}

/** Signs a phone in by QR code, because a key is too long to type there. */
function OnPhone({ onClose }: { readonly onClose: () => void }) {
  const make = useAction<object, SignInLink>({ method: 'POST', path: '/self/session/link', changes: [] })
  const { mutate } = make
  useEffect(() => mutate({}), [mutate])
  return (
    <Dialog title="Open on your phone" onClose={onClose}>
      {make.data !== undefined ? (
        <div className="stack">
          <QrCode text={make.data.url} label="QR code that opens this page on a phone" className="team-qr" />
          <p className="muted">
            Scan it with your phone to sign in there. It works once, until{' '}
            <Moment at={make.data.expires_at} />. Don't show it to anyone else.
          </p>
        </div>
      ) : make.error !== null ? (
        <PartError what="The code" failure={make.error} retry={() => mutate({})} />
      ) : (
        <Waiting what="The code" retry={() => mutate({})} height={256} />
      )}
    </Dialog>
  )
}

function More({ onPhone }: { readonly onPhone: () => void }) {
  const isNarrow = useNarrow()
  const { submission, judging } = useSelf()
  const { send } = usePageParts()
  const go = useGo()
  const signOut = async (everywhere: boolean) => {
    await send('DELETE', '/self/session', everywhere ? { query: { everywhere: true } } : {}).catch(
      () => undefined,
    )
    location.assign('/sign-in')
  }
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <UnstyledButton className="chip" data-account>
          <MoreHorizontal size={15} aria-hidden />
          <span className="hidden-text">More</span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => go('/limits')}>Models & limits</Menu.Item>
        {submission === null ? null : <Menu.Item onClick={() => go('/submission')}>Submission</Menu.Item>}
        {judging === null ? null : <Menu.Item onClick={() => go('/judging')}>Judging</Menu.Item>}
        {isNarrow ? null : <Menu.Item onClick={onPhone}>Open on your phone…</Menu.Item>}
        <Menu.Divider />
        <Menu.Item onClick={() => void signOut(false)}>Sign out</Menu.Item>
        <Menu.Item onClick={() => void signOut(true)}>Sign out everywhere</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

/** Notice for a lost connection. The figures stay visible. */
function Connection() {
  const [isOffline, setOffline] = useState(!navigator.onLine)
  const { as_of } = useSelf()
  useEffect(() => {
    const set = () => setOffline(!navigator.onLine)
    addEventListener('online', set)
    addEventListener('offline', set)
    return () => {
      removeEventListener('online', set)
      removeEventListener('offline', set)
    }
  }, [])
  if (!isOffline) return <StaleNotice />
  return (
    <div className="notice" data-tone="warn" role="status">
      You are offline. Figures of <Moment at={as_of} as="clock" />.
    </div>
  )
}

/** Notices about a paused or closed gateway and a locked log. They are calm, because reading still works. */
function Stops() {
  const { phase, board } = useSelf()
  return (
    <>
      {phase.gateway === 'paused' ? (
        <div className="notice" data-tone="warn" role="status">
          <span>
            The organisers have paused the event.{' '}
            {phase.reason === null ? '' : <ForeignText text={phase.reason} />} Calls are accepted again when
            they resume it.
          </span>
        </div>
      ) : phase.gateway === 'closed' ? (
        <div className="notice" role="status">
          <span>
            The gateway is closed{phase.opens_at === null ? '' : ' until '}
            {phase.opens_at === null ? null : <Moment at={phase.opens_at} />}. You can still read everything
            here.
          </span>
        </div>
      ) : null}
      {board.locked ? (
        <div className="notice" role="status">
          <span>
            The log has been locked since <Moment at={board.since} />.{' '}
            {board.late_until === null ? null : (
              <>
                Push your work: entries from before the lock are accepted until{' '}
                <Moment at={board.late_until} />.
              </>
            )}
          </span>
        </div>
      ) : null}
    </>
  )
}

export function NoSuchPage() {
  return (
    <div className="empty">
      <h1>Page not found</h1>
      <TeamLink href="/">Go to your team page</TeamLink>
    </div>
  )
}
