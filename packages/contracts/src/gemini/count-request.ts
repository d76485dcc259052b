// The body of countTokens: contents alone, or a whole generateContent request.
import Type, { type Static } from 'typebox'
import { contentSchema } from './content.ts'
import { geminiGenerateSchema } from './generate-request.ts'
import { strict } from './proto-json.ts'

export const geminiCountSchema = Type.Object(
  {
    contents: Type.Optional(Type.Array(contentSchema)),
    generateContentRequest: Type.Optional(geminiGenerateSchema),
  },
  { ...strict, examples: [{ contents: [{ role: 'user', parts: [{ text: 'Say hello.' }] }] }] },
)

export type GeminiCount = Static<typeof geminiCountSchema>
