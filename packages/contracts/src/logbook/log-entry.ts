// One log entry as writers send it (spec 2.10).
import Type, { type Static } from 'typebox'
import { maximumNameLength, truncationLimits } from './limits.ts'

const name = (description: string) => Type.String({ maxLength: maximumNameLength, description })
const orNull = <Schema extends Type.TSchema>(schema: Schema) =>
  Type.Optional(Type.Union([schema, Type.Null()]))
const textOrObject = Type.Union([Type.String(), Type.Object({}), Type.Array(Type.Unknown())])
const cutText = (limit: number, description: string) =>
  Type.String({ description: `${description} Cut to ${limit} characters when stored.` })

export const logEntrySchema = Type.Object(
  {
    ts: Type.String({
      description: 'Time of the event, ISO 8601 with offset. Without an offset it is read as UTC.',
      examples: ['2026-11-21T18:30:00.123+09:00'],
    }),
    tool: name('Name of the AI tool'),
    event: name('Event name as used by the tool'),
    session_id: name('Session id'),
    repo: name('Repository name taken from the origin remote; for cross-checking only'),
    branch: name('Branch'),
    commit: name('Abbreviated commit'),
    student: name('Committer email from git config; for cross-checking only'),
    model: orNull(name('Model name')),
    prompt: orNull(cutText(truncationLimits.prompt, 'The prompt.')),
    tool_name: orNull(name('Tool called')),
    tool_input: orNull(textOrObject),
    tool_response: orNull(textOrObject),
    tool_error: orNull(textOrObject),
    response_summary: orNull(cutText(truncationLimits.response_summary, 'Final answer of the turn.')),
    stop_reason: orNull(Type.String({ description: 'Reason for stopping' })),
  },
  { description: 'Unlisted members are stored with the entry but not returned.' },
)

export type LogEntry = Static<typeof logEntrySchema>
