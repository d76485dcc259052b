// Body of generateContent and streamGenerateContent (spec 4.1, pass-through), in camelCase. snake_case is also accepted.
import Type, { type Static } from 'typebox'
import { anything, contentSchema, strict, wholeNumber } from './content.ts'

/** Aspect ratios of pass-through images (spec 4.1). */
export const passThroughRatios = [
  '21:9',
  '16:9',
  '4:3',
  '3:2',
  '1:1',
  '9:16',
  '3:4',
  '2:3',
  '5:4',
  '4:5',
] as const

const tool = Type.Object(
  {
    functionDeclarations: Type.Optional(Type.Array(Type.Unknown())),
    googleSearch: Type.Optional(
      Type.Object(
        { timeRangeFilter: anything() },
        { ...strict, description: 'Only for models with a price for searches' },
      ),
    ),
  },
  { ...strict, description: "The caller's functions. The only built-in tool offered is googleSearch." },
)

const imageConfig = Type.Object(
  {
    aspectRatio: Type.Optional(Type.Enum([...passThroughRatios])),
    imageSize: Type.Optional(
      Type.Enum(['1K', '2K', '4K'], { description: 'Third-generation image models only; default 1K' }),
    ),
  },
  strict,
)

const generationConfig = Type.Object(
  {
    temperature: anything(),
    topP: anything(),
    topK: anything(),
    candidateCount: wholeNumber(8, 'Default 1; image and music models generate only one'),
    maxOutputTokens: wholeNumber(
      100_000_000,
      "Includes reasoning; never changed by the gateway. If absent, the model's maximum is held.",
    ),
    stopSequences: anything(),
    seed: anything(),
    presencePenalty: anything(),
    frequencyPenalty: anything(),
    responseLogprobs: anything(),
    logprobs: anything(),
    responseMimeType: anything(),
    responseSchema: anything(),
    responseJsonSchema: anything(),
    _responseJsonSchema: anything(),
    responseModalities: Type.Optional(
      Type.Array(Type.String({ pattern: '^([Tt][Ee][Xx][Tt]|[Ii][Mm][Aa][Gg][Ee]|[Aa][Uu][Dd][Ii][Oo])$' }), {
        description: 'TEXT, IMAGE, AUDIO, if the model has a price for them',
      }),
    ),
    mediaResolution: anything(),
    thinkingConfig: anything(),
    speechConfig: anything('voiceConfig for one speaker, multiSpeakerVoiceConfig for two'),
    imageConfig: Type.Optional(imageConfig),
    audioTranscriptionConfig: anything(),
    enableEnhancedCivicAnswers: anything(),
  },
  strict,
)

export const geminiGenerateSchema = Type.Object(
  {
    contents: Type.Array(contentSchema, { minItems: 1 }),
    systemInstruction: Type.Optional(contentSchema),
    tools: Type.Optional(Type.Array(tool)),
    toolConfig: Type.Optional(
      Type.Object({ functionCallingConfig: anything(), retrievalConfig: anything() }, strict),
    ),
    safetySettings: Type.Optional(Type.Array(Type.Unknown())),
    generationConfig: Type.Optional(generationConfig),
    model: Type.Optional(Type.String({ maxLength: 300, description: 'Must match the model in the path' })),
  },
  {
    ...strict,
    description: 'Forwarded byte for byte',
    examples: [{ contents: [{ role: 'user', parts: [{ text: 'Say hello.' }] }] }],
  },
)

export type GeminiGenerate = Static<typeof geminiGenerateSchema>

/** Body of countTokens: contents alone, or a full generateContent request. */
export const geminiCountSchema = Type.Object(
  {
    contents: Type.Optional(Type.Array(contentSchema)),
    generateContentRequest: Type.Optional(geminiGenerateSchema),
  },
  { ...strict, examples: [{ contents: [{ role: 'user', parts: [{ text: 'Say hello.' }] }] }] },
)
