// /v1/videos: order, track, list, download and delete videos (spec 2.7, 3.1, 4.1).
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { ErrorCode } from '@fairgate/contracts/errors/registry.ts'
import { videoRequestSchema } from '@fairgate/contracts/videos/request.ts'
import {
  type Video,
  type VideoList,
  videoContentQuerySchema,
  videoDeletedSchema,
  videoListQuerySchema,
  videoListSchema,
  videoSchema,
} from '@fairgate/contracts/videos/video.ts'
import Type from 'typebox'
import { defineRoute, type Route } from '../../../http/route.ts'
import type { ShownVideo } from '../../../ledger/video-task.ts'
import { readExpiry } from '../../../videos/note-progress.ts'
import type { Caller } from '../../flow/authenticate.ts'
import { freeCallErrors, paidCallErrors, upstreamErrors } from '../../flow/call-errors.ts'
import { findAllowedModel } from '../../flow/find-model.ts'
import { clientHabits } from '../client-habits.ts'
import type { EndpointParts } from '../endpoint-parts.ts'
import { createAnswerContent } from './answer-content.ts'
import { planVideo, readFirstImage, readWish } from './plan-video.ts'

/** The paid routes. */
export function orderVideoRoute({ catalog, paidOrder, video, clock, maxBodyBytes }: EndpointParts) {
  return defineRoute<Caller, typeof videoRequestSchema, undefined>({
    method: 'POST',
    path: '/v1/videos',
    tag: 'Videos',
    summary: 'Create a video',
    description:
      'Returns a task at once; poll it about every 10 seconds until its status is `completed` or `failed`. The video is charged ' +
      'now, by seconds and resolution (header `x-gateway-response-cost`), and refunded if it fails.',
    bodyKind: 'json-or-form',
    body: videoRequestSchema,
    maxBodyBytes,
    replies: { 200: videoSchema },
    errors: paidCallErrors,
    handle: async (caller, call) => {
      const model = findAllowedModel(catalog, caller, call.body.model, 'video')
      const wish = readWish(call.body)
      const image = await readFirstImage(call.body.input_reference)
      const { call: asked, units, plan } = planVideo(wish, model, image)
      const { task, headers } = await paidOrder(caller, call, {
        plan,
        units,
        wish,
        start: () => video.start(asked, caller.team.teamId),
      })
      return Response.json(buildVideo({ ...task, orderedBy: 'videos', wish }, clock()), { headers })
    },
  })
}

const readErrors: readonly ErrorCode[] = [...freeCallErrors, 'unavailable']

/** In the form of our own ids; nothing else reaches the store, which accepts no NUL. */
const videoId = /^video_[0-9a-f]{32}$/

/** The free routes. */
export function videoRoutes(dependencies: EndpointParts): Route<Caller>[] {
  const { freeCall, videos, videoWrites, clock } = dependencies
  const answerContent = createAnswerContent(dependencies)

  /** Throws ApiError `video_not_found`, also for another team's video. */
  const findVideo = async (caller: Caller, id: string | undefined): Promise<ShownVideo> => {
    if (id === undefined || !videoId.test(id)) throw new ApiError('video_not_found')
    const task = await videos.reads.readVideoTask({ teamId: caller.team.teamId, taskId: id })
    if (task === null || task.orderedBy !== 'videos') throw new ApiError('video_not_found')
    return task
  }

  const one = defineRoute<Caller, undefined, undefined>({
    method: 'GET',
    path: '/v1/videos/:video_id',
    tag: 'Videos',
    summary: 'Get the status of a video',
    description:
      "OpenAI's poll helper (`x-stainless-poll-helper: true`) gets `in_progress` for `processing`.",
    replies: { 200: videoSchema },
    errors: [...readErrors, 'video_not_found'],
    handle: (caller, call) =>
      freeCall(caller, call, async () => {
        const video = buildVideo(await findVideo(caller, call.params.video_id), clock())
        const isPolled = video.status === 'processing' && clientHabits.pollHelper.fits(call.request.headers)
        return isPolled ? { ...video, status: 'in_progress' } : video
      }),
  })

  const list = defineRoute<Caller, undefined, typeof videoListQuerySchema>({
    method: 'GET',
    path: '/v1/videos',
    tag: 'Videos',
    summary: "List the team's videos",
    query: videoListQuerySchema,
    replies: { 200: videoListSchema },
    errors: [...readErrors, 'video_not_found'],
    handle: (caller, call) =>
      freeCall(caller, call, async (): Promise<VideoList> => {
        const { limit = 20, order = 'desc', after } = call.query
        const place = after === undefined ? null : await findVideo(caller, after)
        const { teamId } = caller.team
        const tasks = await videos.reads.listVideoTasks({ teamId, limit: limit + 1, order, after: place })
        const data = tasks.slice(0, limit).map(task => buildVideo(task, clock()))
        return {
          object: 'list',
          data,
          first_id: data[0]?.id ?? null,
          last_id: data.at(-1)?.id ?? null,
          has_more: tasks.length > limit,
        }
      }),
  })

  const content = defineRoute<Caller, undefined, typeof videoContentQuerySchema>({
    method: 'GET',
    path: '/v1/videos/:video_id/content',
    tag: 'Videos',
    summary: 'Download a video',
    description: 'Supports `range`, with one range per request.',
    query: videoContentQuerySchema,
    replies: {
      200: Type.String({ description: 'The video', contentMediaType: 'video/mp4' }),
      206: Type.String({ description: 'The requested range', contentMediaType: 'video/mp4' }),
      416: 'The range is outside the file; `content-range` has its size',
    },
    replyHeaders: ['accept-ranges', 'content-range', 'content-disposition', 'cache-control'],
    errors: [
      ...readErrors,
      'video_not_found',
      'video_not_ready',
      'video_failed',
      'video_expired',
      ...upstreamErrors,
    ],
    handle: (caller, call) => {
      call.keepOpen()
      return freeCall(caller, call, async headers => {
        const video = await findVideo(caller, call.params.video_id)
        return answerContent(video, call.request, headers)
      })
    },
  })

  const deletion = defineRoute<Caller, undefined, undefined>({
    method: 'DELETE',
    path: '/v1/videos/:video_id',
    tag: 'Videos',
    summary: 'Delete a completed or failed video',
    description: 'Deletes the video and its file. Its cost is not refunded.',
    replies: { 200: videoDeletedSchema },
    errors: [...readErrors, 'video_not_found', 'video_not_ready'],
    handle: (caller, call) =>
      freeCall(caller, call, async () => {
        const { teamId, taskId } = await findVideo(caller, call.params.video_id)
        const hidden = await videoWrites.hideVideoTask({ teamId, taskId })
        if (hidden === null)
          throw new ApiError('video_not_ready', {
            message: 'This video is still being made. You can delete it once it is completed or failed.',
          })
        await videos.files.remove(taskId).catch(error => videos.reportLeftCopy(hidden, error))
        return { id: taskId, object: 'video.deleted', deleted: true }
      }),
  })

  return [list, one, content, deletion]
}

/** Usual duration of a video; the basis of `progress`. */
const usualMs = 60_000

/** `now`: Unix ms. */
function buildVideo(task: ShownVideo, now: number): Video {
  const expiresAt = readExpiry(task)
  const { prompt, seconds, size } = task.wish
  return {
    id: task.taskId,
    object: 'video',
    status: task.state === 'completed' || task.state === 'failed' ? task.state : 'processing',
    created_at: toUnix(task.createdAt),
    model: task.modelId,
    progress: progressOf(task, now),
    prompt,
    seconds,
    size,
    completed_at: task.completedAt === null ? null : toUnix(task.completedAt),
    expires_at: expiresAt === null ? null : toUnix(expiresAt),
    remixed_from_video_id: null,
    ...(task.error === null ? {} : { error: task.error }),
  }
}

/** The upstream reports nothing while it works: this nears 99 as time passes, and never goes back. */
function progressOf({ state, createdAt }: ShownVideo, now: number): number {
  if (state === 'completed') return 100
  if (state === 'failed') return 0
  return Math.min(99, Math.floor((Math.max(0, now - createdAt) / usualMs) * 99))
}

function toUnix(milliseconds: number): number {
  return Math.floor(milliseconds / 1000)
}
