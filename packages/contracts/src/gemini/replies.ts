// Pass-through replies for the reference page: the vendor's own replies and its error format.
import Type, { type Static } from 'typebox'

const open = Type.Unknown()

/** Reply of generateContent (spec 2.9). */
export const geminiContentReplySchema = Type.Object(
  {
    candidates: Type.Optional(
      Type.Array(
        Type.Object({
          content: Type.Optional(open),
          finishReason: Type.Optional(Type.String()),
          index: Type.Optional(Type.Integer()),
          safetyRatings: Type.Optional(Type.Array(open)),
        }),
      ),
    ),
    promptFeedback: Type.Optional(open),
    usageMetadata: Type.Optional(open),
    modelVersion: Type.Optional(Type.String()),
    responseId: Type.Optional(Type.String()),
  },
  { description: "The vendor's reply, byte for byte" },
)

export const geminiCountReplySchema = Type.Object({ totalTokens: Type.Integer() })
export const geminiEmbedReplySchema = Type.Object({ embedding: open })
export const geminiEmbedBatchReplySchema = Type.Object({ embeddings: Type.Array(open) })
export const geminiPredictReplySchema = Type.Object({ predictions: Type.Optional(Type.Array(open)) })

/** A long-running operation (spec 2.8). */
export const geminiOperationSchema = Type.Object({
  name: Type.String({ description: 'models/{model}/operations/{operation}' }),
  done: Type.Optional(Type.Boolean()),
  response: Type.Optional(open),
  error: Type.Optional(open),
})

export const geminiFileSchema = Type.Object({
  name: Type.String({ description: 'files/{file}' }),
  mimeType: Type.Optional(Type.String()),
  sizeBytes: Type.Optional(Type.String()),
  downloadUri: Type.Optional(Type.String()),
})

/** A file that the team has uploaded. */
export const geminiUploadSchema = Type.Object({
  name: Type.String({ description: 'files/{file}' }),
  displayName: Type.String(),
  mimeType: Type.String(),
  sizeBytes: Type.String(),
  createTime: Type.String(),
  updateTime: Type.String(),
  expirationTime: Type.String(),
  sha256Hash: Type.String({ description: 'Base64' }),
  uri: Type.String({ description: 'For `fileData.fileUri`' }),
  state: Type.Literal('ACTIVE'),
  source: Type.Literal('UPLOADED'),
})

export type GeminiUpload = Static<typeof geminiUploadSchema>

export const geminiModelSchema = Type.Object({
  name: Type.String({ description: 'models/{model}' }),
  version: Type.String(),
  displayName: Type.String(),
  inputTokenLimit: Type.Integer(),
  outputTokenLimit: Type.Integer(),
  supportedGenerationMethods: Type.Array(Type.String()),
})

export const geminiModelsSchema = Type.Object({
  models: Type.Array(geminiModelSchema),
  nextPageToken: Type.Optional(Type.String()),
})

export type GeminiModel = Static<typeof geminiModelSchema>
export type GeminiModels = Static<typeof geminiModelsSchema>

export const geminiErrorSchema = Type.Object({
  error: Type.Object({
    code: Type.Integer({ description: 'The HTTP status' }),
    message: Type.String({ description: 'Human-readable message' }),
    status: Type.String({ description: 'INVALID_ARGUMENT, RESOURCE_EXHAUSTED …' }),
    details: Type.Optional(
      Type.Array(Type.Unknown(), {
        description:
          'ErrorInfo with the domain `fairgate` has our error code in `reason`; RetryInfo says when to retry',
      }),
    ),
  }),
})

export type GeminiErrorBody = Static<typeof geminiErrorSchema>
