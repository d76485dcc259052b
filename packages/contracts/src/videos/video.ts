// Video task, and requests to read, list, delete and download it (spec 2.7, 3.1).
import Type, { type Static } from 'typebox'
import { videoSeconds, videoSizes } from './request.ts'

const unixOrNull = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description })

export const videoSchema = Type.Object({
  id: Type.String(),
  object: Type.Literal('video'),
  status: Type.Enum(['processing', 'completed', 'failed']),
  created_at: Type.Integer({ description: 'Unix time' }),
  model: Type.String(),
  progress: Type.Integer({ minimum: 0, maximum: 100, description: 'Estimated while processing' }),
  prompt: Type.String(),
  seconds: Type.Enum([...videoSeconds]),
  size: Type.Enum([...videoSizes]),
  completed_at: unixOrNull('Unix time; null while processing'),
  expires_at: unixOrNull('Unix time until which the video can be downloaded; null unless completed'),
  remixed_from_video_id: Type.Null(),
  error: Type.Optional(
    Type.Object(
      { code: Type.String(), message: Type.String() },
      { description: 'Present if failed. A failed video is refunded.' },
    ),
  ),
})

export const videoListSchema = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(videoSchema),
  first_id: Type.Union([Type.String(), Type.Null()]),
  last_id: Type.Union([Type.String(), Type.Null()]),
  has_more: Type.Boolean(),
})

export const videoListQuerySchema = Type.Object({
  after: Type.Optional(Type.String({ description: 'Id after which the page starts' })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Items per page' }),
  ),
  order: Type.Optional(Type.Enum(['asc', 'desc'], { description: 'Order by time; default `desc`' })),
})

export const videoDeletedSchema = Type.Object({
  id: Type.String(),
  object: Type.Literal('video.deleted'),
  deleted: Type.Literal(true),
})

export const videoContentQuerySchema = Type.Object({
  variant: Type.Optional(Type.Enum(['video'], { description: 'Only `video`: there are no thumbnails' })),
})

export type Video = Static<typeof videoSchema>
export type VideoList = Static<typeof videoListSchema>
