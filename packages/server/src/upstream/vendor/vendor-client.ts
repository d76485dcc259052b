// Calls to the vendor with our own bodies: one exchange each, its deadline, and what its failures mean.
import type { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { startDeadline } from '../deadline.ts'
import { createExchange, type ExchangeDependencies } from './exchange.ts'
import { explainFailure } from './explain-failure.ts'
import { mapVendorError } from './map-vendor-error.ts'

export type VendorClientDependencies = ExchangeDependencies & {
  /** From sending to the last byte. */
  readonly timeoutMs: number
  /** How long the upstream took, to its last byte. */
  readonly observeUpstream?: (milliseconds: number) => void
}

export type VendorCall = {
  /** After the version: `models/<id>:generateContent`. */
  readonly path: string
  readonly body: object
  readonly signal: AbortSignal | null
}

/** A reply under way. It must be closed, or its signal aborted: both end the deadline and stop the upstream. */
export type VendorStream = {
  readonly body: ReadableStream<Uint8Array>
  readonly mapError: (status: number, body: unknown) => ApiError
  /** What a failure while reading means. */
  readonly explain: (cause: unknown) => ApiError
  readonly close: () => void
}

export type VendorClient = {
  /** The parsed reply of a unary call. Throws ApiError `upstream_*` or `model_not_found`. */
  readonly call: (call: VendorCall) => Promise<unknown>
  /** The body of a streamed reply, once the upstream has answered 200. Throws like `call`. */
  readonly open: (call: VendorCall) => Promise<VendorStream>
}

export function createVendorClient(dependencies: VendorClientDependencies): VendorClient {
  const { timeoutMs, observeUpstream = () => undefined } = dependencies
  const exchange = createExchange(dependencies)

  return Object.freeze({
    call: async ({ path, body, signal }: VendorCall) => {
      const started = performance.now()
      const deadline = startDeadline(timeoutMs, signal)
      try {
        const { response } = await exchange({ path, body: JSON.stringify(body) }, deadline)
        return await response.json()
      } catch (cause) {
        throw explainFailure(cause, deadline, mapVendorError)
      } finally {
        deadline.end()
        observeUpstream(performance.now() - started)
      }
    },

    open: async ({ path, body: sent, signal }: VendorCall) => {
      const started = performance.now()
      const deadline = startDeadline(timeoutMs, signal)
      try {
        const { response, key } = await exchange({ path, body: JSON.stringify(sent) }, deadline)
        const { body } = response
        if (body === null) throw new Error('The stream has no body.')
        return {
          body,
          mapError: (status: number, reply: unknown) => mapVendorError(status, reply, key.secret),
          explain: (cause: unknown) => explainFailure(cause, deadline, mapVendorError),
          close: () => {
            deadline.stop()
            observeUpstream(performance.now() - started)
          },
        }
      } catch (cause) {
        deadline.stop()
        throw explainFailure(cause, deadline, mapVendorError)
      }
    },
  })
}
