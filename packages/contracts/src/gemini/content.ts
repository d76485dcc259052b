// A prompt in the vendor's form: contents and their parts.
import Type, { type Static } from 'typebox'
import { anything, strict } from './proto-json.ts'

const blob = Type.Object(
  {
    mimeType: Type.Optional(Type.String({ maxLength: 200, description: 'For example image/png, audio/wav' })),
    data: Type.Optional(Type.String({ description: 'Base64' })),
    displayName: anything(),
  },
  { ...strict, description: 'An image, recording or document that comes with the request' },
)

const fileData = Type.Object(
  { fileUri: anything(), mimeType: anything(), displayName: anything() },
  { ...strict, description: 'Refused: send what you have as inlineData' },
)

const functionResponse = Type.Object(
  {
    name: anything(),
    response: anything('What the function gave back'),
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
export type GeminiPart = Static<typeof part>
export type GeminiBlob = Static<typeof blob>
