// Members shared by spend requests.
import Type from 'typebox'

export const textOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

export const integerOrNull = (description: string) =>
  Type.Union([Type.Integer(), Type.Null()], { description })

/** The examples are one working day, so that the reference's own requests name a span. */
const exampleTimes = { from: '2026-11-21T10:00:00+09:00', until: '2026-11-21T18:00:00+09:00' } as const

export const timeParameter = (bound: keyof typeof exampleTimes, description: string) =>
  Type.Optional(
    Type.String({
      maxLength: 64,
      description: `${description}; ISO 8601 with an offset`,
      examples: [exampleTimes[bound]],
    }),
  )
