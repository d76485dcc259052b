// Pieces of the vendor's proto-JSON that its request schemas share.
import Type from 'typebox'

/** Nothing that is not listed: what the vendor adds tomorrow may change what a call costs. */
export const strict = { additionalProperties: false }

/** Relayed without a look inside. */
export const anything = (description?: string) =>
  Type.Optional(Type.Unknown(description === undefined ? {} : { description }))

/** A whole number of at least 1, written as a number or as its digits, both of which the vendor reads. */
export const wholeNumber = (maximum: number, description: string) =>
  Type.Optional(
    Type.Union([Type.Integer({ minimum: 1, maximum }), Type.String({ pattern: '^[1-9][0-9]{0,8}$' })], {
      description,
    }),
  )
