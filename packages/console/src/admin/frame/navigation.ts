// The console's screens as the navigation lists them, with their keyboard shortcuts.

import type { AdminSession } from '@fairgate/contracts/management/access.ts'
import {
  Activity,
  CalendarDays,
  ClipboardList,
  Coins,
  Cpu,
  LayoutGrid,
  type LucideIcon,
  Megaphone,
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
  /** Only for these roles; all roles if absent. */
  readonly roles?: readonly AdminSession['role'][]
  /** Listed in the bottom bar on phones, which has room for five. */
  readonly isMain?: boolean
}

export type PlaceGroup = { readonly name: string | null; readonly places: readonly Place[] }

/** Operators may not see what teams do. The server refuses these reads to them. */
const readers = ['organiser', 'judge'] as const

const placeGroups: readonly PlaceGroup[] = [
  {
    name: null,
    places: [
      { to: '/console', label: 'Overview', icon: LayoutGrid, key: 'o', isMain: true },
      { to: '/console/event', label: 'Event', icon: CalendarDays, key: 'v' },
      { to: '/console/messages', label: 'Messages', icon: Megaphone, key: 'm' },
      {
        to: '/console/notes',
        label: 'Notes',
        icon: StickyNote,
        key: 'n',
        roles: readers,
      },
    ],
  },
  {
    name: 'Watch',
    places: [
      { to: '/console/teams', label: 'Teams', icon: Users, key: 't', isMain: true, roles: readers },
      { to: '/console/calls', label: 'Calls', icon: Activity, key: 'c', isMain: true, roles: readers },
      {
        to: '/console/sessions',
        label: 'Sessions',
        icon: MessagesSquare,
        key: 's',
        isMain: true,
        roles: readers,
      },
      { to: '/console/logbook', label: 'Logbook', icon: ScrollText, key: 'b', roles: readers },
      { to: '/console/search', label: 'Search the logs', icon: Search, key: 'l', roles: readers },
      {
        to: '/console/submissions',
        label: 'Submissions',
        icon: PackageCheck,
        key: 'w',
        roles: ['organiser'],
      },
      { to: '/console/spend', label: 'Spend', icon: Coins, key: 'd', roles: ['organiser'] },
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
        roles: ['organiser', 'operator'],
      },
      {
        to: '/console/settings',
        label: 'Settings',
        icon: Settings,
        key: ',',
        roles: ['organiser', 'operator'],
      },
    ],
  },
]

export function placesFor(role: AdminSession['role']): readonly PlaceGroup[] {
  return placeGroups
    .map(({ name, places }) => ({
      name,
      places: places.filter(({ roles }) => roles === undefined || roles.includes(role)),
    }))
    .filter(({ places }) => places.length > 0)
}
