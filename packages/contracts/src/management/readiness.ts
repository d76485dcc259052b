// Reply of GET /readiness, part by part (is the installation fit for an event?), and body and reply of a check.
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
  description: '`warning`: works, but may stop working. `fault`: does not work',
})
const fixSchema = Type.Union([Type.String(), Type.Null()], {
  description: 'What to do; null if there is nothing to do',
})

export const findingSchema = Type.Object({ state: stateSchema, text: Type.String(), fix: fixSchema })

export const readinessItemSchema = Type.Object({
  part: Type.Enum([...readinessParts]),
  state: stateSchema,
  text: Type.String({ description: 'Most severe finding' }),
  fix: fixSchema,
  since: Type.String({
    description: 'When this process first found this state, ISO 8601 in UTC',
  }),
  checked_at: Type.String({ description: 'ISO 8601 in UTC' }),
  findings: Type.Array(findingSchema, { description: 'All findings, most severe first' }),
})

export const keyTrialSchema = Type.Object({
  calls: Type.Integer({ description: 'One call per upstream key' }),
  cost_nano: Type.Integer({ description: 'Maximum total cost of these calls' }),
})

export const readinessSchema = Type.Object({
  as_of: Type.String({ description: 'ISO 8601 in UTC' }),
  version: Type.Integer({ description: 'Increases when the state of a part changes' }),
  items: Type.Array(readinessItemSchema),
  is_sandbox: Type.Boolean({
    description:
      'Whether the embedded sandbox acts as the provider, so that calls to its models cost nothing',
  }),
  key_trial: keyTrialSchema,
})

export const readinessCheckBodySchema = Type.Object(
  {
    calls: Type.Optional(
      Type.Boolean({
        description:
          'For `upstreams`: makes one small call with each key, which the upstream bills to you. See `key_trial` of GET /readiness for the cost',
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
