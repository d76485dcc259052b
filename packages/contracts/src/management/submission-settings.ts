// What the event asks teams to hand in, in the event's record and in its file.
import Type, { type Static } from 'typebox'
import { orNull } from '../or-null.ts'
import { strict } from './owner-fields.ts'

/** Of one version. */
export const maxSubmissionFiles = 20

const fields = {
  disclosure: Type.String({
    maxLength: 1000,
    pattern: '^[^\\u0000]*$',
    description: 'Asks teams for a text, such as which AI tools they used; null asks for none',
  }),
  max_files: Type.Integer({
    minimum: 0,
    maximum: maxSubmissionFiles,
    description: 'Files that a team can hand in; default 5',
  }),
  late: Type.Enum(['marked', 'refused'], {
    description: 'Submissions after the deadline: accepted and marked (default), or refused',
  }),
}

/** As an organiser writes it. */
export const submissionFieldsSchema = Type.Object(
  {
    disclosure: orNull(fields.disclosure),
    max_files: orNull(fields.max_files),
    late: orNull(fields.late),
  },
  strict,
)

export const submissionSettingsSchema = Type.Object({
  disclosure: Type.Union([fields.disclosure, Type.Null()]),
  max_files: fields.max_files,
  late: fields.late,
})

export type SubmissionFields = Static<typeof submissionFieldsSchema>
export type SubmissionSettings = Static<typeof submissionSettingsSchema>
