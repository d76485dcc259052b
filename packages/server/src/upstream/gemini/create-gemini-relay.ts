// Relays the calls of clients that speak the vendor's API: their bytes there, its bytes back, with a key of ours.
import type { CatalogModel } from '../../catalog/types.ts'
import { createExchange } from '../exchange.ts'
import type { GeminiRelay, RelayCall, RelayedReply } from '../relay-port.ts'
import type { UpstreamEndpoint } from '../timeouts.ts'
import { reportTotalTokens } from './chat/read-total-tokens.ts'
import { cleanReply } from './clean-reply.ts'
import type { GeminiClientDependencies } from './gemini-client.ts'
import { geminiDialect } from './gemini-dialect.ts'
import { relayGeminiError } from './relay-gemini-error.ts'

export function createGeminiRelay({ baseUrl, ...dependencies }: GeminiClientDependencies): GeminiRelay {
  const exchange = createExchange(dependencies, geminiDialect)

  const describe = (call: RelayCall, signal: AbortSignal | null) => {
    const mapRefusal = relayGeminiError(call.model)
    return {
      url: `${baseUrl}/v1beta/${pathOf(call)}`,
      body: call.body,
      endpoint: endpointOf[call.model.modality],
      signal,
      headers: call.names ?? {},
      mapError: ({ status, body }: { status: number; body: unknown }, secret: string) =>
        mapRefusal(status, body, secret),
    }
  }

  const call = (relayed: RelayCall): Promise<RelayedReply> =>
    exchange.call(describe(relayed, null), async ({ headers, bytes }, shown) => {
      const body = await bytes()
      return {
        contentType: headers.get('content-type') ?? usualType,
        body: cleanReply(body, shown) ?? body,
      }
    })

  return Object.freeze({
    call,
    open: async (relayed: RelayCall, signal: AbortSignal) => {
      const stream = await exchange.open(describe(relayed, signal))
      const clean = (payload: Uint8Array) => cleanReply(payload, stream.shown)
      return { ...stream, clean, cleanText: stream.shown, contentType: stream.contentType ?? usualType }
    },
    countTokens: async (model: CatalogModel, body: object) => {
      try {
        const bytes = new TextEncoder().encode(JSON.stringify(body))
        const reply = await call({ model, verb: 'countTokens', body: bytes })
        return reportTotalTokens(JSON.parse(Buffer.from(reply.body).toString()))
      } catch {
        return { kind: 'absent' } as const
      }
    },
  })
}

const usualType = 'application/json; charset=UTF-8'

/** Whose time-out a call has. */
const endpointOf: Readonly<Record<CatalogModel['modality'], UpstreamEndpoint>> = {
  chat: 'chat',
  image: 'images',
  imggen: 'images',
  speech: 'speech',
  music: 'music',
  transcription: 'transcription',
  embedding: 'embeddings',
  video: 'videos',
}

/** Made of the catalog's id and our own words alone: nothing of the client's address reaches the upstream's. */
function pathOf({ model, verb, asEvents }: RelayCall): string {
  return `models/${model.upstreamId}:${verb}${asEvents === true ? '?alt=sse' : ''}`
}
