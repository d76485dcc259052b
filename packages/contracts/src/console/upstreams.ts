// What GET /upstreams tells: each upstream with its keys, and how its newest calls went.
import Type, { type Static } from 'typebox'
import { integerOrNull, textOrNull } from '../spend/spend-members.ts'
import { numberOrNull, replyHead } from './figures.ts'

export const upstreamSchema = Type.Object({
  upstream: Type.String({ description: 'As the catalog names it' }),
  models: Type.Array(Type.String(), { description: 'Models of the catalog that it serves' }),
  last_outcome: textOrNull(
    'What became of the last try: `ok`, `client_left`, or the code of the error; null before the first',
  ),
  keys: Type.Array(
    Type.Object({
      id: Type.String(),
      key: textOrNull('Its last four characters; null for a short one'),
      state: Type.Enum(['ready', 'resting']),
      fault: textOrNull('Why it rests: `refused`, `exhausted` or `busy`; null for one that is ready'),
      next_trial_at: textOrNull('When it is tried again, ISO 8601 in UTC; null for one that is ready'),
    }),
    { description: 'None where the upstream asks for none' },
  ),
  calls_per_min: Type.Number({ description: 'Calls that it served in the last five minutes' }),
  errors_share: numberOrNull('Of these, from 0 to 1; null without a call'),
  latency_ms: Type.Object({ p50: integerOrNull('Median'), p95: integerOrNull('Of 95 in 100') }),
})

export const upstreamsReplySchema = Type.Object({
  ...replyHead,
  items: Type.Array(upstreamSchema),
  next: Type.Null(),
})

export type UpstreamsReply = Static<typeof upstreamsReplySchema>
