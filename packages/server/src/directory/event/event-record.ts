// The event's settings as organisers see them (money in nano-dollars, times in UTC), and as they are stored on disk.

import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type { EventRecord, PhaseRecord } from '@fairgate/contracts/management/event.ts'
import { submissionSettingsSchema } from '@fairgate/contracts/management/submission-settings.ts'
import Type from 'typebox'
import { nanoDollars } from '../../ledger/money.ts'
import type { EventSettingsTable } from '../../store/schema/directory.ts'
import { auditOf } from '../audit.ts'
import { readJsonColumn } from '../directory-rows.ts'
import { type Event, gatewayAt, nextChange, type Phase, phaseAt } from './event.ts'

/** The values that an organiser sets. The audit stores them too, before and after a change. */
export type EventSettings = Omit<EventRecord, 'phase' | 'gateway' | 'changes_at' | 'as_of' | 'version'>

export function buildEventRecord(event: Event, version: number, now: number): EventRecord {
  const { kind } = gatewayAt(event, now)
  return {
    ...buildEventSettings(event),
    phase: phaseAt(event, now)?.name ?? null,
    gateway: kind,
    changes_at: isoTime(nextChange(event, now)),
    as_of: isoTime(now),
    version,
  }
}

function buildEventSettings(event: Event): EventSettings {
  const { name, timeZone, capNano, phases, submission, paused, ended } = event
  return {
    name,
    time_zone: timeZone,
    cap_nano: capNano,
    phases: phases.map(buildPhaseRecord),
    submission,
    paused: paused === null ? null : { since: isoTime(paused.since), reason: paused.reason },
    ended:
      ended === null
        ? null
        : { at: isoTime(ended.at), entries_until: isoTime(ended.entriesUntil), reason: ended.reason },
  }
}

export const auditEvent = auditOf<Event>(buildEventSettings, () => ({ target: 'event' }))

/** Event times for participants. */
export function buildClock(event: Event, now: number) {
  const gateway = gatewayAt(event, now)
  const phase = phaseAt(event, now)
  return {
    time_zone: event.timeZone,
    name: phase?.name ?? null,
    from: isoTime(phase?.from ?? null),
    until: isoTime(phase?.until ?? null),
    gateway: gateway.kind,
    reason: gateway.kind === 'paused' ? gateway.reason : null,
    opens_at: isoTime(gateway.kind === 'closed' ? gateway.opensAt : null),
    changes_at: isoTime(nextChange(event, now)),
  }
}

function buildPhaseRecord(phase: Phase): PhaseRecord {
  return {
    name: phase.name,
    from: isoTime(phase.from),
    until: isoTime(phase.until),
    gateway: phase.gateway,
    models: phase.models === null ? null : [...phase.models],
    budget_nano: phase.budgetNano,
    accounting: phase.accounting,
    entries_until: isoTime(phase.entriesUntil),
    submissions_until: isoTime(phase.submissionsUntil),
  }
}

const orNull = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

const documentSchema = Type.Object({
  name: Type.String(),
  timeZone: Type.String(),
  capNano: orNull(Type.Integer({ minimum: 0 })),
  phases: Type.Array(
    Type.Object({
      name: Type.String(),
      from: Type.Integer(),
      until: orNull(Type.Integer()),
      gateway: Type.Enum(['open', 'closed']),
      models: orNull(Type.Array(Type.String())),
      budgetNano: orNull(Type.Integer({ minimum: 0 })),
      accounting: Type.Enum(['new', 'continue']),
      entriesUntil: orNull(Type.Integer()),
      submissionsUntil: orNull(Type.Integer()),
    }),
  ),
  submission: orNull(submissionSettingsSchema),
  paused: orNull(Type.Object({ since: Type.Integer(), reason: Type.String() })),
  ended: orNull(Type.Object({ at: Type.Integer(), entriesUntil: Type.Integer(), reason: Type.String() })),
})

export function writeEventDocument(event: Event): string {
  return JSON.stringify(event)
}

/** Throws an Error for a document that Fairgate did not write. */
export function fromEventRow({ document }: Pick<EventSettingsTable, 'document'>): Event {
  const stored = readJsonColumn('event_settings.document', documentSchema, document)
  return {
    ...stored,
    capNano: stored.capNano === null ? null : nanoDollars(stored.capNano),
    phases: stored.phases.map(
      (phase): Phase => ({
        ...phase,
        budgetNano: phase.budgetNano === null ? null : nanoDollars(phase.budgetNano),
      }),
    ),
  }
}
