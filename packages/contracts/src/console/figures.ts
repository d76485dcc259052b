// Members that the replies for an organiser's console have in common.
import Type from 'typebox'
import { textOrNull } from '../spend/spend-members.ts'

/** When it was read, and how far the directory was known then. */
export const replyHead = {
  as_of: Type.String({ description: 'When the server read this, ISO 8601 in UTC' }),
  version: Type.Integer({ description: 'Number of the last change of teams and keys that it knew' }),
}

export const numberOrNull = (description: string) => Type.Union([Type.Number(), Type.Null()], { description })

export const cursorQuery = Type.Optional(
  Type.String({ minLength: 1, maxLength: 1024, description: 'The `next` of the page before' }),
)

export const nextCursor = textOrNull('Pass it as `after` for the next page; null on the last page')
