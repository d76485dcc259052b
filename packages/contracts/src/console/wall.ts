// Public wall display of an event, and the organisers' requests to manage wall links.
import Type, { type Static } from 'typebox'
import { plainText, strict } from '../management/owner-fields.ts'
import { moment, reasonSchema } from '../management/people.ts'
import { actionQueryFields } from '../management/planned-action.ts'
import { orNull } from '../or-null.ts'
import { textOrNull } from '../spend/spend-members.ts'
import { numberOrNull } from './figures.ts'
import { selfSchema } from './self.ts'
import { type LightState, lightStates, type TeamState, teamStates } from './teams.ts'

const light = Type.Enum(Object.keys(lightStates) as LightState[])

/** Minutes after its last call or log entry during which a team counts as active. */
export const atWorkMinutes = 15

const tileSchema = Type.Object({
  name: Type.String(),
  state: Type.Enum(Object.keys(teamStates) as TeamState[], {
    description: 'As in `GET /teams`; a wall without budgets shows `working` for budget-related states',
  }),
  lights: Type.Object(
    { key: light, call: light, rec: light },
    { description: 'Whether a key works, a call has succeeded and the recorder is reporting' },
  ),
  bar: numberOrNull(
    'Remaining share of the budget, from 0 to 1; null if the wall shows no budgets or the team has none',
  ),
})

const { event_name, time_zone, ...phase } = selfSchema.properties.phase.properties

/** Figures that change unless the wall is frozen. */
const figures = {
  event_name,
  counters: Type.Object({
    teams: Type.Integer({ description: 'Those that are not blocked' }),
    teams_at_work: Type.Integer({
      description: `Teams with a call or a log entry in the last ${atWorkMinutes} minutes`,
    }),
    calls: Type.Integer({ description: 'Charged in the present phase, or in the last 24 hours' }),
    calls_per_min: Type.Number({ description: 'In the last five minutes' }),
    entries: Type.Integer({ description: 'Log entries of all teams' }),
    entries_per_min: Type.Number({ description: 'In the last five minutes' }),
  }),
  tiles: Type.Array(tileSchema, { description: 'All teams, by name: the order never changes' }),
  announcement: Type.Union(
    [
      Type.Object({ text: Type.String(), link: textOrNull('Link to more information'), from: Type.String() }),
      Type.Null(),
    ],
    { description: 'The newest of those for all teams; null for none' },
  ),
  head: Type.Object(
    {
      sha256: Type.String({ description: '64 lower-case hex digits' }),
      teams: Type.Integer({ description: 'Teams with log entries' }),
      entries: Type.Integer(),
    },
    {
      description:
        'One digest for all logs: SHA-256 over one line `team_id head` per team with entries, sorted by the bytes of their ids, each ending with a line feed. ' +
        'Write it down to prove later that no earlier entry was changed.',
    },
  ),
}
const wallFiguresSchema = Type.Object(figures)

const clock = {
  clock: Type.Object(
    { time_zone, ...phase },
    { description: 'Current phase and its end. Continues while the wall is frozen.' },
  ),
}

const frame = {
  name: Type.String({ description: 'Name of the wall' }),
  shows_budgets: Type.Boolean(),
  freeze_at: textOrNull('When the figures freeze, ISO 8601 in UTC; null for never'),
  frozen_at: textOrNull('When the figures were frozen; null if they are not'),
}

export const wallStateSchema = Type.Object({
  now: Type.String({ description: 'Server time, ISO 8601 in UTC' }),
  ...frame,
  ...clock,
  ...figures,
})

/** The `data` of each event. */
export const wallStreamEventSchema = Type.Union(
  [
    Type.Object(
      {
        as_of: Type.String({ description: 'Server time, ISO 8601 in UTC' }),
        version: Type.Integer({ description: 'Always 0: a wall does not reveal the number of changes' }),
        ...frame,
        ...clock,
        ...figures,
      },
      { description: '`wall`' },
    ),
    Type.Object(
      {
        now: Type.String({ description: 'Server time, ISO 8601 in UTC' }),
        stale: Type.Array(Type.String(), {
          description: 'Not empty if the last read of the figures failed',
        }),
      },
      { description: '`beat`' },
    ),
    Type.Object(
      { kept_seconds: Type.Integer({ description: 'How long stream positions are kept' }) },
      { description: '`reset`' },
    ),
  ],
  { contentMediaType: 'text/event-stream' },
)

export const newWallTokenBodySchema = Type.Object(
  {
    name: plainText({ minLength: 1, description: 'Name for organisers, such as the location of the wall' }),
    shows_budgets: orNull(
      Type.Boolean({ description: 'Whether tiles show remaining budgets; default false' }),
    ),
    freeze_at: orNull(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description:
          "Freeze the figures from this time on, ISO 8601; without an offset, in the event's time zone",
      }),
    ),
    reason: reasonSchema,
  },
  { ...strict, examples: [{ name: 'Hall 1', shows_budgets: true }] },
)

export const removeWallTokenQuerySchema = Type.Object(actionQueryFields)

const wallTokenFields = {
  wall_token_id: Type.String(),
  ...frame,
  created_at: Type.String(),
  created_by: Type.String(),
}

export const newWallTokenReplySchema = Type.Object({
  ...wallTokenFields,
  url: Type.String({ description: 'Address of the wall, including its token. Shown only once.' }),
  token: Type.String({ description: 'The token itself, which is not stored' }),
  ...moment,
})

export const wallTokenListSchema = Type.Object({
  items: Type.Array(Type.Object(wallTokenFields)),
  next: Type.Null({ description: 'Always null: the list is complete' }),
  total: Type.Object({ count: Type.Integer() }),
  ...moment,
})

export const removedWallTokenSchema = Type.Object({ ...wallTokenFields, ...moment })

export type WallFigures = Static<typeof wallFiguresSchema>
export type WallState = Static<typeof wallStateSchema>
export type WallClock = WallState['clock']
export type NewWallTokenBody = Static<typeof newWallTokenBodySchema>
export type NewWallTokenReply = Static<typeof newWallTokenReplySchema>
export type WallTokenList = Static<typeof wallTokenListSchema>
export type RemovedWallToken = Static<typeof removedWallTokenSchema>
