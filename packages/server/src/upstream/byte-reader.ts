// Reads a body piece by piece within bounds: so many bytes, and no silence beyond a limit once it has begun.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { Deadline } from './deadline.ts'
import { startPatientTimer, systemTimers, type Timers } from './patient-timer.ts'

export type ReadPiece = { readonly done: boolean; readonly value?: Uint8Array | undefined }

export type ByteReader = {
  /** Throws ApiError `upstream_error` beyond the bound; what the body throws else, silence as an abort included. */
  readonly read: () => Promise<ReadPiece>
  /** Whatever comes, the body counts as ended after so many ms: for an answer that is complete already. */
  readonly endWithin: (milliseconds: number) => void
  /** Ends the body now: who waits for a piece is told that there is none, and the upstream is stopped. */
  readonly end: () => void
  /** Nothing of it stays in a timer. */
  readonly close: () => void
}

export type ByteReaderOptions = {
  readonly mostBytes: number
  readonly silenceMs: number
  /** Asked each time the body has been silent for a moment: true ends it. */
  readonly isComplete?: () => boolean
  readonly timers?: Timers
}

/** How soon a body that has said everything and does not close is noticed. */
const momentMs = 1000

const ended: ReadPiece = { done: true }

export function tooLarge(): ApiError {
  return new ApiError('upstream_error', {
    message: 'The model provider sent more than can be taken: ask for less.',
  })
}

/** Time counts only while somebody waits for a piece: a client that does not read is no silence of the upstream. */
export function createByteReader(
  body: ReadableStream<Uint8Array>,
  options: ByteReaderOptions,
  deadline: Pick<Deadline, 'expire'>,
): ByteReader {
  const { mostBytes, silenceMs, isComplete, timers = systemTimers } = options
  const reader = body.getReader()
  let total = 0
  let waitingSince: number | null = null
  let isOver = false
  let cancelWatch = (): void => undefined
  let cancelEnd: (() => void) | null = null
  let endsAt = Number.POSITIVE_INFINITY

  const close = () => {
    isOver = true
    cancelWatch()
    cancelEnd?.()
  }
  const end = () => {
    close()
    reader.cancel().catch(() => undefined)
  }
  /** One timer for the whole body, set again only when it fires: pieces cost no timer of their own. */
  const watch = (milliseconds: number) => {
    cancelWatch = startPatientTimer(milliseconds, look, timers)
  }
  const step = isComplete === undefined ? silenceMs : Math.min(momentMs, silenceMs)
  const look = () => {
    if (isOver) return
    const silent = waitingSince === null ? 0 : timers.now() - waitingSince
    const isSilent = silent >= step
    if (silent >= silenceMs) deadline.expire()
    else if (isSilent && isComplete?.() === true) end()
    else watch(isSilent ? Math.min(step, silenceMs - silent) : step - silent)
  }

  return {
    read: async () => {
      if (isOver) return ended
      waitingSince = timers.now()
      try {
        const { done, value } = await reader.read()
        if (isOver || done || value === undefined) {
          close()
          return ended
        }
        total += value.length
        if (total > mostBytes) {
          end()
          throw tooLarge()
        }
        if (total === value.length) watch(step)
        return { done: false, value }
      } catch (cause) {
        close()
        throw cause
      } finally {
        waitingSince = null
      }
    },
    endWithin: milliseconds => {
      const at = timers.now() + milliseconds
      if (isOver || at >= endsAt) return
      endsAt = at
      cancelEnd?.()
      cancelEnd = startPatientTimer(milliseconds, end, timers)
    },
    end,
    close,
  }
}
