// What the wall of an event shows to everybody in the hall, and the calls of organisers about links of walls.
import Type, { type Static } from 'typebox'
import { plainText, strict } from '../management/owner-fields.ts'
import { moment, reasonSchema } from '../management/people.ts'
import { actQueryFields } from '../management/planned-act.ts'
import { orNull } from '../or-null.ts'
import { textOrNull } from '../spend/spend-members.ts'
import { numberOrNull } from './figures.ts'
import { selfSchema } from './self.ts'
import { type LightState, lightStates, type TeamState, teamStates } from './teams.ts'

const light = Type.Enum(Object.keys(lightStates) as LightState[])

/** A team counts as at work for so long after its last call or log entry. */
export const atWorkMinutes = 15

const tileSchema = Type.Object({
  name: Type.String(),
  state: Type.Enum(Object.keys(teamStates) as TeamState[], {
    description: 'As in `GET /teams`; a wall that shows no budgets has `working` for what is about money',
  }),
  lights: Type.Object(
    { key: light, call: light, rec: light },
    { description: 'Whether a key works, a call has succeeded, the recorder is heard' },
  ),
  bar: numberOrNull(
    'What is left of the budget, from 0 to 1; null where the wall shows no budgets, and without a budget',
  ),
})

const { event_name, time_zone, ...phase } = selfSchema.properties.phase.properties

/** What changes as long as the wall is not frozen. */
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
      Type.Object({ text: Type.String(), link: textOrNull('Where more is to be read'), from: Type.String() }),
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
        'One figure for all logs: SHA-256 over a line `team_id head` for each team with entries, in the order of their ids as bytes, each ended by a line feed. ' +
        'Whoever writes it down can tell later that nothing before was changed.',
    },
  ),
}
const wallFiguresSchema = Type.Object(figures)

const clock = {
  clock: Type.Object(
    { time_zone, ...phase },
    { description: 'Which phase it is and until when. It runs on when the wall is frozen.' },
  ),
}

const frame = {
  name: Type.String({ description: 'Of the wall' }),
  shows_budgets: Type.Boolean(),
  freeze_at: textOrNull('From when on the figures stand still, ISO 8601 in UTC; null: never'),
  frozen_at: textOrNull('Since when they do; null: they do not'),
}

export const wallStateSchema = Type.Object({
  now: Type.String({ description: 'The time of the server, ISO 8601 in UTC' }),
  ...frame,
  ...clock,
  ...figures,
})

/** The `data` of each event. */
export const wallStreamEventSchema = Type.Union(
  [
    Type.Object(
      {
        as_of: Type.String({ description: 'The time of the server, ISO 8601 in UTC' }),
        version: Type.Integer({ description: 'Always 0: a wall does not tell how much was changed' }),
        ...frame,
        ...clock,
        ...figures,
      },
      { description: '`wall`' },
    ),
    Type.Object(
      {
        now: Type.String({ description: 'The time of the server, ISO 8601 in UTC' }),
        stale: Type.Array(Type.String(), {
          description: 'Not empty when the figures could not be read the last time',
        }),
      },
      { description: '`beat`' },
    ),
    Type.Object(
      { kept_seconds: Type.Integer({ description: 'For how long places are known' }) },
      { description: '`reset`' },
    ),
  ],
  { contentMediaType: 'text/event-stream' },
)

export const newWallTokenBodySchema = Type.Object(
  {
    name: plainText({ minLength: 1, description: 'Where the wall stands, for organisers' }),
    shows_budgets: orNull(
      Type.Boolean({ description: 'Whether tiles show what is left of budgets; false when absent' }),
    ),
    freeze_at: orNull(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description:
          'From then on the wall shows what it has shown then, ISO 8601; without an offset it is in the time zone of the event',
      }),
    ),
    reason: reasonSchema,
  },
  { ...strict, examples: [{ name: 'Hall 1', shows_budgets: true }] },
)

export const removeWallTokenQuerySchema = Type.Object(actQueryFields)

const wallTokenFields = {
  wall_token_id: Type.String(),
  ...frame,
  created_at: Type.String(),
  created_by: Type.String(),
}

export const newWallTokenReplySchema = Type.Object({
  ...wallTokenFields,
  url: Type.String({ description: 'The address of the wall, with its token. Shown once.' }),
  token: Type.String({ description: 'The token itself, which is kept nowhere' }),
  ...moment,
})

export const wallTokenListSchema = Type.Object({
  items: Type.Array(Type.Object(wallTokenFields)),
  next: Type.Null({ description: 'Always null: all of them are in the list' }),
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
