// Relays the calls of clients that speak the vendor's API: their bytes there, its bytes back, with a key of ours.
import type { CatalogModel } from '../../catalog/types.ts'
import { startDeadline } from '../deadline.ts'
import type { RelayCall, RelayedReply, RelayedStream, VendorRelay } from '../relay-port.ts'
import { readTotalTokens } from './chat/read-total-tokens.ts'
import { createExchange } from './exchange.ts'
import { explainFailure } from './explain-failure.ts'
import { relayVendorError } from './relay-vendor-error.ts'
import type { VendorClientDependencies } from './vendor-client.ts'

export function createVendorRelay(dependencies: VendorClientDependencies): VendorRelay {
  const { timeoutMs, observeUpstream = () => undefined } = dependencies
  const exchange = createExchange(dependencies)

  const call = async (relayed: RelayCall): Promise<RelayedReply> => {
    const started = performance.now()
    const deadline = startDeadline(timeoutMs, null)
    try {
      const { response, key } = await exchange({ path: pathOf(relayed), body: relayed.body }, deadline)
      return { keyId: key.id, contentType: typeOf(response), body: await response.bytes() }
    } catch (cause) {
      throw explainFailure(cause, deadline, relayVendorError(relayed.model))
    } finally {
      deadline.end()
      observeUpstream(performance.now() - started)
    }
  }

  const open = async (relayed: RelayCall, signal: AbortSignal): Promise<RelayedStream> => {
    const started = performance.now()
    const deadline = startDeadline(timeoutMs, signal)
    const mapRefusal = relayVendorError(relayed.model)
    try {
      const { response, key } = await exchange({ path: pathOf(relayed), body: relayed.body }, deadline)
      const { body } = response
      if (body === null) throw new Error('The stream has no body.')
      return {
        keyId: key.id,
        contentType: typeOf(response),
        body,
        mapError: (status, reply) => mapRefusal(status, reply, key.secret),
        explain: cause => explainFailure(cause, deadline, mapRefusal),
        close: () => {
          deadline.stop()
          observeUpstream(performance.now() - started)
        },
      }
    } catch (cause) {
      deadline.stop()
      throw explainFailure(cause, deadline, mapRefusal)
    }
  }

  return Object.freeze({
    call,
    open,
    countTokens: async (model: CatalogModel, body: object) => {
      try {
        const bytes = new TextEncoder().encode(JSON.stringify(body))
        const reply = await call({ model, verb: 'countTokens', body: bytes })
        return readTotalTokens(JSON.parse(Buffer.from(reply.body).toString()))
      } catch {
        return null
      }
    },
  })
}

/** Made of the catalog's id and our own words alone: nothing of the client's address reaches the upstream's. */
function pathOf({ model, verb, asEvents }: RelayCall): string {
  return `models/${model.upstreamId}:${verb}${asEvents === true ? '?alt=sse' : ''}`
}

function typeOf(response: Response): string {
  return response.headers.get('content-type') ?? 'application/json; charset=UTF-8'
}
