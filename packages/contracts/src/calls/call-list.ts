// Queries and pages of the call record, on both doors.
import Type, { type Static } from 'typebox'
import { errorRegistry } from '../errors/registry.ts'
import { teamIdSchema } from '../management/team-bodies.ts'
import { timeParameter } from '../spend/spend-members.ts'
import { callEndpoints, callOutcomes, callSchema, organiserCallSchema } from './call.ts'

/** Maximum and default number of calls on a page. */
export const maximumCallsPage = 200
export const defaultCallsPage = 50

const text = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 512, description }))

const filters = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: maximumCallsPage, default: defaultCallsPage, examples: [50] }),
  ),
  before: Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
      description: '`next_before` of the previous page',
    }),
  ),
  endpoint: Type.Optional(Type.Enum([...callEndpoints])),
  model: text('Only calls that requested this model or were served by it'),
  tool: text('Only calls from this tool, such as `claude` or `codex`'),
  session_id: text('Only calls from this tool session'),
  outcome: Type.Optional(Type.Enum([...callOutcomes])),
  code: Type.Optional(
    Type.Enum(Object.keys(errorRegistry), { description: 'Only calls that ended with this error' }),
  ),
  undelivered: Type.Optional(
    Type.Boolean({
      description:
        'true: only calls with an answer that was not delivered because the charge could not be recorded in time',
    }),
  ),
  from: timeParameter('from', 'Only calls received at or after this time'),
  until: timeParameter('until', 'Only calls received before this time'),
}

export const callsQuerySchema = Type.Object({
  ...filters,
  key: text(
    "Only calls made with this key of the team: its SHA-256, alias or masked name, or `me` for the caller's key",
  ),
})

export const organiserCallsQuerySchema = Type.Object({
  team_id: Type.Optional(teamIdSchema),
  ...filters,
  key: text('Only calls made with this key: its SHA-256, alias or masked name'),
})

const nextBefore = Type.Union([Type.String(), Type.Null()], {
  description: 'Pass it as `before` for the next page; null on the last page',
})

export const callsPageSchema = Type.Object({
  items: Type.Array(callSchema, { description: 'Newest first' }),
  next_before: nextBefore,
})

export const organiserCallsPageSchema = Type.Object({
  items: Type.Array(organiserCallSchema, { description: 'Newest first' }),
  next_before: nextBefore,
})

export type CallsQuery = Static<typeof callsQuerySchema>
export type OrganiserCallsQuery = Static<typeof organiserCallsQuerySchema>
export type CallsPage = Static<typeof callsPageSchema>
export type OrganiserCallsPage = Static<typeof organiserCallsPageSchema>
