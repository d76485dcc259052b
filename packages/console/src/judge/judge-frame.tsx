// Frame of the judge's page: event and time left, navigation, the list of teams at the left and the scores at the right.
import { Menu, UnstyledButton } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { ListChecks, ListOrdered, type LucideIcon, MessagesSquare, Search } from 'lucide-react'
import { lazy, type ReactNode, Suspense } from 'react'
import { formatLeft, formatMoment, formatZone } from '../format/time.ts'
import { useHotkeys, useKeyHelp } from '../frame/hotkeys.tsx'
import { useAddress } from '../frame/use-address.ts'
import { useHeadingFocus } from '../frame/use-heading-focus.ts'
import { usePageParts, useServerNow } from '../live/live-context.tsx'
import { BrandSign } from '../show/brand.tsx'
import { ForeignText } from '../show/foreign.tsx'
import { LiveDot, StaleNotice } from '../show/live-dot.tsx'
import { PageLink } from '../show/page-link.tsx'
import { SchemeButton } from '../show/scheme-button.tsx'
import { Skeleton } from '../show/states.tsx'
import { useNarrow } from '../show/use-narrow.ts'
import { useZone } from '../show/zone-context.tsx'
import { type JudgePlace, readPlace, startHref, teamHref, viewHref } from './judge-address.ts'
import { ScorePlace, ScoreTab } from './parts/score-place.tsx'
import { TeamList } from './parts/team-list.tsx'
import { useQueue } from './queue-context.tsx'
import { JudgementProvider } from './scoring/judgement-context.tsx'
import { StartScreen } from './screens/start-screen.tsx'

// Each is loaded when it is first opened.
const Dossier = lazy(async () => ({ default: (await import('./screens/dossier-screen.tsx')).DossierScreen }))
const Session = lazy(async () => ({
  default: (await import('./screens/judged-session-screen.tsx')).JudgedSessionScreen,
}))
const Entry = lazy(async () => ({
  default: (await import('./screens/judged-entry-screen.tsx')).JudgedEntryScreen,
}))
const Sessions = lazy(async () => ({
  default: (await import('./screens/judged-sessions-screen.tsx')).JudgedSessionsScreen,
}))
const Order = lazy(async () => ({ default: (await import('./scoring/order-view.tsx')).OrderView }))
const SearchLogs = lazy(async () => ({
  default: (await import('./screens/judged-search-screen.tsx')).JudgedSearchScreen,
}))

type View = {
  readonly kind: JudgePlace['kind']
  readonly label: string
  readonly href: string
  readonly icon: LucideIcon
  /** Pressed after `g`. */
  readonly key: string
}

const views: readonly View[] = [
  { kind: 'start', label: 'Teams', href: startHref, icon: ListChecks, key: 't' },
  { kind: 'sessions', label: 'Sessions', href: viewHref('sessions'), icon: MessagesSquare, key: 's' },
  { kind: 'search', label: 'Search', href: viewHref('search'), icon: Search, key: 'l' },
  { kind: 'order', label: 'Order', href: viewHref('order'), icon: ListOrdered, key: 'o' },
]

export function JudgeFrame() {
  const { search } = useAddress()
  const place = readPlace(search)
  useHeadingFocus(describePlace(place))
  useFrameKeys(place)
  const isWide = !useNarrow(1200)
  const hasList = isWide && place.kind === 'team'
  return (
    <div className="judge-frame">
      <a className="skip-link" href="#content">
        Skip to content
      </a>
      <JudgeHead place={place} />
      <div className="judge-body" data-place={place.kind}>
        {hasList ? (
          <nav className="judge-list card" aria-label="Your teams">
            <TeamList current={place.team} />
          </nav>
        ) : null}
        <OfTeam place={place}>
          <main id="content" className="stack" tabIndex={-1}>
            <StaleNotice />
            <Suspense fallback={<Skeleton lines={3} height={160} />}>
              <Shown place={place} />
            </Suspense>
          </main>
        </OfTeam>
      </div>
      <nav className="judge-bottom" aria-label="Screens, bottom bar">
        <ViewLinks place={place} hasIcons />
        {place.team === null ? null : <ScoreTab team={place.team} />}
      </nav>
    </div>
  )
}

/** The scores are next to all screens of their team, so that entries can be cited for them. */
function OfTeam({ place: { team }, children }: { readonly place: JudgePlace; readonly children: ReactNode }) {
  if (team === null) return children
  return (
    <JudgementProvider key={team} team={team}>
      {children}
      <ScorePlace team={team} />
    </JudgementProvider>
  )
}

function Shown({ place }: { readonly place: JudgePlace }): ReactNode {
  switch (place.kind) {
    case 'team':
      return <Dossier key={place.team} team={place.team} />
    case 'session':
      return <Session {...place} />
    case 'entry':
      return <Entry team={place.team} seq={place.seq} />
    case 'sessions':
      return <Sessions />
    case 'search':
      return <SearchLogs />
    case 'order':
      return <Order />
    default:
      return <StartScreen />
  }
}

/** Differs for each screen that has its own heading. */
function describePlace(place: JudgePlace): string {
  return place.kind === 'session' ? `${place.team} ${place.session}` : Object.values(place).join(' ')
}

function ViewLinks({ place, hasIcons = false }: { readonly place: JudgePlace; readonly hasIcons?: boolean }) {
  return views.map(({ kind, label, href, icon: Icon }) => (
    <PageLink
      key={kind}
      href={href}
      {...(place.kind === kind ? { 'data-status': 'active', 'aria-current': 'page' as const } : {})}
    >
      {hasIcons ? <Icon aria-hidden /> : null}
      {label}
    </PageLink>
  ))
}

function JudgeHead({ place }: { readonly place: JudgePlace }) {
  const { event } = useQueue()
  return (
    <header className="judge-head">
      <PageLink href={startHref} aria-label="Your teams" className="row">
        <BrandSign />
      </PageLink>
      <span className="strong cut judge-event">
        <ForeignText text={event.name === '' ? 'Untitled event' : event.name} most={60} />
      </span>
      <nav className="judge-views" aria-label="Screens">
        <ViewLinks place={place} />
      </nav>
      <span className="grow" />
      <TimeLeft />
      <LiveDot />
      <span className="from-600">
        <SchemeButton />
      </span>
      <Account />
    </header>
  )
}

function TimeLeft() {
  const { closes_at, opens_at } = useQueue()
  const now = useServerNow()
  const zone = useZone()
  const [opensAt, closesAt] = [opens_at, closes_at].map(at => (at === null ? null : Date.parse(at)))
  const show = (at: number) => `${formatMoment(at, now, zone)} ${formatZone(zone, at)}`
  if (opensAt !== null && opensAt !== undefined && now < opensAt)
    return (
      <span className="nowrap">
        <span className="muted">opens</span> <span className="strong">{show(opensAt)}</span>
      </span>
    )
  if (closesAt === null || closesAt === undefined) return null
  if (now >= closesAt) return <span className="strong nowrap">Closed</span>
  return (
    <span className="nowrap">
      <span className="strong">{formatLeft(closesAt - now)}</span> <span className="muted">left</span>
      <span className="muted from-1280">, ends {show(closesAt)}</span>
    </span>
  )
}

function Account() {
  const { judge } = useQueue()
  const { send } = usePageParts()
  const showKeys = useKeyHelp()
  const isNarrow = useNarrow(600)
  const signOut = async (everywhere: boolean) => {
    await send('DELETE', '/session', everywhere ? { query: { everywhere: true } } : {}).catch(() => undefined)
    location.assign(startHref)
  }
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <UnstyledButton className="chip" data-account>
          <span className="hidden-text">Signed in as </span>
          {isNarrow ? (
            <>
              <span aria-hidden>{initialsOf(judge.name)}</span>
              <span className="hidden-text">{judge.name}</span>
            </>
          ) : (
            <ForeignText text={judge.name} most={24} />
          )}
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <ForeignText text={judge.name} most={40} />, judge
        </Menu.Label>
        {isNarrow ? (
          <Menu.Item component="div" closeMenuOnClick={false}>
            <SchemeButton />
          </Menu.Item>
        ) : (
          <Menu.Item onClick={showKeys}>Keyboard shortcuts</Menu.Item>
        )}
        <Menu.Item onClick={() => void signOut(false)}>Sign out</Menu.Item>
        <Menu.Item onClick={() => void signOut(true)}>Sign out everywhere</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

function initialsOf(name: string): string {
  return name
    .split(/\s+/)
    .map(word => [...word][0] ?? '')
    .join('')
    .slice(0, 2)
    .toUpperCase()
}

function useFrameKeys(place: JudgePlace): void {
  const router = useRouter()
  const { items } = useQueue()
  const open = (href: string) => void router.navigate({ href })
  const step = (by: 1 | -1) => {
    const at = items.findIndex(({ team }) => team === place.team)
    const next = at < 0 ? items[0] : items[at + by]
    if (next !== undefined) open(teamHref(next.team))
  }
  useHotkeys([
    ...views.map(({ key, label, href }) => ({ keys: `g ${key}`, does: label, run: () => open(href) })),
    { keys: '/', does: 'Search the logs', run: () => open(viewHref('search')) },
    { keys: 'ArrowRight', does: 'Next team', run: () => step(1) },
    { keys: 'ArrowLeft', does: 'Previous team', run: () => step(-1) },
  ])
  // A conversation has these keys for its prompts.
  useHotkeys(
    place.kind === 'session'
      ? []
      : [
          { keys: 'j', does: 'Next in the list', run: () => stepFocus(1) },
          { keys: 'k', does: 'Previous in the list', run: () => stepFocus(-1) },
        ],
  )
}

/** Moves the focus among the links of the screen's list. */
function stepFocus(by: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>('#content [data-step]')]
  const at = links.findIndex(link => link.contains(document.activeElement))
  links[at < 0 ? 0 : at + by]?.focus()
}
