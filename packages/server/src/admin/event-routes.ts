// GET and PUT /event, PUT /event/phases, the acts that stop and move the event (POST /event/pause, resume, extend, end, reopen), and
// its file: POST /event/apply, GET /event/file.

import {
  endBodySchema,
  eventBodySchema,
  eventSchema,
  extendBodySchema,
  phasesBodySchema,
  plainActBodySchema,
} from '@fairgate/contracts/management/event.ts'
import {
  applyBodySchema,
  applyReplySchema,
  eventFileReplySchema,
} from '@fairgate/contracts/management/event-file.ts'
import { type ActReply, actReplySchema } from '@fairgate/contracts/management/planned-act.ts'
import { buildEventRecord } from '../directory/event/event-record.ts'
import { type ActOutcome, buildPreview } from '../directory/planned-act.ts'
import {
  type AdminRoute,
  changeRoute,
  lookupRoute,
  type Management,
  previewText,
} from './management-route.ts'

const tag = 'Event'
const act = {
  tag,
  openTo: 'organisers',
  reply: actReplySchema,
  errors: ['preview_outdated', 'conflict'],
} as const

export function eventRoutes(management: Management): AdminRoute[] {
  const { directory, clock, moment } = management
  const writeReply = async (outcome: ActOutcome): Promise<ActReply> => ({
    ...buildPreview(outcome),
    meets: await countMet(management),
    ...moment(),
  })
  return [
    lookupRoute({
      tag,
      openTo: 'everyone',
      path: '/event',
      summary: 'The event: its phases, and whether paid calls are taken now',
      reply: eventSchema,
      errors: [],
      look: () => buildEventRecord(directory.event(), directory.eventVersion(), clock()),
    }),
    changeRoute({
      ...act,
      method: 'PUT',
      path: '/event',
      summary: 'Set name, time zone and cap of the event',
      description: `Absent members stay as they are. ${previewText}`,
      body: eventBodySchema,
      change: async (body, actor) => writeReply(await directory.setEvent(body, actor)),
    }),
    changeRoute({
      ...act,
      method: 'PUT',
      path: '/event/phases',
      summary: 'Set all phases of the event',
      description: `Once there are phases, paid calls are taken only while an open one lasts. ${previewText}`,
      body: phasesBodySchema,
      change: async (body, actor) => writeReply(await directory.setPhases(body, actor)),
    }),
    changeRoute({
      ...act,
      path: '/event/pause',
      summary: 'Take no paid calls until the event goes on',
      description: `New calls are refused with \`event_paused\` and the reason; running ones end as usual. The boards stay as they are. ${previewText}`,
      body: plainActBodySchema,
      change: async (body, actor) => writeReply(await directory.pauseEvent(body, actor)),
    }),
    changeRoute({
      ...act,
      path: '/event/resume',
      summary: 'Let a paused event go on',
      description: `The phases are not moved; \`/event/extend\` does that. ${previewText}`,
      body: plainActBodySchema,
      change: async (body, actor) => writeReply(await directory.resumeEvent(body, actor)),
    }),
    changeRoute({
      ...act,
      path: '/event/extend',
      summary: 'Move the end of the present phase and everything after it',
      description: `With \`phase\` the end of that phase, also after it has ended. ${previewText}`,
      body: extendBodySchema,
      change: async (body, actor) => writeReply(await directory.extendEvent(body, actor)),
    }),
    changeRoute({
      ...act,
      path: '/event/end',
      summary: 'End the event: close the gateway and lock all boards, now or at a time',
      description: `Running calls finish. Entries that happened before are accepted for as long as after the end that the phases set. To lock the boards alone, use \`/teams/lock\`. A time in the past is a warning, which the \`preview_id\` confirms. ${previewText}`,
      body: endBodySchema,
      change: async (body, actor) => writeReply(await directory.endEvent(body, actor)),
    }),
    changeRoute({
      ...act,
      path: '/event/reopen',
      summary: 'Reopen an event that was ended: the phases decide again what is open',
      description: previewText,
      body: plainActBodySchema,
      change: async (body, actor) => writeReply(await directory.reopenEvent(body, actor)),
    }),
    changeRoute({
      tag,
      openTo: 'organisers',
      path: '/event/apply',
      summary: 'Make event, teams, members, their keys and phases what a file says',
      description: `All of it or nothing; a fault is named by its line and member. Applied again, the file changes nothing. What it does not name stays as it is, unless \`prune\` is true. ${previewText}`,
      body: applyBodySchema,
      maxBodyBytes: 16 * 1024 * 1024,
      reply: applyReplySchema,
      errors: [...act.errors, 'payload_too_large'],
      change: async (body, actor) => {
        const { outcome, made } = await directory.applyEventFile(body, actor)
        return { ...(await writeReply(outcome)), secrets: made ?? [] }
      },
    }),
    lookupRoute({
      tag,
      openTo: 'organisers',
      path: '/event/file',
      summary: 'The file that makes event, teams, members and phases what they are',
      description: 'Applied as it stands, it changes nothing. Blocked teams are left out.',
      reply: eventFileReplySchema,
      errors: [],
      look: () => ({ file: directory.exportEventFile(), ...moment() }),
    }),
  ]
}

/** On one process streams alone have rows, and the totals know all calls; where processes share the limits all calls have rows. */
export async function countMet({ directory, limits, read }: Management): Promise<ActReply['meets']> {
  const { calls, streams } = await read.countRunningCalls(null)
  return {
    teams: directory.teams().filter(({ blocked }) => blocked !== true).length,
    running_calls: Math.max(calls, limits.totals().holds),
    open_streams: streams,
  }
}
