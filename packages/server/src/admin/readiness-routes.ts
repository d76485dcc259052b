// GET /readiness, GET /first_steps and POST /readiness/{part}/check: the installation's readiness for an event, with fixes.
import { type FirstSteps, firstStepsSchema } from '@fairgate/contracts/management/first-steps.ts'
import {
  type ReadinessReport,
  readinessCheckBodySchema,
  readinessCheckSchema,
  readinessParts,
  readinessSchema,
} from '@fairgate/contracts/management/readiness.ts'
import { type AdminRoute, changeRoute, lookupRoute, type Management } from './management-route.ts'

const tag = 'Readiness'

export function readinessRoutes({ fitness, clock }: Management): AdminRoute[] {
  const { board, isSandbox, readFirstSteps, priceCalls } = fitness
  const stamp = () => ({ as_of: new Date(clock()).toISOString(), version: board.version })
  return [
    lookupRoute({
      tag,
      openTo: 'operators',
      path: '/readiness',
      summary: 'Check whether the installation is ready for an event, part by part',
      description:
        'Each part is ok, a warning or a fault, with the finding and how to fix it. Results older than a minute are checked again first. No paid calls are made; `POST /readiness/upstreams/check` makes one with each key. The results are those of the process that answers.',
      reply: readinessSchema,
      errors: ['unavailable'],
      keepsOpen: true,
      look: async (): Promise<ReadinessReport> => {
        const items = await board.read()
        const { calls, costNano } = priceCalls()
        return { ...stamp(), items, is_sandbox: isSandbox, key_trial: { calls, cost_nano: costNano } }
      },
    }),
    lookupRoute({
      tag,
      openTo: 'organisers',
      path: '/first_steps',
      summary: 'List what to set up before an event, and what is done',
      reply: firstStepsSchema,
      errors: ['unavailable'],
      look: async (): Promise<FirstSteps> => {
        const { items, hasBegun } = await readFirstSteps()
        const done = items.filter(({ is_done }) => is_done).length
        return { items, done, has_begun: hasBegun, as_of: stamp().as_of }
      },
    }),
    changeRoute({
      openTo: 'operators',
      path: '/readiness/:part/check',
      pathExamples: { part: 'clock' },
      tag,
      summary: 'Check one part now',
      description: `Parts: ${readinessParts.join(', ')}. Nothing is changed. If the same part is already being checked, the request waits for that result.`,
      body: readinessCheckBodySchema,
      reply: readinessCheckSchema,
      errors: ['not_found'],
      // The check may have to wait for a slow upstream.
      keepsOpen: true,
      change: async ({ calls }, _actor, { part = '' }) => {
        const item = await board.check(part, calls === true && part === 'upstreams')
        return { ...stamp(), item }
      },
    }),
  ]
}
