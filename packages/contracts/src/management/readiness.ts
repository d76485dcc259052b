// Whether the installation is fit for an event: what GET /readiness tells, part by part, and what a check takes and answers.
import Type, { type Static } from 'typebox'

export const readinessParts = [
  'configuration',
  'catalog',
  'upstreams',
  'database',
  'clock',
  'disk',
  'addresses',
  'secrets',
  'ports',
  'descriptors',
  'processes',
  'backups',
] as const

const stateSchema = Type.Enum(['ok', 'warning', 'fault'], {
  description: '`warning`: works, and may not later. `fault`: does not work',
})
const fixSchema = Type.Union([Type.String(), Type.Null()], {
  description: 'What to do; null where there is nothing to do',
})

export const findingSchema = Type.Object({ state: stateSchema, text: Type.String(), fix: fixSchema })

export const readinessItemSchema = Type.Object({
  part: Type.Enum([...readinessParts]),
  state: stateSchema,
  text: Type.String({ description: 'The worst of the findings' }),
  fix: fixSchema,
  since: Type.String({
    description: 'When this state was first found by this process, ISO 8601 in UTC',
  }),
  checked_at: Type.String({ description: 'ISO 8601 in UTC' }),
  findings: Type.Array(findingSchema, { description: 'All that was found, the worst first' }),
})

export const keyTrialSchema = Type.Object({
  calls: Type.Integer({ description: 'One for each key of an upstream' }),
  cost_nano: Type.Integer({ description: 'The most that all of them together can cost' }),
})

export const readinessSchema = Type.Object({
  as_of: Type.String({ description: 'ISO 8601 in UTC' }),
  version: Type.Integer({ description: 'Grows when the state of a part changes' }),
  items: Type.Array(readinessItemSchema),
  is_sandbox: Type.Boolean({
    description: 'Whether the embedded sandbox plays the provider, so that calls of its models cost nothing',
  }),
  key_trial: keyTrialSchema,
})

export const readinessCheckBodySchema = Type.Object(
  {
    calls: Type.Optional(
      Type.Boolean({
        description:
          'Of `upstreams`: makes one small call with each key, which the upstream bills to you. `key_trial` of GET /readiness names the cost',
        default: false,
      }),
    ),
  },
  { additionalProperties: false },
)

export const readinessCheckSchema = Type.Object({
  as_of: Type.String({ description: 'ISO 8601 in UTC' }),
  version: Type.Integer(),
  item: readinessItemSchema,
})

export type ReadinessPart = (typeof readinessParts)[number]
export type ReadinessItem = Static<typeof readinessItemSchema>
export type ReadinessReport = Static<typeof readinessSchema>
export type Finding = Static<typeof findingSchema>
