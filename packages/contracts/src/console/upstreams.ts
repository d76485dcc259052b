// Reply of GET /upstreams: each upstream with its keys and the results of its latest calls.
import Type, { type Static } from 'typebox'
import { integerOrNull, textOrNull } from '../spend/spend-members.ts'
import { numberOrNull, replyHead } from './figures.ts'

export const upstreamSchema = Type.Object({
  upstream: Type.String({ description: 'As named in the catalog' }),
  models: Type.Array(Type.String(), { description: 'Catalog models that it serves' }),
  last_outcome: textOrNull(
    'Result of the last attempt: `ok`, `client_left` or the error code; null before the first',
  ),
  keys: Type.Array(
    Type.Object({
      id: Type.String(),
      key: textOrNull('Last four characters; null for a short key'),
      state: Type.Enum(['ready', 'resting']),
      fault: textOrNull('Why the key is resting: `refused`, `exhausted` or `busy`; null if it is ready'),
      next_trial_at: textOrNull('When the key is tried again, ISO 8601 in UTC; null if it is ready'),
    }),
    { description: 'Empty if the upstream needs no key' },
  ),
  calls_per_min: Type.Number({ description: 'Calls per minute that it served in the last five minutes' }),
  errors_share: numberOrNull('Share of these that failed, from 0 to 1; null if there were no calls'),
  latency_ms: Type.Object({ p50: integerOrNull('Median'), p95: integerOrNull('95th percentile') }),
})

export const upstreamsReplySchema = Type.Object({
  ...replyHead,
  items: Type.Array(upstreamSchema),
  next: Type.Null(),
})

export type UpstreamsReply = Static<typeof upstreamsReplySchema>
