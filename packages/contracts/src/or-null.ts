// Optional member that also accepts null, because OpenAI clients send null for members they leave out.
import Type, { type TSchema } from 'typebox'

export const orNull = <Schema extends TSchema>(schema: Schema) =>
  Type.Optional(Type.Union([schema, Type.Null()]))
