// The bodies and replies of the admin door's calls about the event: its settings, its phases, and the acts that stop and move it.
import Type, { type Static } from 'typebox'
import { orNull } from '../or-null.ts'
import { plainText, strict } from './owner-fields.ts'
import { actFields } from './planned-act.ts'

const moment = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: 64,
    description: `${description}, ISO 8601; without an offset it is in the time zone of the event`,
  })

const nano = (description: string) =>
  Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: `${description}, in nano-dollars`,
  })

export const phaseNameSchema = plainText({ minLength: 1, description: 'Name of the phase' })

export const phaseFieldsSchema = Type.Object(
  {
    name: phaseNameSchema,
    from: moment('Start'),
    until: orNull(moment('End, not included; only the last phase may have none')),
    gateway: orNull(
      Type.Enum(['open', 'closed'], { description: 'Whether paid calls are taken; open when absent' }),
    ),
    models: orNull(
      Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        description: 'Model ids or aliases that may be called; null means all',
      }),
    ),
    budget_nano: orNull(nano("Takes the place of every team's budget while the phase lasts")),
    accounting: orNull(
      Type.Enum(['new', 'continue'], {
        description: 'new: a new budget period of teams and keys starts with the phase; continue when absent',
      }),
    ),
    entries_until: orNull(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description:
          'Locks the boards at the end of the phase, or at the start of a closed one. Entries of before are taken until then, and marked late. A time, or a span after the lock such as +45m.',
      }),
    ),
  },
  strict,
)

export const phasesBodySchema = Type.Object(
  {
    phases: Type.Array(phaseFieldsSchema, { maxItems: 100, description: 'All phases, in their order' }),
    version: orNull(
      Type.Integer({
        description:
          'Of the settings that the phases were made from; refused with 409 `conflict` if they have another by now',
      }),
    ),
    ...actFields,
  },
  {
    ...strict,
    examples: [
      {
        phases: [
          { name: 'contest', from: '2026-11-21T10:00', until: '2026-11-21T18:00', accounting: 'new' },
          { name: 'judging', from: '2026-11-21T18:00', gateway: 'closed', entries_until: '+45m' },
        ],
        dry_run: true,
      },
    ],
  },
)

export const eventBodySchema = Type.Object(
  {
    name: orNull(plainText({ description: 'Name of the event' })),
    time_zone: orNull(
      Type.String({ minLength: 1, maxLength: 64, description: 'IANA name, such as Asia/Seoul' }),
    ),
    cap_nano: orNull(nano('The most that all teams together may spend over the whole event; null: no cap')),
    ...actFields,
  },
  { ...strict, examples: [{ name: 'AI Cup', time_zone: 'Asia/Seoul', dry_run: true }] },
)

/** An act on everybody is looked at first. */
const lookFirst = { ...strict, examples: [{ dry_run: true }] }

export const plainActBodySchema = Type.Object(actFields, lookFirst)

export const extendBodySchema = Type.Object(
  {
    by: Type.String({ minLength: 1, maxLength: 32, description: 'How long, such as 15m or 1h30m' }),
    phase: orNull(
      plainText({ description: 'Whose end moves, with everything after it; the present phase when absent' }),
    ),
    ...actFields,
  },
  { ...strict, examples: [{ by: '15m', dry_run: true }] },
)

export const endBodySchema = Type.Object(
  { at: orNull(moment('When it ends; now when absent')), ...actFields },
  lookFirst,
)

const time = (description: string) => Type.String({ description: `${description}, ISO 8601 in UTC` })
const timeOrNull = (description: string) => Type.Union([time(description), Type.Null()])

export const phaseSchema = Type.Object({
  name: Type.String(),
  from: time('Start'),
  until: timeOrNull('End, not included'),
  gateway: Type.Enum(['open', 'closed']),
  models: Type.Union([Type.Array(Type.String()), Type.Null()]),
  budget_nano: Type.Union([Type.Integer(), Type.Null()]),
  accounting: Type.Enum(['new', 'continue']),
  entries_until: timeOrNull('Until when entries of before the lock are taken'),
})

export const eventSchema = Type.Object({
  name: Type.String(),
  time_zone: Type.String(),
  cap_nano: Type.Union([Type.Integer(), Type.Null()]),
  phase: Type.Union([Type.String(), Type.Null()], { description: 'The present one; null between phases' }),
  gateway: Type.Enum(['open', 'closed', 'paused'], { description: 'Whether paid calls are taken now' }),
  changes_at: timeOrNull('When the gateway or the phase changes next by itself'),
  phases: Type.Array(phaseSchema),
  paused: Type.Union([Type.Object({ since: time('Since when'), reason: Type.String() }), Type.Null()]),
  ended: Type.Union(
    [
      Type.Object({
        at: time('From then on the gateway is closed and all boards are locked'),
        entries_until: time('Until when entries of before are accepted'),
        reason: Type.String(),
      }),
      Type.Null(),
    ],
    { description: 'Set when an organiser has ended the event' },
  ),
  as_of: time('The instant of this answer'),
  version: Type.Integer({ description: 'Of the settings: the change of the directory that wrote them last' }),
})

export type PhaseFields = Static<typeof phaseFieldsSchema>
export type PhasesBody = Static<typeof phasesBodySchema>
export type EventBody = Static<typeof eventBodySchema>
export type ExtendBody = Static<typeof extendBodySchema>
export type EndBody = Static<typeof endBodySchema>
export type PhaseRecord = Static<typeof phaseSchema>
export type EventRecord = Static<typeof eventSchema>
