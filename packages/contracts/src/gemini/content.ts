// Contents and parts of a prompt in the vendor's format, and proto-JSON helpers shared by its request schemas.
import Type, { type Static } from 'typebox'

/** Refuses unlisted members, because a member that the vendor adds later may change the cost of a call. */
export const strict = { additionalProperties: false }

/** Relayed without being inspected. */
export const anything = (description?: string) =>
  Type.Optional(Type.Unknown(description === undefined ? {} : { description }))

/** A whole number of at least 1, as a number or as a string of digits. The vendor accepts both. */
export const wholeNumber = (maximum: number, description: string) =>
  Type.Optional(
    Type.Union([Type.Integer({ minimum: 1, maximum }), Type.String({ pattern: '^[1-9][0-9]{0,8}$' })], {
      description,
    }),
  )

const blob = Type.Object(
  {
    mimeType: Type.Optional(Type.String({ maxLength: 200, description: 'For example image/png, audio/wav' })),
    data: Type.Optional(Type.String({ description: 'Base64' })),
    displayName: anything(),
  },
  { ...strict, description: 'An image, recording or document sent with the request' },
)

const fileData = Type.Object(
  { fileUri: anything(), mimeType: anything(), displayName: anything() },
  {
    ...strict,
    description: 'An uploaded file, by its `uri`; other addresses are refused: send the data as inlineData',
  },
)

const functionResponse = Type.Object(
  {
    name: anything(),
    response: anything('Result of the function'),
    id: anything(),
    parts: Type.Optional(
      Type.Array(Type.Object({ inlineData: Type.Optional(blob), fileData: Type.Optional(fileData) }, strict)),
    ),
    willContinue: anything(),
    scheduling: anything(),
  },
  strict,
)

const part = Type.Object(
  {
    text: Type.Optional(Type.String()),
    inlineData: Type.Optional(blob),
    fileData: Type.Optional(fileData),
    functionCall: anything(),
    functionResponse: Type.Optional(functionResponse),
    executableCode: anything(),
    codeExecutionResult: anything(),
    audioTranscription: anything(),
    thought: anything(),
    thoughtSignature: anything(),
    videoMetadata: anything(),
    mediaResolution: anything(),
    partMetadata: anything(),
    speechMetadata: anything(),
  },
  { ...strict, description: 'One of text, inlineData, functionCall, functionResponse …' },
)

export const contentSchema = Type.Object(
  {
    role: Type.Optional(Type.String({ maxLength: 100, description: 'user or model' })),
    parts: Type.Optional(Type.Array(part)),
  },
  strict,
)

export type GeminiContent = Static<typeof contentSchema>
export type GeminiBlob = Static<typeof blob>
