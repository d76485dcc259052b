// The only route of the judge's page. The query of the address says what is shown (judge-address.ts).
import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router'
import { parseSearch, writeSearch } from '../frame/search.ts'
import { JudgeFrame } from './judge-frame.tsx'

const root = createRootRoute()

// Only the console's router registers its routes with the types; this one is small enough to do without.
export const judgeRouter = createRouter({
  routeTree: root.addChildren([
    createRoute({ getParentRoute: () => root, path: '/judging', component: JudgeFrame }),
  ]),
  parseSearch,
  stringifySearch: writeSearch,
  scrollRestoration: true,
})
