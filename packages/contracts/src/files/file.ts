// Uploaded files: the form of an upload, and files, lists and deletions in OpenAI's format and in Anthropic's.
import Type, { type Static } from 'typebox'

export const filePurposes = ['user_data', 'vision'] as const

export const fileUploadSchema = Type.Object(
  {
    file: Type.Unsafe<Blob | string>({
      description: 'The file: a PDF, an image, WAV or MP3 audio, or text can be input of a model',
      contentMediaType: 'application/octet-stream',
    }),
    purpose: Type.Optional(
      Type.String({ maxLength: 100, description: '`user_data` or `vision`. Anthropic’s clients send none' }),
    ),
  },
  {
    description: 'A file, as multipart/form-data',
    examples: [{ file: '@report.pdf', purpose: 'user_data' }],
  },
)

const idOrNull = Type.Union([Type.String(), Type.Null()])

export const fileSchema = Type.Object({
  id: Type.String(),
  object: Type.Literal('file'),
  bytes: Type.Integer(),
  created_at: Type.Integer({ description: 'Unix time' }),
  expires_at: Type.Integer({ description: 'Unix time until which the file is kept' }),
  filename: Type.String(),
  purpose: Type.Enum([...filePurposes]),
  status: Type.Literal('processed'),
})

export const fileListSchema = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(fileSchema),
  first_id: idOrNull,
  last_id: idOrNull,
  has_more: Type.Boolean(),
})

export const fileDeletedSchema = Type.Object({
  id: Type.String(),
  object: Type.Literal('file'),
  deleted: Type.Literal(true),
})

export const messagesFileSchema = Type.Object({
  id: Type.String(),
  type: Type.Literal('file'),
  filename: Type.String(),
  mime_type: Type.String(),
  size_bytes: Type.Integer(),
  created_at: Type.String({ description: 'RFC 3339' }),
  expires_at: Type.String({ description: 'RFC 3339' }),
  downloadable: Type.Literal(true),
})

export const messagesFileListSchema = Type.Object({
  data: Type.Array(messagesFileSchema),
  first_id: idOrNull,
  last_id: idOrNull,
  has_more: Type.Boolean(),
  next_page: Type.Union([Type.String(), Type.Null()], { description: 'For the parameter `page`' }),
})

export const messagesFileDeletedSchema = Type.Object({
  id: Type.String(),
  type: Type.Literal('file_deleted'),
})

const anthropicOnly = "Anthropic's format only: "

export const fileListQuerySchema = Type.Object({
  after: Type.Optional(Type.String({ description: 'Id after which the page starts' })),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 10_000,
      description: 'Items per page; default 1000, at most 1000 are returned',
    }),
  ),
  order: Type.Optional(Type.Enum(['asc', 'desc'], { description: 'Order by time; default `desc`' })),
  purpose: Type.Optional(Type.String({ maxLength: 100, description: 'Only files with this purpose' })),
  after_id: Type.Optional(Type.String({ description: `${anthropicOnly}id after which the page starts` })),
  before_id: Type.Optional(Type.String({ description: `${anthropicOnly}id before which the page ends` })),
  page: Type.Optional(Type.String({ description: `${anthropicOnly}\`next_page\` of the previous page` })),
})

export type FileItem = Static<typeof fileSchema>
export type FileList = Static<typeof fileListSchema>
export type MessagesFile = Static<typeof messagesFileSchema>
export type MessagesFileList = Static<typeof messagesFileListSchema>
export type FileListQuery = Static<typeof fileListQuerySchema>
