// Maps addresses to screens. Each screen is its own chunk, loaded when first opened.
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { parseSearch, searchOf, writeSearch } from '../frame/search.ts'
import { Frame, NoSuchScreen } from './frame/frame.tsx'

const root = createRootRoute({ component: Frame, notFoundComponent: NoSuchScreen })
const under = { getParentRoute: () => root } as const

const routes = [
  createRoute({
    ...under,
    path: '/console',
    validateSearch: searchOf('range'),
    component: lazyRouteComponent(() => import('./screens/overview/overview-screen.tsx'), 'OverviewScreen'),
  }),
  createRoute({
    ...under,
    path: '/console/event',
    validateSearch: searchOf('do'),
    component: lazyRouteComponent(() => import('./screens/event/event-screen.tsx'), 'EventScreen'),
  }),
  createRoute({
    ...under,
    path: '/console/messages',
    validateSearch: searchOf('show', 'question', 'do'),
    component: lazyRouteComponent(() => import('./screens/messages/messages-screen.tsx'), 'MessagesScreen'),
  }),
  createRoute({
    ...under,
    path: '/console/notes',
    validateSearch: searchOf('team', 'author', 'kind'),
    component: lazyRouteComponent(() => import('./screens/notes/notes-screen.tsx'), 'NotesScreen'),
  }),
  createRoute({
    ...under,
    path: '/console/teams',
    validateSearch: searchOf('q', 'state', 'sort', 'order', 'do', 'hide'),
    component: lazyRouteComponent(() => import('./screens/teams/teams-screen.tsx'), 'TeamsScreen'),
  }),
  createRoute({
    ...under,
    path: '/console/teams/$team',
    validateSearch: searchOf('do', 'by', 'key', 'call'),
    component: lazyRouteComponent(() => import('./screens/team/team-screen.tsx'), 'TeamScreen'),
  }),
  createRoute({
    ...under,
    path: '/console/teams/$team/$tab',
    validateSearch: searchOf('kind', 'do', 'by', 'outcome', 'call', 'key'),
    component: lazyRouteComponent(() => import('./screens/team/team-screen.tsx'), 'TeamScreen'),
  }),
  createRoute({
    ...under,
    path: '/console/handouts',
    validateSearch: searchOf('teams'),
    component: lazyRouteComponent(() => import('./screens/handouts/handouts-screen.tsx'), 'HandoutsScreen'),
  }),
  createRoute({
    ...under,
    path: '/console/calls',
    validateSearch: searchOf(
      'team',
      'model',
      'outcome',
      'code',
      'key',
      'session',
      'from',
      'until',
      'cost',
      'call',
    ),
    component: lazyRouteComponent(() => import('./screens/calls/calls-screen.tsx'), 'CallsScreen'),
  }),
  createRoute({
    ...under,
    path: '/console/logbook',
    validateSearch: searchOf('team', 'tool', 'event'),
    component: lazyRouteComponent(() => import('./screens/logbook/logbook-screen.tsx'), 'LogbookScreen'),
  }),
  createRoute({
    ...under,
    path: '/console/sessions',
    validateSearch: searchOf('team', 'tool', 'logged', 'cost', 'sort'),
    component: lazyRouteComponent(() => import('./screens/sessions/sessions-screen.tsx'), 'SessionsScreen'),
  }),
  createRoute({
    ...under,
    path: '/console/sessions/$team/$session',
    validateSearch: searchOf('tool', 'view', 'seq'),
    component: lazyRouteComponent(() => import('./screens/session/session-screen.tsx'), 'SessionScreen'),
  }),
  createRoute({
    ...under,
    path: '/console/entries/$team/$seq',
    component: lazyRouteComponent(() => import('./screens/session/entry-screen.tsx'), 'EntryScreen'),
  }),
  createRoute({
    ...under,
    path: '/console/submissions',
    validateSearch: searchOf('state', 'team', 'version', 'do'),
    component: lazyRouteComponent(
      () => import('./screens/submissions/submissions-screen.tsx'),
      'SubmissionsScreen',
    ),
  }),
  createRoute({
    ...under,
    path: '/console/judging',
    validateSearch: searchOf('tab'),
    component: lazyRouteComponent(() => import('./screens/judging/judging-screen.tsx'), 'JudgingScreen'),
  }),
  createRoute({
    ...under,
    path: '/console/cases',
    validateSearch: searchOf('do', 'team', 'cites'),
    component: lazyRouteComponent(() => import('./screens/cases/cases-screen.tsx'), 'CasesScreen'),
  }),
  createRoute({
    ...under,
    path: '/console/search',
    validateSearch: searchOf('q', 'team', 'person', 'tool', 'event', 'from', 'until'),
    component: lazyRouteComponent(() => import('./screens/search/search-screen.tsx'), 'SearchScreen'),
  }),
  createRoute({
    ...under,
    path: '/console/spend',
    validateSearch: searchOf('by', 'range', 'team', 'model'),
    component: lazyRouteComponent(() => import('./screens/spend/spend-screen.tsx'), 'SpendScreen'),
  }),
  createRoute({
    ...under,
    path: '/console/models',
    validateSearch: searchOf('model', 'do'),
    component: lazyRouteComponent(() => import('./screens/models/models-screen.tsx'), 'ModelsScreen'),
  }),
  createRoute({
    ...under,
    path: '/console/audit',
    validateSearch: searchOf('actor', 'subject', 'action', 'row'),
    component: lazyRouteComponent(() => import('./screens/audit/audit-screen.tsx'), 'AuditScreen'),
  }),
  createRoute({
    ...under,
    path: '/console/settings',
    validateSearch: searchOf('tab', 'do'),
    component: lazyRouteComponent(() => import('./screens/settings/settings-screen.tsx'), 'SettingsScreen'),
  }),
] as const

export function createConsoleRouter() {
  return createRouter({
    routeTree: root.addChildren(routes),
    parseSearch,
    stringifySearch: writeSearch,
    defaultPreload: 'intent',
    defaultPreloadDelay: 80,
    scrollRestoration: true,
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>
  }
}
