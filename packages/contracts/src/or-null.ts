// A member that may be left out. OpenAI clients send null for what they leave out.
import Type, { type TSchema } from 'typebox'

export const orNull = <Schema extends TSchema>(schema: Schema) =>
  Type.Optional(Type.Union([schema, Type.Null()]))
