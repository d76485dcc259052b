// Bodies and replies for the event on the admin door: its settings, its phases, and the actions that pause, extend and end it.
import Type, { type Static } from 'typebox'
import { orNull } from '../or-null.ts'
import { plainText, strict } from './owner-fields.ts'
import { actionFields } from './planned-action.ts'
import { submissionFieldsSchema, submissionSettingsSchema } from './submission-settings.ts'

const moment = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: 64,
    description: `${description}, ISO 8601; without an offset, in the event's time zone`,
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
    until: orNull(moment('End, exclusive; only the last phase may have none')),
    gateway: orNull(
      Type.Enum(['open', 'closed'], { description: 'Whether paid calls are accepted; default open' }),
    ),
    models: orNull(
      Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        description: 'Model ids or aliases that can be called; null means all',
      }),
    ),
    budget_nano: orNull(nano("Replaces every team's budget during the phase")),
    accounting: orNull(
      Type.Enum(['new', 'continue'], {
        description: 'new: a new budget period of teams and keys starts with the phase. Default: continue',
      }),
    ),
    entries_until: orNull(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description:
          'Locks the boards at the end of the phase, or at the start of a closed one. Entries from before the lock are accepted until then and marked late. A time, or a duration after the lock such as +45m.',
      }),
    ),
    submissions_until: orNull(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description:
          'Deadline of submissions: a time, or a duration such as +15m after the end of the phase, or after the start of a closed one. Default: the end of the last open phase.',
      }),
    ),
  },
  strict,
)

export const phasesBodySchema = Type.Object(
  {
    phases: Type.Array(phaseFieldsSchema, { maxItems: 100, description: 'All phases, in order' }),
    version: orNull(
      Type.Integer({
        description:
          'Version of the settings that the phases are based on; refused with 409 `conflict` if it has changed',
      }),
    ),
    ...actionFields,
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
    cap_nano: orNull(nano('Maximum that all teams together may spend over the whole event; null for no cap')),
    submission: orNull(
      Type.Object(submissionFieldsSchema.properties, {
        ...strict,
        description: 'What teams are asked to hand in; null if nothing',
      }),
    ),
    ...actionFields,
  },
  { ...strict, examples: [{ name: 'AI Cup', time_zone: 'Asia/Seoul', dry_run: true }] },
)

/** Example with a dry run, because actions on all teams should be previewed first. */
const lookFirst = { ...strict, examples: [{ dry_run: true }] }

export const plainActionBodySchema = Type.Object(actionFields, lookFirst)

export const extendBodySchema = Type.Object(
  {
    by: Type.String({ minLength: 1, maxLength: 32, description: 'Duration, such as 15m or 1h30m' }),
    phase: orNull(
      plainText({ description: 'Phase to extend, moving everything after it; default: the current phase' }),
    ),
    ...actionFields,
  },
  { ...strict, examples: [{ by: '15m', dry_run: true }] },
)

export const endBodySchema = Type.Object(
  { at: orNull(moment('When it ends; default: now')), ...actionFields },
  lookFirst,
)

const time = (description: string) => Type.String({ description: `${description}, ISO 8601 in UTC` })
const timeOrNull = (description: string) => Type.Union([time(description), Type.Null()])

export const phaseSchema = Type.Object({
  name: Type.String(),
  from: time('Start'),
  until: timeOrNull('End, exclusive'),
  gateway: Type.Enum(['open', 'closed']),
  models: Type.Union([Type.Array(Type.String()), Type.Null()]),
  budget_nano: Type.Union([Type.Integer(), Type.Null()]),
  accounting: Type.Enum(['new', 'continue']),
  entries_until: timeOrNull('Until when entries from before the lock are accepted'),
  submissions_until: timeOrNull('Deadline of submissions; null if the phase sets none'),
})

export const eventSchema = Type.Object({
  name: Type.String(),
  time_zone: Type.String(),
  cap_nano: Type.Union([Type.Integer(), Type.Null()]),
  submission: Type.Union([submissionSettingsSchema, Type.Null()], {
    description: 'What teams are asked to hand in; null if nothing',
  }),
  phase: Type.Union([Type.String(), Type.Null()], { description: 'Current phase; null between phases' }),
  gateway: Type.Enum(['open', 'closed', 'paused'], { description: 'Whether paid calls are accepted now' }),
  changes_at: timeOrNull('Next scheduled change of the gateway or the phase'),
  phases: Type.Array(phaseSchema),
  paused: Type.Union([
    Type.Object({ since: time('Start of the pause'), reason: Type.String() }),
    Type.Null(),
  ]),
  ended: Type.Union(
    [
      Type.Object({
        at: time('When the gateway closes and all boards are locked'),
        entries_until: time('Until when entries from before the end are accepted'),
        reason: Type.String(),
      }),
      Type.Null(),
    ],
    { description: 'Set if an organiser ended the event' },
  ),
  as_of: time('Time of this reply'),
  version: Type.Integer({
    description: 'Version of the settings: number of the directory change that last wrote them',
  }),
})

export type PhaseFields = Static<typeof phaseFieldsSchema>
export type PhasesBody = Static<typeof phasesBodySchema>
export type EventBody = Static<typeof eventBodySchema>
export type ExtendBody = Static<typeof extendBodySchema>
export type EndBody = Static<typeof endBodySchema>
export type PhaseRecord = Static<typeof phaseSchema>
export type EventRecord = Static<typeof eventSchema>
