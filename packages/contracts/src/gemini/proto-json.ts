// Pieces of the vendor's proto-JSON that its request schemas share.
import Type from 'typebox'

/** Unlisted members are refused, because a member that the vendor adds later may change the cost of a call. */
export const strict = { additionalProperties: false }

/** Relayed without being inspected. */
export const anything = (description?: string) =>
  Type.Optional(Type.Unknown(description === undefined ? {} : { description }))

/** A whole number of at least 1, as a number or as digits. The vendor reads both. */
export const wholeNumber = (maximum: number, description: string) =>
  Type.Optional(
    Type.Union([Type.Integer({ minimum: 1, maximum }), Type.String({ pattern: '^[1-9][0-9]{0,8}$' })], {
      description,
    }),
  )
