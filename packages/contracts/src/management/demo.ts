// The replies of calls about the rehearsed past, which fills a server that is there to be tried.
import Type, { type Static } from 'typebox'
import { orNull } from '../or-null.ts'
import { textOrNull } from '../spend/spend-members.ts'
import { strict } from './owner-fields.ts'
import { moment } from './people.ts'

export const fillDemoBodySchema = Type.Object(
  {
    dry_run: orNull(
      Type.Boolean({ description: 'True: nothing is written; the reply says what would be, or why not' }),
    ),
  },
  { ...strict, examples: [{ dry_run: true }] },
)

export const demoStateSchema = Type.Object({
  filled: Type.Boolean({ description: 'Whether the event of this server is a rehearsed one' }),
  can_fill: Type.Boolean({ description: 'Whether `POST /demo/fill` would fill it now' }),
  why_not: textOrNull('Why it would not; null where it would'),
  ...moment,
})

export const filledDemoSchema = Type.Object({
  applied: Type.Boolean({ description: 'False for a dry run' }),
  why_not: textOrNull('Of a dry run: why it would be refused; null where it would not'),
  teams: Type.Integer(),
  members: Type.Integer(),
  calls: Type.Integer({ description: 'Records of calls; equal refusals in a row are one' }),
  refused: Type.Integer({ description: 'Those among them that were refused' }),
  entries: Type.Integer({ description: 'Log entries' }),
  team_page: textOrNull(
    'A link that opens the page of one of the teams signed in, once, within 15 minutes; null for a dry run, and where the gateway is not opened',
  ),
  ...moment,
})

export type DemoState = Static<typeof demoStateSchema>
export type FilledDemo = Static<typeof filledDemoSchema>
