// Routes for the event: GET and PUT /event, PUT /event/phases, actions that stop and move it (POST /event/pause, resume, extend, end,
// reopen), and its file (POST /event/apply, GET /event/file).

import {
  endBodySchema,
  eventBodySchema,
  eventSchema,
  extendBodySchema,
  phasesBodySchema,
  plainActionBodySchema,
} from '@fairgate/contracts/management/event.ts'
import {
  applyBodySchema,
  applyReplySchema,
  eventFileReplySchema,
} from '@fairgate/contracts/management/event-file.ts'
import { type ActionReply, actionReplySchema } from '@fairgate/contracts/management/planned-action.ts'
import { buildEventRecord } from '../directory/event/event-record.ts'
import { type ActionOutcome, buildPreview } from '../directory/planned-action.ts'
import {
  type AdminRoute,
  changeRoute,
  lookupRoute,
  type Management,
  previewText,
} from './management-route.ts'

const tag = 'Event'
const action = {
  tag,
  openTo: 'organisers',
  reply: actionReplySchema,
  errors: ['preview_outdated', 'conflict'],
} as const

export function eventRoutes(management: Management): AdminRoute[] {
  const { directory, judging, clock, moment } = management
  const writeReply = async (outcome: ActionOutcome): Promise<ActionReply> => ({
    ...buildPreview(outcome),
    meets: await countMet(management),
    ...moment(),
  })
  return [
    lookupRoute({
      tag,
      openTo: 'everyone',
      path: '/event',
      summary: 'Get the event: its phases, and whether it accepts paid calls now',
      reply: eventSchema,
      errors: [],
      look: () => buildEventRecord(directory.event(), directory.eventVersion(), clock()),
    }),
    changeRoute({
      ...action,
      method: 'PUT',
      path: '/event',
      summary: "Set the event's name, time zone and cap",
      description: `Absent members stay unchanged. ${previewText}`,
      body: eventBodySchema,
      change: async (body, actor) => writeReply(await directory.setEvent(body, actor)),
    }),
    changeRoute({
      ...action,
      method: 'PUT',
      path: '/event/phases',
      summary: 'Set all phases of the event',
      description: `Once there are phases, paid calls are accepted only during an open one. ${previewText}`,
      body: phasesBodySchema,
      change: async (body, actor) => writeReply(await directory.setPhases(body, actor)),
    }),
    changeRoute({
      ...action,
      path: '/event/pause',
      summary: 'Pause the event: refuse paid calls until it resumes',
      description: `New calls are refused with \`event_paused\` and the reason; running ones finish as usual. The boards stay unchanged. ${previewText}`,
      body: plainActionBodySchema,
      change: async (body, actor) => writeReply(await directory.pauseEvent(body, actor)),
    }),
    changeRoute({
      ...action,
      path: '/event/resume',
      summary: 'Resume a paused event',
      description: `The phases do not move; \`/event/extend\` does that. ${previewText}`,
      body: plainActionBodySchema,
      change: async (body, actor) => writeReply(await directory.resumeEvent(body, actor)),
    }),
    changeRoute({
      ...action,
      path: '/event/extend',
      summary: 'Move the end of the current phase and everything after it',
      description: `With \`phase\` it moves the end of that phase, even after it has ended. ${previewText}`,
      body: extendBodySchema,
      change: async (body, actor) => writeReply(await directory.extendEvent(body, actor)),
    }),
    changeRoute({
      ...action,
      path: '/event/end',
      summary: 'End the event: close the gateway and lock all boards, now or at a given time',
      description: `Running calls finish. Late entries are accepted for as long as after the end set by the phases. To lock only the boards, use \`/teams/lock\`. A time in the past causes a warning, which the \`preview_id\` confirms. ${previewText}`,
      body: endBodySchema,
      change: async (body, actor) => writeReply(await directory.endEvent(body, actor)),
    }),
    changeRoute({
      ...action,
      path: '/event/reopen',
      summary: 'Reopen an ended event: phases decide again what is open',
      description: previewText,
      body: plainActionBodySchema,
      change: async (body, actor) => writeReply(await directory.reopenEvent(body, actor)),
    }),
    changeRoute({
      tag,
      openTo: 'organisers',
      path: '/event/apply',
      summary: 'Apply an event file: event, phases, teams, members and their keys, judging',
      description: `Applies all of it or nothing; an error names its line and member. Applying the file again changes nothing. What it does not name stays unchanged, unless \`prune\` is true. ${previewText}`,
      body: applyBodySchema,
      maxBodyBytes: 16 * 1024 * 1024,
      reply: applyReplySchema,
      errors: [...action.errors, 'payload_too_large'],
      change: async (body, actor) => {
        const { outcome, made } = await directory.applyEventFile(body, actor, judging.eventFile)
        return { ...(await writeReply(outcome)), secrets: made ?? [] }
      },
    }),
    lookupRoute({
      tag,
      openTo: 'organisers',
      path: '/event/file',
      summary: 'Export event, phases, teams, members and judging as an event file',
      description: 'Applying it unchanged changes nothing. Blocked teams are left out.',
      reply: eventFileReplySchema,
      errors: ['unavailable'],
      look: async () => ({
        file: directory.exportEventFile(await judging.eventFile.describe()),
        ...moment(),
      }),
    }),
  ]
}

/** In a single process only streams have rows, and the totals cover all calls; if processes share the limits, all calls have rows. */
export async function countMet({ directory, limits, read }: Management): Promise<ActionReply['meets']> {
  const { calls, streams } = await read.countRunningCalls(null)
  return {
    teams: directory.teams().filter(({ blocked }) => blocked !== true).length,
    running_calls: Math.max(calls, limits.totals().holds),
    open_streams: streams,
  }
}
