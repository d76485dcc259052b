// The video itself: from our own copy, or from the upstream while there is none; whole or in part.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { readRange } from '../../../http/read-range.ts'
import type { VideoTask } from '../../../ledger/video-task.ts'
import type { VideoUpstream } from '../../../upstream/video-port.ts'
import { readExpiry } from '../../../videos/note-progress.ts'
import type { VideoFiles } from '../../../videos/video-files.ts'

export type AnswerContentDependencies = {
  readonly videoFiles: Pick<VideoFiles, 'find'>
  readonly videoUpstream: Pick<VideoUpstream, 'openFile'>
  /** A part of a file as a body. */
  readonly readFilePart: (path: string, start: number, end: number) => Blob
  /** Unix ms. */
  readonly clock: () => number
}

/** `added`: headers that the reply carries besides its own. */
export type AnswerContent = (task: VideoTask, request: Request, added: Headers) => Promise<Response>

type Headers = Readonly<Record<string, string>>

const relayedHeaders = ['content-length', 'content-range']

/** Throws ApiError `video_not_ready`, `video_failed`, `video_expired`, or what the upstream fails with. */
export function createAnswerContent(dependencies: AnswerContentDependencies): AnswerContent {
  const { videoFiles, videoUpstream, readFilePart, clock } = dependencies

  const answerCopy = (path: string, bytes: number, request: Request, headers: Headers): Response => {
    const range = readRange(request.headers.get('range'), bytes)
    if (range === 'unsatisfiable') {
      return new Response(null, { status: 416, headers: { ...headers, 'content-range': `bytes */${bytes}` } })
    }
    if (range === null) return new Response(readFilePart(path, 0, bytes), { headers })
    const { start, end } = range
    return new Response(readFilePart(path, start, end + 1), {
      status: 206,
      headers: { ...headers, 'content-range': `bytes ${start}-${end}/${bytes}` },
    })
  }

  const relay = async (task: VideoTask, request: Request, described: Headers): Promise<Response> => {
    const [file] = task.files
    if (file === undefined || task.upstreamKey === null) throw new ApiError('video_expired')
    const range = readUsable(request.headers.get('range'))
    const { signal } = request
    const reply = await videoUpstream.openFile({ file, upstreamKey: task.upstreamKey, range, signal })
    const relayed = relayedHeaders.flatMap((name): [string, string][] => {
      const value = reply.headers.get(name)
      return value === null ? [] : [[name, value]]
    })
    const headers = { ...described, ...Object.fromEntries(relayed) }
    return new Response(reply.body, { status: reply.status, headers })
  }

  return async (task, request, added) => {
    if (task.state === 'failed') throw new ApiError('video_failed')
    if (task.state !== 'completed') throw new ApiError('video_not_ready', { headers: { 'retry-after': '5' } })
    const copy = task.storedBytes === null ? null : await videoFiles.find(task.taskId)
    const expiresAt = copy === null ? readExpiry({ ...task, storedBytes: null }) : task.expiresAt
    if (expiresAt !== null && expiresAt <= clock()) throw new ApiError('video_expired')
    const headers = { ...added, ...describeVideo(task) }
    return copy === null ? relay(task, request, headers) : answerCopy(copy.path, copy.bytes, request, headers)
  }
}

/** Null for one that our copy would not follow: the reply must not tell whether there is a copy yet. */
function readUsable(range: string | null): string | null {
  return readRange(range, Number.POSITIVE_INFINITY) === null ? null : range
}

function describeVideo(task: VideoTask): Record<string, string> {
  return {
    'content-type': 'video/mp4',
    'accept-ranges': 'bytes',
    'cache-control': 'private',
    'content-disposition': `inline; filename="${task.taskId}.mp4"`,
  }
}
