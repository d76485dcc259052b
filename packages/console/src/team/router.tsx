// Routes of the team page. All screens but the first are separate chunks.
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { parseSearch, searchOf, writeSearch } from '../frame/search.ts'
import { NowScreen } from './screens/now-screen.tsx'
import { NoSuchPage, TeamFrame } from './team-frame.tsx'

const root = createRootRoute({ component: TeamFrame, notFoundComponent: NoSuchPage })
const under = { getParentRoute: () => root } as const

const routes = [
  createRoute({ ...under, path: '/', component: NowScreen }),
  createRoute({
    ...under,
    path: '/connect',
    validateSearch: searchOf('tool'),
    component: lazyRouteComponent(() => import('./screens/connect-screen.tsx'), 'ConnectScreen'),
  }),
  createRoute({
    ...under,
    path: '/calls',
    validateSearch: searchOf('outcome', 'model', 'call'),
    component: lazyRouteComponent(() => import('./screens/own-calls-screen.tsx'), 'OwnCallsScreen'),
  }),
  createRoute({
    ...under,
    path: '/log',
    validateSearch: searchOf('session', 'tool'),
    component: lazyRouteComponent(() => import('./screens/own-log-screen.tsx'), 'OwnLogScreen'),
  }),
  createRoute({
    ...under,
    path: '/limits',
    component: lazyRouteComponent(() => import('./screens/own-limits-screen.tsx'), 'OwnLimitsScreen'),
  }),
  createRoute({
    ...under,
    path: '/submission',
    component: lazyRouteComponent(() => import('./screens/submission-screen.tsx'), 'SubmissionScreen'),
  }),
  createRoute({
    ...under,
    path: '/judging',
    component: lazyRouteComponent(() => import('./screens/judging-screen.tsx'), 'JudgingScreen'),
  }),
  createRoute({
    ...under,
    path: '/ask',
    component: lazyRouteComponent(() => import('./screens/ask-screen.tsx'), 'AskScreen'),
  }),
] as const

// Only the console's router registers its routes with the types; this one is small enough to do without.
export const teamRouter = createRouter({
  routeTree: root.addChildren(routes),
  parseSearch,
  stringifySearch: writeSearch,
  defaultPreload: 'intent',
  scrollRestoration: true,
})
