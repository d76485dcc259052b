// A body that is handed on as it comes, and breaks off when its upstream says nothing for too long.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { createByteReader } from './byte-reader.ts'
import type { Timers } from './patient-timer.ts'

/** Nothing is read before somebody asks for it. Reading throws ApiError `upstream_timeout` after a silence. */
export function boundSilence(
  body: ReadableStream<Uint8Array>,
  silenceMs: number,
  timers?: Timers,
): ReadableStream<Uint8Array> {
  let isSilent = false
  const reader = createByteReader(
    body,
    { mostBytes: Number.POSITIVE_INFINITY, silenceMs, ...(timers === undefined ? {} : { timers }) },
    {
      expire: () => {
        isSilent = true
        reader.end()
      },
    },
  )
  return new ReadableStream<Uint8Array>(
    {
      pull: async controller => {
        const { value } = await reader.read()
        if (value !== undefined) controller.enqueue(value)
        else if (isSilent) controller.error(new ApiError('upstream_timeout'))
        else controller.close()
      },
      cancel: () => reader.end(),
    },
    { highWaterMark: 0 },
  )
}
