// Event file for `fairgate apply`: event, limits, teams with their members and keys, and phases.
import Type, { type Static } from 'typebox'
import { newJudgeSchema } from '../judging/panel.ts'
import { judgingSetupSchema } from '../judging/setup.ts'
import { orNull } from '../or-null.ts'
import { announcementLinkSchema, announcementTextSchema } from './announcements.ts'
import { plainText, strict } from './owner-fields.ts'
import { emailSchema, personNameSchema } from './people.ts'
import { actionFields, actionReplySchema } from './planned-action.ts'
import { submissionFieldsSchema } from './submission-settings.ts'
import { teamIdSchema } from './team-bodies.ts'

const usd = Type.Number({ minimum: 0 })
const limit = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const rates = { rpm: orNull(limit), tpm: orNull(limit) }
const modelRates = Type.Record(Type.String(), Type.Object(rates, strict))
const moment = Type.String({ minLength: 1, maxLength: 64 })
const fileName = Type.String({ minLength: 1, maxLength: 255 })

/** A gateway key, identified by its alias among the keys of its member. */
const memberKeySchema = Type.Object(
  {
    alias: plainText({ minLength: 1 }),
    budget: orNull(usd),
    budget_duration: orNull(Type.String()),
    ...rates,
    parallel: orNull(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    models: orNull(Type.Array(Type.String({ minLength: 1 }))),
  },
  strict,
)

const memberSchema = Type.Object(
  {
    name: personNameSchema,
    email: orNull(emailSchema),
    keys: Type.Optional(Type.Array(memberKeySchema, { maxItems: 100 })),
  },
  strict,
)

const teamSchema = Type.Object(
  {
    id: teamIdSchema,
    name: orNull(plainText()),
    members: Type.Optional(Type.Array(memberSchema, { maxItems: 10_000 })),
    budget: orNull(usd),
    budget_duration: orNull(Type.String()),
    ...rates,
    models: orNull(Type.Array(Type.String({ minLength: 1 }))),
    model_limits: Type.Optional(modelRates),
  },
  strict,
)

const phaseSchema = Type.Object(
  {
    name: plainText({ minLength: 1 }),
    from: moment,
    until: orNull(moment),
    gateway: Type.Optional(Type.Enum(['open', 'closed'])),
    models: orNull(Type.Array(Type.String({ minLength: 1 }), { minItems: 1 })),
    budget: orNull(usd),
    accounting: Type.Optional(Type.Enum(['new', 'continue'])),
    entries_until: orNull(moment),
    submissions_until: orNull(moment),
  },
  strict,
)

/** An announcement, identified by its text. */
const noticeSchema = Type.Object(
  {
    text: announcementTextSchema,
    link: orNull(announcementLinkSchema),
    teams: Type.Optional(
      Type.Union([Type.Literal('all'), Type.Array(teamIdSchema, { minItems: 1, maxItems: 10_000 })]),
    ),
    from: orNull(moment),
    until: orNull(moment),
  },
  strict,
)

/** The whole set-up, as in `PUT /judging/setup`, and judges, each identified by name. */
const judgingSchema = Type.Object(
  {
    setup: Type.Optional(judgingSetupSchema),
    judges: Type.Optional(Type.Array(newJudgeSchema, { maxItems: 500 })),
  },
  strict,
)

export const eventFileSchema = Type.Object(
  {
    event: Type.Optional(
      Type.Object(
        { name: Type.Optional(plainText()), time_zone: Type.Optional(moment), budget: orNull(usd) },
        strict,
      ),
    ),
    limits: Type.Optional(
      Type.Object(
        {
          team: Type.Optional(
            Type.Object({ ...rates, budget: orNull(usd), budget_duration: orNull(Type.String()) }, strict),
          ),
          models: Type.Optional(modelRates),
        },
        strict,
      ),
    ),
    teams: Type.Optional(Type.Array(teamSchema, { maxItems: 10_000 })),
    /** Name of a CSV file with the columns team, name and email. */
    members: Type.Optional(fileName),
    phases: Type.Optional(Type.Array(phaseSchema, { maxItems: 100 })),
    /** What teams are asked to hand in; null if nothing. */
    submission: orNull(submissionFieldsSchema),
    notices: Type.Optional(Type.Array(noticeSchema, { maxItems: 200 })),
    judging: Type.Optional(judgingSchema),
  },
  strict,
)

export const applyBodySchema = Type.Object(
  {
    file: Type.String({
      maxLength: 4_000_000,
      description: 'YAML text; docs/run-an-event.md describes its members',
    }),
    files: Type.Optional(
      Type.Record(Type.String(), Type.String({ maxLength: 4_000_000 }), {
        description: 'Name → text of the files that it refers to, such as members.csv',
      }),
    ),
    prune: orNull(
      Type.Boolean({
        description:
          'true: removes phases, limits, budgets and notices that the file does not contain, and blocks teams that it does not contain and other keys of members that have keys in it. Members stay.',
      }),
    ),
    ...actionFields,
  },
  {
    ...strict,
    examples: [{ file: 'event: { name: AI Cup, time_zone: Asia/Seoul, budget: 900 }', dry_run: true }],
  },
)

export const applyReplySchema = Type.Object({
  ...actionReplySchema.properties,
  secrets: Type.Array(
    Type.Object({
      team_id: Type.String(),
      member: Type.String({ description: 'Name of the member who owns the key' }),
      alias: Type.String(),
      key: Type.String({ description: 'The key itself, which is not stored' }),
    }),
    { description: 'Newly created keys, shown only once. Empty for a dry run' },
  ),
})

export const eventFileReplySchema = Type.Object({
  file: Type.String({ description: 'YAML; applying it unchanged changes nothing' }),
  as_of: Type.String({ description: 'ISO 8601 in UTC' }),
  version: Type.Integer({ description: "Number of the directory's last change" }),
})

export type EventFile = Static<typeof eventFileSchema>
export type EventFileTeam = Static<typeof teamSchema>
export type EventFileMember = Static<typeof memberSchema>
export type EventFileKey = Static<typeof memberKeySchema>
export type ApplyReply = Static<typeof applyReplySchema>
export type EventFileJudging = Static<typeof judgingSchema>
export type EventFileNotice = Static<typeof noticeSchema>
export type ApplyBody = Static<typeof applyBodySchema>
