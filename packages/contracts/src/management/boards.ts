// The bodies and replies of the admin door's board calls (spec 3.3).
import Type, { type Static } from 'typebox'
import { orNull } from '../or-null.ts'
import { strict } from './owner-fields.ts'
import { teamIdSchema } from './team-bodies.ts'

export const lockBoardBodySchema = Type.Object(
  {
    team_id: teamIdSchema,
    lock_at: orNull(
      Type.String({ description: 'ISO 8601 with offset: lock from then on. Absent or null: lock now.' }),
    ),
    now: orNull(
      Type.Boolean({
        description:
          'true confirms that a `lock_at` in the past is intended. It is refused with one in the future.',
      }),
    ),
  },
  strict,
)

export const boardSchema = Type.Object({
  team_id: Type.String(),
  locked: Type.Boolean({ description: 'Whether the board refuses new entries now' }),
  lock_at: Type.Union([Type.String(), Type.Null()], {
    description: 'The time set for the lock, ISO 8601 in UTC',
  }),
  event_lock: Type.Optional(
    Type.Object(
      {
        locks_at: Type.String({ description: 'ISO 8601 in UTC' }),
        late_until: Type.String({ description: 'Until when entries of before are taken all the same' }),
        opens_at: Type.Union([Type.String(), Type.Null()], {
          description: 'Start of the phase that opens the boards again',
        }),
      },
      { description: 'The lock that the event has set: the one in force, or the next one. Absent: none.' },
    ),
  ),
  head: Type.Object({
    seq: Type.Integer({ description: "Number of the team's last entry; 0 for none" }),
    chain: Type.String({ description: 'Its link in the hash chain, 64 hex digits' }),
  }),
  updated_at: Type.String({ description: 'Last change of the lock' }),
})

/** Absent: the boards of all teams. */
export const boardsQuerySchema = Type.Object({ team_id: Type.Optional(teamIdSchema) })

export const boardListSchema = Type.Object({ boards: Type.Array(boardSchema) })

export type BoardRecord = Static<typeof boardSchema>
export type BoardList = Static<typeof boardListSchema>
