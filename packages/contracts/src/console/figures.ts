// Members shared by the replies for the organisers' console.
import Type from 'typebox'
import { textOrNull } from '../spend/spend-members.ts'

/** Time of the reply and the directory version it is based on. */
export const replyHead = {
  as_of: Type.String({ description: 'When the server read this, ISO 8601 in UTC' }),
  version: Type.Integer({
    description: 'Number of the last change to teams and keys that this reply includes',
  }),
}

export const numberOrNull = (description: string) => Type.Union([Type.Number(), Type.Null()], { description })

export const cursorQuery = Type.Optional(
  Type.String({ minLength: 1, maxLength: 1024, description: '`next` of the previous page' }),
)

export const nextCursor = textOrNull('Pass it as `after` for the next page; null on the last page')
