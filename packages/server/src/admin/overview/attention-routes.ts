// GET /attention: conditions that need attention now, worst first. POST /attention/{condition_id}/snooze snoozes one.
import {
  attentionReplySchema,
  conditionKinds,
  snoozeBodySchema,
  snoozeReplySchema,
} from '@fairgate/contracts/console/attention.ts'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import { toAuditRow } from '../../directory/audit.ts'
import { listConditions } from '../../insight/attention/list-conditions.ts'
import { type AdminRoute, changeRoute, lookupRoute, type Management } from '../management-route.ts'

const usualMinutes = 60
const maxIdLength = 512
const minuteMs = 60_000
const facts = { tag: 'Overview', openTo: 'operators' } as const

export function attentionRoutes(management: Management): AdminRoute[] {
  const { write, directory, clock, moment } = management
  return [
    lookupRoute({
      ...facts,
      path: '/attention',
      summary: 'List what needs attention now, worst first',
      description:
        'Budgets, the event cap, upstream keys, disk, ledger and recorders, as this process sees them. It also answers while the ' +
        'database is unavailable; teams are then judged by its last data. Resolved conditions are not listed.',
      reply: attentionReplySchema,
      errors: [],
      look: async () => {
        const items = await listConditions(management)
        const count = (severity: string) =>
          items.filter(item => item.snoozed === null && item.severity === severity).length
        return {
          ...moment(),
          items,
          next: null,
          total: { count: items.length, critical: count('critical'), warning: count('warning'), exact: true },
        }
      },
    }),
    changeRoute({
      ...facts,
      path: '/attention/:condition_id/snooze',
      pathExamples: { condition_id: 'disk_short' },
      summary: 'Snooze something that needs attention',
      description:
        'Applies to everyone, in every process. It is listed as snoozed until then, and comes back by itself.',
      body: snoozeBodySchema,
      reply: snoozeReplySchema,
      errors: ['not_found'],
      change: async ({ minutes, reason }, actor, { condition_id: id = '' }) => {
        const [kind, subject = ''] = id.split(':')
        if (!conditionKinds.some(known => known === kind) || id.length > maxIdLength || id.includes('\0'))
          throw new ApiError('not_found', {
            param: 'condition_id',
            message: 'There is no condition with this id. GET /attention lists all of them.',
          })
        const now = clock()
        const until = now + (minutes ?? usualMinutes) * minuteMs
        const snooze = { conditionId: id, until, actor, reason: reason ?? '' }
        const audit = toAuditRow(
          { now, actor, reason },
          {
            action: 'attention.snooze',
            teamId: directory.findTeam(subject)?.teamId ?? '',
            target: id,
            before: null,
            after: { until: isoTime(until) },
          },
        )
        await write.snoozeCondition({ snooze, now, audit })
        return { condition_id: id, snoozed_until: until === now ? null : isoTime(until), ...moment() }
      },
    }),
  ]
}
