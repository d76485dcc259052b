// The console's screens as the navigation lists them, with their keyboard shortcuts.

import { type CallerRole, type OpenTo, rolesOf } from '@fairgate/contracts/management/roles.ts'
import {
  Activity,
  CalendarDays,
  ClipboardList,
  Coins,
  Cpu,
  Gavel,
  LayoutGrid,
  type LucideIcon,
  Megaphone,
  MessageCircleQuestion,
  MessagesSquare,
  PackageCheck,
  ScrollText,
  Search,
  Settings,
  StickyNote,
  Users,
} from 'lucide-react'

export type Place = {
  readonly to: string
  readonly label: string
  readonly icon: LucideIcon
  /** Pressed after `g`. */
  readonly key: string
  /** Roles that the server answers on its routes; all if absent. */
  readonly openTo?: OpenTo
  /** Listed in the bottom bar on phones, which has room for the first four. */
  readonly isMain?: boolean
}

export type PlaceGroup = { readonly name: string | null; readonly places: readonly Place[] }

const placeGroups: readonly PlaceGroup[] = [
  {
    name: null,
    places: [
      { to: '/console', label: 'Overview', icon: LayoutGrid, key: 'o', isMain: true, openTo: 'operators' },
      { to: '/console/event', label: 'Event', icon: CalendarDays, key: 'v' },
      { to: '/console/messages', label: 'Messages', icon: Megaphone, key: 'm' },
      {
        to: '/console/notes',
        label: 'Notes',
        icon: StickyNote,
        key: 'n',
        openTo: 'judges',
      },
    ],
  },
  {
    name: 'Watch',
    places: [
      { to: '/console/teams', label: 'Teams', icon: Users, key: 't', isMain: true, openTo: 'judges' },
      { to: '/console/calls', label: 'Calls', icon: Activity, key: 'c', isMain: true, openTo: 'judges' },
      {
        to: '/console/sessions',
        label: 'Sessions',
        icon: MessagesSquare,
        key: 's',
        isMain: true,
        openTo: 'judges',
      },
      { to: '/console/logbook', label: 'Logbook', icon: ScrollText, key: 'b', openTo: 'judges' },
      { to: '/console/search', label: 'Search the logs', icon: Search, key: 'l', openTo: 'judges' },
      { to: '/console/spend', label: 'Spend', icon: Coins, key: 'd', openTo: 'organisers' },
    ],
  },
  {
    name: 'Judge',
    places: [
      {
        to: '/console/submissions',
        label: 'Submissions',
        icon: PackageCheck,
        key: 'w',
        openTo: 'organisers',
      },
      {
        to: '/console/judging',
        label: 'Judging',
        icon: Gavel,
        key: 'j',
        isMain: true,
        openTo: 'head_judges',
      },
      { to: '/console/cases', label: 'Cases', icon: MessageCircleQuestion, key: 'q', openTo: 'head_judges' },
    ],
  },
  {
    name: 'Run',
    places: [
      { to: '/console/models', label: 'Models & upstreams', icon: Cpu, key: 'u' },
      {
        to: '/console/audit',
        label: 'Audit',
        icon: ClipboardList,
        key: 'h',
        openTo: 'operators',
      },
      {
        to: '/console/settings',
        label: 'Settings',
        icon: Settings,
        key: ',',
        openTo: 'operators',
      },
    ],
  },
]

/** Judges begin with the sessions: the overview is about money and machines. */
export function startFor(role: CallerRole): string {
  if (rolesOf.operators.includes(role)) return '/console'
  return rolesOf.head_judges.includes(role) ? '/console/judging' : '/console/sessions'
}

export function placesFor(role: CallerRole): readonly PlaceGroup[] {
  return placeGroups
    .map(({ name, places }) => ({
      name,
      places: places.filter(({ openTo = 'everyone' }) => rolesOf[openTo].includes(role)),
    }))
    .filter(({ places }) => places.length > 0)
}
