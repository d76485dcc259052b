// Tracks videos in progress: an operation runs for a while, then has videos, an error, or reasons for having none.

import { hash } from '../media/hash.ts'
import type { Switches } from '../switches.ts'
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

// An operation's id contains its whole outcome, so that a restarted sandbox still knows earlier orders.

type OperationFacts = {
  readonly model: string
  /** Unix ms. */
  readonly doneAt: number
  /** Distinguishes orders of the same moment. */
  readonly number: number
  readonly width: number
  readonly height: number
  readonly seconds: number
  /** Number of videos to make. */
  readonly made: number
  readonly filtered: number
  /** Code of its final error; 0 for none. */
  readonly errorCode: number
}

/** Letters and digits, like the vendor's ids. The last eight depend on the key, so that no other key finds the operation. */
function writeOperationId(facts: OperationFacts, key: string): string {
  const text = `${writeFile(facts)}${Buffer.from(facts.model).toString('hex')}`
  return text + sign(text, key)
}

/** Null if this key has not ordered it. */
function readOperationId(id: string, key: string): OperationFacts | null {
  const text = id.slice(0, -8)
  const facts = readFacts(text.slice(0, factsText.length))
  if (facts === null || sign(text, key) !== id.slice(-8)) return null
  return { ...facts, model: Buffer.from(text.slice(factsText.length), 'hex').toString() }
}

/** At most 40 letters and digits, the vendor's limit. */
function writeFileId(facts: OperationFacts, index: number, key: string): string {
  const text = `${writeFile(facts)}${index.toString(36)}`
  return text + sign(text, key)
}

/** `key` is null for the storage, which needs none. */
function readFileId(id: string, key: string | null): Omit<OperationFacts, 'model'> | null {
  const text = id.slice(0, -8)
  if (key !== null && sign(text, key) !== id.slice(-8)) return null
  return readFacts(text.slice(0, factsText.length))
}

/** Number of base-36 digits for each number. */
const widths = {
  doneAt: 9,
  number: 4,
  width: 3,
  height: 3,
  seconds: 1,
  made: 1,
  filtered: 1,
  errorCode: 1,
} as const
const names = Object.keys(widths) as (keyof typeof widths)[]
const factsText = { length: Object.values(widths).reduce((sum, width) => sum + width, 0) }

function writeFile(facts: OperationFacts): string {
  return names.map(name => facts[name].toString(36).padStart(widths[name], '0').slice(-widths[name])).join('')
}

function readFacts(text: string): Omit<OperationFacts, 'model'> | null {
  if (text.length !== factsText.length || !/^[0-9a-z]+$/.test(text)) return null
  let at = 0
  const read = (name: keyof typeof widths): number => {
    const start = at
    at += widths[name]
    return Number.parseInt(text.slice(start, at), 36)
  }
  return {
    doneAt: read('doneAt'),
    number: read('number'),
    width: read('width'),
    height: read('height'),
    seconds: read('seconds'),
    made: read('made'),
    filtered: read('filtered'),
    errorCode: read('errorCode'),
  }
}

function sign(text: string, key: string): string {
  return hash(`operation ${text} of ${key}`).toString('hex').slice(0, 8)
}
