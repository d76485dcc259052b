// Reply of GET /first_steps: setup steps before an event, each with its state and one action.
import Type, { type Static } from 'typebox'

export const firstStepNames = [
  'event',
  'phases',
  'teams',
  'upstream',
  'addresses',
  'backup',
  'staff',
  'handouts',
  'rehearsal',
] as const

export const firstStepSchema = Type.Object({
  step: Type.Enum([...firstStepNames]),
  title: Type.String(),
  is_done: Type.Boolean(),
  text: Type.String({ description: 'What is set up or missing' }),
  action: Type.Object(
    {
      text: Type.String(),
      path: Type.Union([Type.String(), Type.Null()], {
        description: 'Console page; null if there is none',
      }),
      command: Type.String({ description: 'The same on the command line' }),
    },
    { description: 'How to complete or change this step' },
  ),
})

export const firstStepsSchema = Type.Object({
  items: Type.Array(firstStepSchema),
  done: Type.Integer({ description: 'Number of completed steps' }),
  has_begun: Type.Boolean({ description: 'Whether the first phase has begun' }),
  as_of: Type.String({ description: 'ISO 8601 in UTC' }),
})

export type FirstStep = Static<typeof firstStepSchema>
export type FirstSteps = Static<typeof firstStepsSchema>
