// Members shared by spend requests.
import Type from 'typebox'

export const textOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

export const integerOrNull = (description: string) =>
  Type.Union([Type.Integer(), Type.Null()], { description })

export const timeParameter = (description: string) =>
  Type.Optional(
    Type.String({
      maxLength: 64,
      description: `${description}; ISO 8601 with an offset`,
      examples: ['2026-11-21T18:00:00+09:00'],
    }),
  )
