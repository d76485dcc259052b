// Orders a video: a POST that is tried again only where the vendor has surely not taken it.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { decideRetry } from '../../decide-retry.ts'
import type { KeyRing } from '../../key-ring.ts'
import type { StartedOperation } from '../../video-port.ts'
import { showReply } from '../clean-reply.ts'
import { readRetryDelay } from '../map-gemini-error.ts'
import type { KeyedExchange } from './keyed-exchange.ts'
import { readOperationName } from './map-video.ts'

export type OrderDependencies = {
  readonly keys: Pick<KeyRing, 'next'>
  readonly maximumRetries: number
  readonly wait: (milliseconds: number) => Promise<void>
  /** In [0, 1). */
  readonly random: () => number
}

export type OrderedOperation = StartedOperation & {
  /** The upstream's own words, fit to be shown. */
  readonly reply: string
}

/** Other failures may have been an order that is being made. */
const surelyRefused: readonly number[] = [429, 503]

/** `mapRefusal`: the vendor's error reply → ours, with the secret that must not show. */
export type OrderOperation = (
  order: { readonly upstreamId: string; readonly body: Uint8Array | string },
  mapRefusal: (status: number, reply: unknown, secret: string) => ApiError,
) => Promise<OrderedOperation>

export function createOrderOperation(
  { keys, maximumRetries, wait, random }: OrderDependencies,
  { exchange }: Pick<KeyedExchange, 'exchange'>,
): OrderOperation {
  return async ({ upstreamId, body }, mapRefusal) => {
    const path = `models/${upstreamId}:predictLongRunning`
    for (let attempt = 0; ; attempt += 1) {
      const key = keys.next()
      const { status, text, json } = await exchange({ path, key, body })
      if (status === 200) {
        const reply = showReply(text, key.secret)
        return { operation: requireName(json), upstreamKey: key.id, reply }
      }
      const fault = { status, askedDelayMs: readRetryDelay(json) }
      const mayRetry = surelyRefused.includes(status) && attempt < maximumRetries
      const delay = mayRetry ? decideRetry(fault, attempt, random()) : null
      if (delay === null) throw mapRefusal(status, json, key.secret)
      await wait(delay)
    }
  }
}

function requireName(reply: unknown): string {
  const name = readOperationName(reply)
  if (name !== null) return name
  throw new ApiError('upstream_error', { message: 'The model provider took the order but did not name it.' })
}
