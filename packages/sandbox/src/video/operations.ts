// Videos in progress: an operation runs for a while and then has videos, an error, or reasons why there are none.
import type { Switches } from '../switches.ts'
import { readFileId, readOperationId, writeFileId, writeOperationId } from './operation-id.ts'
import type { VideoRequest } from './read-video-request.ts'

export type Operation = {
  readonly name: string
  readonly isDone: boolean
  readonly error: { readonly code: number; readonly message: string } | null
  readonly files: readonly string[]
  readonly filtered: number
}

export type VideoFile = {
  readonly id: string
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

/** Nothing is stored. The ids themselves contain the orders, so these outlive the process. */
export function createOperations(now: () => number) {
  let orders = 0

  const start = (model: string, key: string, wish: VideoRequest, switches: Switches): string => {
    orders += 1
    const filtered = Math.min(switches.raiFiltered ?? 0, wish.samples)
    const errorCode = switches.videoError ?? 0
    const { width, height, seconds } = wish
    const made = errorCode === 0 ? wish.samples - filtered : 0
    const doneAt = now() + (switches.videoMs ?? usualMs)
    const facts = { model, doneAt, number: orders, width, height, seconds, made, filtered, errorCode }
    return `models/${model}/operations/${writeOperationId(facts, key)}`
  }

  return {
    /** Returns the operation's name. */
    start,
    /** Finds an operation by its id; null if there is none or it belongs to another key. */
    find: (id: string, key: string): Operation | null => {
      const facts = readOperationId(id, key)
      if (facts === null) return null
      const { model, errorCode: code, made, filtered } = facts
      return {
        name: `models/${model}/operations/${id}`,
        isDone: facts.doneAt <= now(),
        error: code === 0 ? null : { code, message: errorMessages[code] ?? 'Video generation failed.' },
        files: Array.from({ length: made }, (_, index) => writeFileId(facts, index, key)),
        filtered,
      }
    },
    /** Null until its operation is done, and for another key. `key` is null for the storage, which needs none. */
    findFile: (id: string, key: string | null): VideoFile | null => {
      const facts = readFileId(id, key)
      if (facts === null || facts.doneAt > now()) return null
      const { width, height, seconds, doneAt } = facts
      return { id, width, height, seconds, createdAt: doneAt }
    },
  }
}

/** The body of a poll. `origin` is the host that the caller asked. */
export function describeOperation(operation: Operation, origin: string): object {
  const { name, isDone, error, files, filtered } = operation
  if (!isDone) return { name }
  if (error !== null) return { name, done: true, error }
  const samples = files.map(id => ({
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
