// Sends the video itself, whole or in part: from our own copy, or from the upstream while there is none.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { readRange } from '../../../http/read-range.ts'
import type { VideoTask } from '../../../ledger/video-task.ts'
import { pickHeaders } from '../../../upstream/read-whole.ts'
import { readExpiry } from '../../../videos/note-progress.ts'
import type { EndpointParts } from '../endpoint-parts.ts'

/** `added`: headers that the reply carries besides its own. */
export type AnswerContent = (task: VideoTask, request: Request, added: Headers) => Promise<Response>

type Headers = Readonly<Record<string, string>>

/** Throws ApiError `video_not_ready`, `video_failed`, `video_expired`, `unavailable`, or the upstream's failure. */
export function createAnswerContent({ videos, video, clock }: EndpointParts): AnswerContent {
  /** Null if there is no copy, or if it is currently unavailable. */
  const readCopy = async (
    task: VideoTask,
    request: Request,
    described: Headers,
  ): Promise<Response | null> => {
    const bytes = task.storedBytes
    if (bytes === null) return null
    const range = readRange(request.headers.get('range'), bytes)
    if (range === 'unsatisfiable')
      return new Response(null, {
        status: 416,
        headers: { ...described, 'content-range': `bytes */${bytes}` },
      })
    const { taskId } = task
    const body = await videos.files.read({ taskId, bytes, range, signal: request.signal })
    if (body === null) return null
    const { start, end } = range ?? { start: 0, end: bytes - 1 }
    return new Response(body, {
      status: range === null ? 200 : 206,
      headers: {
        ...described,
        'content-length': String(end - start + 1),
        ...(range === null ? {} : { 'content-range': `bytes ${start}-${end}/${bytes}` }),
      },
    })
  }

  const relay = async (task: VideoTask, request: Request, described: Headers): Promise<Response> => {
    const [file] = task.files
    if (file === undefined || task.upstreamKey === null) throw new ApiError('video_expired')
    const range = readUsable(request.headers.get('range'))
    const { signal } = request
    const reply = await video.openFile({ file, upstreamKey: task.upstreamKey, range, signal })
    const headers = { ...described, ...pickHeaders(reply.headers, ['content-length', 'content-range']) }
    return new Response(reply.body, { status: reply.status, headers })
  }

  const isOver = (expiresAt: number | null) => expiresAt !== null && expiresAt <= clock()

  return async (task, request, added) => {
    if (task.state === 'failed') throw new ApiError('video_failed')
    if (task.state !== 'completed') throw new ApiError('video_not_ready', { headers: { 'retry-after': '5' } })
    const isKept = task.storedBytes !== null
    if (isKept && isOver(task.expiresAt)) throw new ApiError('video_expired')
    const headers = { ...added, ...describeVideo(task) }
    let failure: unknown = null
    const copy = await readCopy(task, request, headers).catch(error => {
      if (request.signal.aborted) throw error
      failure = error
      return null
    })
    if (copy !== null) return copy
    if (isKept) videos.reportMissingCopy(task, failure)
    if (!isOver(readExpiry({ ...task, storedBytes: null }))) return relay(task, request, headers)
    // The copy may exist even if its storage could not be asked.
    throw failure === null
      ? new ApiError('video_expired')
      : new ApiError('unavailable', { headers: { 'retry-after': '10' }, cause: failure })
  }
}

/** Null for a range that our copy would not honour: the reply must not reveal whether there is a copy yet. */
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
