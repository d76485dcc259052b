// Decides how long a call may wait for a model that the whole service has used up: as its client says, otherwise by the settings.
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import Type from 'typebox'
import type { Call } from '../../http/call.ts'
import type { Patience } from '../../limits/fair/fair-line.ts'

const queueHeader = 'x-gateway-queue-ms'
/** A proxy in front gives up on a request that is silent for longer. */
const longestQueueMs = 60_000

export const patienceHeaders = Type.Object({
  [queueHeader]: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: longestQueueMs,
      description:
        'How long the call may wait, in milliseconds, when all teams together have used up the model. Waiting calls are admitted so that each team gets an equal share. The default is the setting `limits.queue_seconds`.',
    }),
  ),
})

/** Throws ApiError `invalid_request` for a header that is not a whole number of milliseconds from 0 to a minute. */
export function readPatience(call: Call, standardMs: number): Patience {
  const said = call.request.headers.get(queueHeader)
  return { waitMs: said === null ? standardMs : readMilliseconds(said), signal: () => call.signal }
}

function readMilliseconds(said: string): number {
  const milliseconds = /^\d{1,5}$/.test(said) ? Number(said) : Number.NaN
  if (milliseconds <= longestQueueMs) return milliseconds
  throw invalidRequest(
    queueHeader,
    `${queueHeader} must be a whole number of milliseconds from 0 to ${longestQueueMs}.`,
  )
}
