// Bodies and replies of board requests on the admin door (spec 3.3).
import Type, { type Static } from 'typebox'
import { orNull } from '../or-null.ts'
import { strict } from './owner-fields.ts'
import { teamIdSchema } from './team-bodies.ts'

export const lockBoardBodySchema = Type.Object(
  {
    team_id: teamIdSchema,
    lock_at: orNull(
      Type.String({ description: 'ISO 8601 with offset: locks from then on. Absent or null: locks now.' }),
    ),
    now: orNull(
      Type.Boolean({
        description:
          'true: confirms that a `lock_at` in the past is intended. Refused if `lock_at` is in the future.',
      }),
    ),
  },
  strict,
)

export const boardSchema = Type.Object({
  team_id: Type.String(),
  locked: Type.Boolean({ description: 'Whether the board refuses new entries now' }),
  lock_at: Type.Union([Type.String(), Type.Null()], {
    description: 'Time set for the lock, ISO 8601 in UTC',
  }),
  event_lock: Type.Optional(
    Type.Object(
      {
        locks_at: Type.String({ description: 'ISO 8601 in UTC' }),
        late_until: Type.String({
          description: 'Until when entries from before the lock are still accepted',
        }),
        opens_at: Type.Union([Type.String(), Type.Null()], {
          description: 'Start of the phase that opens the boards again',
        }),
      },
      { description: 'Lock set by the event: the current or the next one. Absent if there is none.' },
    ),
  ),
  head: Type.Object({
    seq: Type.Integer({ description: "Number of the team's last entry; 0 if there is none" }),
    chain: Type.String({ description: 'Its link in the hash chain, 64 hex digits' }),
  }),
  updated_at: Type.String({ description: 'Last change of the lock' }),
})

/** Boards of all teams if `team_id` is absent. */
export const boardsQuerySchema = Type.Object({ team_id: Type.Optional(teamIdSchema) })

export const boardListSchema = Type.Object({ boards: Type.Array(boardSchema) })

export type BoardRecord = Static<typeof boardSchema>
export type BoardList = Static<typeof boardListSchema>
