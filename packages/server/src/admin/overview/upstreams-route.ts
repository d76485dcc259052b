// GET /upstreams: each upstream with its keys as this process sees them, and figures of its newest calls in all processes.
import { upstreamsReplySchema } from '@fairgate/contracts/console/upstreams.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import { describeRecent, maxRecentCalls, recentMs } from '../../insight/recent-calls.ts'
import { type AdminRoute, lookupRoute, type Management } from '../management-route.ts'

export function upstreamsRoute(management: Management): AdminRoute {
  const { describeUpstreams, catalog, read, directory, clock } = management
  return lookupRoute({
    tag: 'Overview',
    openTo: 'operators',
    path: '/upstreams',
    summary: 'List the upstreams with their keys and figures of their newest calls',
    description:
      'Each process rests its keys on its own, so this is the state in the process that answers. Rates and times come from the newest calls ' +
      `of all processes, at most ${maxRecentCalls}, within five minutes.`,
    reply: upstreamsReplySchema,
    errors: ['unavailable'],
    look: async () => {
      const now = clock()
      const recent = await read.readRecentCalls({
        ...{ teamId: null, from: now - recentMs, until: now + 1 },
        limit: maxRecentCalls,
      })
      const items = describeUpstreams().map(({ upstream, lastOutcome, keys }) => {
        const own = describeRecent(recent, now, call => call.upstream === upstream)
        return {
          upstream,
          models: [...catalog.models, ...catalog.families]
            .filter(model => model.upstream === upstream)
            .map(({ id }) => id),
          last_outcome: lastOutcome,
          keys: keys.map(({ id, key, fault, restMs }) => ({
            id,
            key,
            state: restMs === null ? ('ready' as const) : ('resting' as const),
            fault: restMs === null ? null : fault,
            next_trial_at: restMs === null ? null : isoTime(now + restMs),
          })),
          calls_per_min: own.calls_per_min,
          errors_share: own.errors_share,
          latency_ms: own.latency_ms,
        }
      })
      return { as_of: isoTime(now), version: directory.version(), items, next: null }
    },
  })
}
