// The settings of the event in memory ⇄ their document on disk, and as the audit records them.
import Type from 'typebox'
import { nanoDollars } from '../../ledger/money.ts'
import type { EventSettingsTable } from '../../store/schema/directory.ts'
import { readJsonColumn } from '../directory-rows.ts'
import type { Event, Phase } from './event.ts'

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
    }),
  ),
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
