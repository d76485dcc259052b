// Films in the making: an operation runs for a while, then has films, an error, or reasons why there are none.
import { hash } from '../media/hash.ts'
import type { Switches } from '../switches.ts'
import type { VideoRequest } from './read-video-request.ts'

export type Operation = {
  readonly name: string
  /** The upstream key that made it; no other one sees it. */
  readonly key: string
  readonly doneAt: number
  readonly error: { readonly code: number; readonly message: string } | null
  readonly files: readonly VideoFile[]
  readonly filtered: number
}

export type VideoFile = {
  readonly id: string
  readonly key: string
  readonly width: number
  readonly height: number
  readonly seconds: number
  readonly createdAt: number
}

const usualMs = 1_500
const errorMessages: Readonly<Record<number, string>> = {
  3: 'The prompt could not be processed. Please try a different prompt.',
  8: 'The service is currently at capacity. Please try again later.',
  13: 'Video generation failed due to an internal server issue. Please try again in a few minutes.',
}
const filteredReason =
  "We encountered an issue with the audio for your prompt. Your prompt was not generated because it may violate Google's usage policies. You have not been charged."

export function createOperations(now: () => number) {
  const operations = new Map<string, Operation>()
  const files = new Map<string, VideoFile>()

  const start = (model: string, key: string, wish: VideoRequest, switches: Switches): Operation => {
    const id = hash(`operation ${operations.size}`).toString('hex').slice(0, 12)
    const filtered = Math.min(switches.raiFiltered ?? 0, wish.samples)
    const code = switches.videoError
    const { width, height, seconds } = wish
    const made = code === undefined ? wish.samples - filtered : 0
    const doneAt = now() + (switches.videoMs ?? usualMs)
    const operation: Operation = {
      name: `models/${model}/operations/${id}`,
      key,
      doneAt,
      error: code === undefined ? null : { code, message: errorMessages[code] ?? 'Video generation failed.' },
      files: Array.from({ length: made }, (_, index) => {
        const fileId = hash(`file ${id} ${index}`).toString('hex').slice(0, 12)
        return { id: fileId, key, width, height, seconds, createdAt: doneAt }
      }),
      filtered,
    }
    operations.set(id, operation)
    for (const file of operation.files) files.set(file.id, file)
    return operation
  }

  return {
    start,
    /** By its id; null for another key too. */
    find: (id: string, key: string): Operation | null => {
      const operation = operations.get(id)
      return operation?.key === key ? operation : null
    },
    /** null until its operation is done. */
    findFile: (id: string): VideoFile | null => {
      const file = files.get(id)
      return file === undefined || file.createdAt > now() ? null : file
    },
    isDone: ({ doneAt }: Operation): boolean => doneAt <= now(),
  }
}

/** The body of a poll; `origin` is the host that the caller asked. */
export function describeOperation(operation: Operation, isDone: boolean, origin: string): object {
  const { name, error, files, filtered } = operation
  if (!isDone) return { name }
  if (error !== null) return { name, done: true, error }
  const samples = files.map(({ id }) => ({
    video: { uri: `${origin}/v1beta/files/${id}:download?alt=media` },
  }))
  return {
    name,
    done: true,
    response: {
      '@type': 'type.googleapis.com/google.ai.generativelanguage.v1beta.PredictLongRunningResponse',
      generateVideoResponse: {
        ...(samples.length === 0 ? {} : { generatedSamples: samples }),
        ...(filtered === 0
          ? {}
          : {
              raiMediaFilteredCount: filtered,
              raiMediaFilteredReasons: Array.from({ length: filtered }, () => filteredReason),
            }),
      },
    },
  }
}
