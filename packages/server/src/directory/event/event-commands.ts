// Changes the event's settings: planned first, then one audited write that applies on every process at once.

import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { EndBody, EventBody, ExtendBody, PhasesBody } from '@fairgate/contracts/management/event.ts'
import type { ActionBody } from '@fairgate/contracts/management/planned-action.ts'
import type { SubmissionFields } from '@fairgate/contracts/management/submission-settings.ts'
import { formatZonedMoment, isTimeZone, parseSpan } from '@fairgate/contracts/text/zoned-time.ts'
import { nanoDollars } from '../../ledger/money.ts'
import type { CommandDependencies } from '../commands.ts'
import { parseZonedMoment } from '../parse-times.ts'
import { type ActionOutcome, carryOut } from '../planned-action.ts'
import { refuseValue } from '../refusals.ts'
import {
  boardLocksOf,
  type Event,
  extendPhase,
  graceAt,
  type Phase,
  phaseAt,
  usualSubmission,
} from './event.ts'
import { auditEvent, writeEventDocument } from './event-record.ts'
import { listEventChanges, warnOfEffects } from './list-event-changes.ts'
import { buildPhases, checkPhases } from './phases.ts'

/** The new settings. */
type Alter = (event: Event, now: number) => Event
/** Effects that an organiser should check before confirming. */
type Warn = (before: Event, after: Event, now: number) => readonly string[]

const withoutWarnings: Warn = () => []

/** Clocks differ: an organiser who ends the event right on time must not get a warning that it has just passed. */
const leewayMs = 60_000

/** `actor` made the change, for the audit. Actions throw ApiError `preview_outdated` and `conflict` (409), and `invalid_request`. */
export function createEventCommands({ memory, write, run, clock, resolveModel }: CommandDependencies) {
  /** An immediate effect is a warning if it may surprise. */
  const runAction = async (
    action: string,
    actor: string,
    body: ActionBody,
    alter: Alter,
    warn: Warn = warnOfEffects,
  ): Promise<ActionOutcome> => {
    const { outcome } = await carryOut({ run, clock }, body, {
      plan: now => {
        const before = memory.event()
        const after = alter(before, now)
        const seen = memory.versionOf(before)
        const changes = listEventChanges(before, after, now)
        return { before, after, seen, plan: { changes, warnings: warn(before, after, now), basis: [seen] } }
      },
      make: async ({ before, after, seen, plan }, now) => {
        if (plan.changes.length === 0) return { version: memory.version(), result: null }
        const version = await write.updateEvent({
          event: { document: writeEventDocument(after), boardLocks: boardLocksOf(after), seen },
          audit: auditEvent({ now, actor, reason: body.reason }, action, before, after),
        })
        return memory.commit(version, { event: after }, null)
      },
    })
    return outcome
  }

  const pause = (event: Event, now: number, reason: string): Event =>
    event.paused === null ? { ...event, paused: { since: now, reason } } : event

  return {
    /** Absent members are unchanged. */
    setEvent: (body: EventBody, actor: string) =>
      runAction('event.set', actor, body, event => applyEventFields(event, body)),
    setPhases: (body: PhasesBody, actor: string) =>
      runAction('event.phases', actor, body, event => {
        const { version } = body
        if (typeof version === 'number' && version !== memory.versionOf(event))
          throw new ApiError('conflict', {
            param: 'version',
            message: 'The event was changed in the meantime. Read it again; nothing was changed.',
          })
        return { ...event, phases: buildPhases(body.phases, event.timeZone, resolveModel) }
      }),
    pauseEvent: (body: ActionBody, actor: string) =>
      runAction(
        'event.pause',
        actor,
        body,
        (event, now) => pause(event, now, body.reason ?? ''),
        withoutWarnings,
      ),
    resumeEvent: (body: ActionBody, actor: string) =>
      runAction('event.resume', actor, body, event => ({ ...event, paused: null }), withoutWarnings),
    extendEvent: (body: ExtendBody, actor: string) =>
      runAction('event.extend', actor, body, (event, now) => {
        const span = parseSpan(body.by)
        if (span === null)
          throw refuseValue('by', `"${body.by}" is not a time span. Use a form such as 15m or 1h30m.`)
        const extended = extendPhase(event, findExtended(event, body.phase ?? null, now), span)
        checkPhases(extended.phases)
        return extended
      }),
    endEvent: (body: EndBody, actor: string) =>
      runAction('event.end', actor, body, (event, now) => end(event, body, now), warnOfPastEnd),
    reopenEvent: (body: ActionBody, actor: string) =>
      runAction('event.reopen', actor, body, event => ({ ...event, ended: null }), withoutWarnings),
  }
}

/** `param`: the member that holds the time zone. Throws ApiError `invalid_request`. */
export function applyEventFields(
  event: Event,
  body: Omit<EventBody, keyof ActionBody>,
  param = 'time_zone',
): Event {
  const { name, time_zone: timeZone, cap_nano: cap, submission } = body
  if (typeof timeZone === 'string' && !isTimeZone(timeZone))
    throw refuseValue(param, `"${timeZone}" is not a time zone. Use an IANA name such as Asia/Seoul.`)
  return {
    ...event,
    name: name ?? event.name,
    timeZone: timeZone ?? event.timeZone,
    capNano: cap === undefined ? event.capNano : cap === null ? null : nanoDollars(cap),
    submission: submission === undefined ? event.submission : buildSubmission(submission),
  }
}

/** A text of white space asks for nothing. */
function buildSubmission(fields: SubmissionFields | null): Event['submission'] {
  if (fields === null) return null
  const asked = fields.disclosure?.trim() ?? ''
  return {
    disclosure: asked === '' ? null : asked,
    max_files: fields.max_files ?? usualSubmission.max_files,
    late: fields.late ?? usualSubmission.late,
  }
}

function findExtended(event: Event, name: string | null, now: number): Phase {
  const phase = name === null ? phaseAt(event, now) : (event.phases.find(each => each.name === name) ?? null)
  if (phase === null)
    throw refuseValue(
      'phase',
      name === null ? 'no phase covers this time. Name a phase.' : `there is no phase "${name}".`,
    )
  if (phase.until === null) {
    const ended = event.phases.findLast(({ until }) => until !== null && until <= now)
    const hint = ended === undefined ? '' : ` To move the end of "${ended.name}", name that phase.`
    throw refuseValue('phase', `"${phase.name}" has no end to move.${hint}`)
  }
  return phase
}

function end(event: Event, { at, reason }: EndBody, now: number): Event {
  // Ending again without a time changes nothing, and does not move the lock.
  if (typeof at !== 'string' && event.ended !== null && event.ended.at <= now) return event
  const moment = typeof at === 'string' ? parseZonedMoment('at', at, event.timeZone) : now
  const entriesUntil = moment + graceAt(event, moment)
  return { ...event, ended: { at: moment, entriesUntil, reason: reason ?? '' } }
}

/** A time in the past also locks boards for entries from before, so it needs a confirmation. */
function warnOfPastEnd(before: Event, { ended, timeZone }: Event, now: number): string[] {
  if (ended === null || ended === before.ended || ended.at >= now - leewayMs) return []
  const shown = formatZonedMoment(ended.at, timeZone)
  return [`The boards would be locked from ${shown} on, which is in the past.`]
}
