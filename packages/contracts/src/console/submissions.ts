// Submissions: what a team hands in on the gateway door, and what organisers read of it on the admin door.
import Type, { type Static } from 'typebox'
import { exportCsvQuerySchema } from '../management/log-entries.ts'
import { plainText, strict } from '../management/owner-fields.ts'
import { submissionSettingsSchema } from '../management/submission-settings.ts'
import { teamIdSchema } from '../management/team-bodies.ts'
import { orNull } from '../or-null.ts'
import { textOrNull } from '../spend/spend-members.ts'
import { replyHead } from './figures.ts'

/** Limits of a version. */
export const maxTitle = 200
export const maxSubmissionText = 5000
/** Versions of a team's submission. Each is kept. */
export const maxVersions = 500

const text = (maxLength: number, description: string) =>
  orNull(Type.String({ maxLength, description: `${description}; empty or null for none` }))

/** What a team writes itself. Everything but the title may be left out. */
const writtenFields = {
  title: Type.String({ minLength: 1, maxLength: maxTitle, description: 'One line of plain text' }),
  summary: text(maxSubmissionText, 'Plain text; multiple lines are allowed'),
  repository: text(512, 'Address of the repository (https or ssh), or `owner/name`'),
  commit: text(64, 'Commit to be judged: 7 to 64 hex digits'),
  demo_url: text(2000, 'http or https address of the demo'),
  video_url: text(2000, 'http or https address of a video'),
  disclosure: text(maxSubmissionText, "Answer to the organisers' request; required if they ask for one"),
}

export const handInExample = {
  based_on: 0,
  title: 'Tide tables for kayakers',
  summary: 'Finds safe hours on the water.',
  repository: 'https://github.com/red-pandas/tides',
  commit: '9f2c1ab',
}

export const handInBodySchema = Type.Object(
  {
    based_on: Type.Integer({
      minimum: 0,
      description:
        '`current.version` of the reply that the changes were made from, 0 if nothing was handed in; refused with 409 `conflict` if someone else of the team has handed in since',
    }),
    ...writtenFields,
    files: orNull(
      Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        maxItems: 20,
        description: 'Ids of files uploaded with `POST /self/submission/files`, also of earlier versions',
      }),
    ),
  },
  {
    ...strict,
    examples: [handInExample],
  },
)

export const submittedFileSchema = Type.Object({
  file_id: Type.String(),
  filename: Type.String(),
  mime_type: Type.String({ description: 'Recognised by content' }),
  bytes: Type.Integer(),
  sha256: Type.String({ description: 'Lower-case hex' }),
})

const written = {
  title: Type.String(),
  summary: textOrNull('Plain text'),
  repository: textOrNull('As written'),
  commit: textOrNull('Lower-case hex'),
  demo_url: textOrNull('http or https address'),
  video_url: textOrNull('http or https address'),
  disclosure: textOrNull("Answer to the organisers' request"),
  files: Type.Array(submittedFileSchema),
}

const head = {
  version: Type.Integer({ description: '1 for the first; each time that the team hands in adds one' }),
  handed_in_at: Type.String({ description: "Database's time, ISO 8601 in UTC" }),
  late: Type.Boolean({
    description: 'true: after the deadline that applied then, and after the one that applies now',
  }),
  person: textOrNull('Member who handed it in; null for a key of the whole team'),
}

export const versionHeadSchema = Type.Object(head)
export const submissionVersionSchema = Type.Object({ ...head, ...written })

/** Whether the named repository and commit occur in the team's log entries. A note for readers: nothing is refused for it. */
export const namedInLogSchema = Type.Object({
  repository_entries: Type.Integer({ description: 'Entries of this repository' }),
  commit_entries: Type.Integer({ description: 'Those of them at this commit' }),
  commit_last_at: textOrNull('Time of the last one at this commit, ISO 8601 in UTC'),
  looked_at: Type.Integer({ description: 'Newest entries that were looked at' }),
})

const namedInLog = Type.Union([namedInLogSchema, Type.Null()], {
  description: 'Occurrence in the log of what the current version names; null if it names no repository',
})

const settings = submissionSettingsSchema.properties

/** What the whole team sees, also in the live stream of its page. */
export const submissionStateSchema = Type.Object({
  disclosure: settings.disclosure,
  max_files: settings.max_files,
  due_at: textOrNull('Deadline, ISO 8601 in UTC; null if there is none'),
  open: Type.Boolean({ description: 'Whether a version can be handed in now' }),
  closed_by: Type.Union([Type.Enum(['deadline', 'organisers']), Type.Null()], {
    description:
      '`deadline`: it has passed, and late submissions are refused. `organisers`: it has passed, and they have locked the board of the team. Null while it is open',
  }),
  late_accepted: Type.Boolean({ description: 'Whether late submissions are accepted, and marked' }),
  current: Type.Union([versionHeadSchema, Type.Null()], { description: 'Null if nothing was handed in' }),
})

const current = Type.Union([submissionVersionSchema, Type.Null()], {
  description: 'Null if nothing was handed in',
})
const versions = Type.Array(versionHeadSchema, { description: 'All versions, newest first' })

export const ownSubmissionSchema = Type.Object({
  ...replyHead,
  ...submissionStateSchema.properties,
  current,
  versions,
  named_in_log: namedInLog,
})

export const ownVersionSchema = Type.Object({
  as_of: replyHead.as_of,
  ...submissionVersionSchema.properties,
})
export const uploadedFileSchema = Type.Object({
  ...replyHead,
  ...submittedFileSchema.properties,
  expires_at: Type.String({
    description: 'When it is deleted unless it has been handed in by then, ISO 8601 in UTC',
  }),
})

export const uploadQuerySchema = Type.Object(
  {
    filename: Type.Optional(
      plainText({ minLength: 1, description: 'Name of the file', examples: ['slides.pdf'] }),
    ),
  },
  strict,
)

export const submissionStates = ['handed_in', 'late', 'missing'] as const

const rowFields = {
  team_id: Type.String(),
  team_alias: Type.String(),
  state: Type.Enum([...submissionStates], {
    description: '`missing`: nothing was handed in. `late`: the current version is late',
  }),
  version: Type.Integer({ description: 'Number of versions; 0 if nothing was handed in' }),
  first_at: textOrNull('When the team first handed in, ISO 8601 in UTC'),
  handed_in_at: textOrNull('When it handed in the current version, ISO 8601 in UTC'),
  person: textOrNull('Member who handed in the current version'),
  title: textOrNull('Of the current version'),
  repository: textOrNull('As written'),
  commit: textOrNull('Lower-case hex'),
  demo_url: textOrNull('http or https address'),
  video_url: textOrNull('http or https address'),
  files: Type.Integer({ description: 'Files of the current version' }),
  lacks: Type.Array(Type.String(), {
    description: 'Members that the current version leaves empty, without files',
  }),
}

export const submissionRowSchema = Type.Object(rowFields)

export const submissionsQuerySchema = Type.Object({
  state: Type.Optional(Type.Enum([...submissionStates], { description: 'Only teams in this state' })),
})

export const submissionListSchema = Type.Object({
  ...replyHead,
  asked: Type.Boolean({ description: 'Whether the event asks for submissions' }),
  due_at: textOrNull('Deadline, ISO 8601 in UTC; null if there is none'),
  total: Type.Object({
    handed_in: Type.Integer({ description: 'In time' }),
    late: Type.Integer(),
    missing: Type.Integer(),
  }),
  items: Type.Array(submissionRowSchema, { description: 'Those that have handed in nothing first' }),
})

export const teamSubmissionQuerySchema = Type.Object({
  version: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Shown in `shown`; default: the current one' }),
  ),
})

export const teamSubmissionSchema = Type.Object({
  ...replyHead,
  team_id: teamIdSchema,
  team_alias: Type.String(),
  due_at: textOrNull('Deadline, ISO 8601 in UTC; null if there is none'),
  shown: current,
  versions,
  named_in_log: namedInLog,
})

export const submissionExportQuerySchema = Type.Object({ bom: exportCsvQuerySchema.properties.bom })

export type HandInBody = Static<typeof handInBodySchema>
export type SubmittedFile = Static<typeof submittedFileSchema>
export type SubmissionVersion = Static<typeof submissionVersionSchema>
export type VersionHead = Static<typeof versionHeadSchema>
export type NamedInLog = Static<typeof namedInLogSchema>
export type SubmissionState = Static<typeof submissionStateSchema>
export type OwnSubmission = Static<typeof ownSubmissionSchema>
export type OwnVersion = Static<typeof ownVersionSchema>
export type UploadedFile = Static<typeof uploadedFileSchema>
export type SubmissionRow = Static<typeof submissionRowSchema>
export type SubmissionList = Static<typeof submissionListSchema>
export type TeamSubmission = Static<typeof teamSubmissionSchema>
