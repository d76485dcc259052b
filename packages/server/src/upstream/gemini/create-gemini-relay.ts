// Relays the calls of clients that speak the vendor's API: forwards their bytes, returns its bytes, with a key of ours.
import type { CatalogModel } from '../../catalog/types.ts'
import { type Exchange, idOf } from '../exchange.ts'
import type { Asker } from '../key-ring.ts'
import { type FillBody, forCounting } from '../large-files.ts'
import { parseReply } from '../narrow-json.ts'
import { redact } from '../redact.ts'
import { type GeminiRelay, type RelayCall, type RelayedReply, usualRelayType } from '../relay-port.ts'
import type { UpstreamEndpoint } from '../reply-limits.ts'
import { reportTotalTokens } from './chat/map-usage.ts'
import { cleanReply } from './clean-reply.ts'
import { relayGeminiError } from './map-gemini-error.ts'

/** `address`: of the API, with its version. */
export function createGeminiRelay(
  exchange: Pick<Exchange, 'call' | 'open'>,
  address: string,
  fill: FillBody,
): GeminiRelay {
  const describe = (call: RelayCall, signal: AbortSignal | null, team: Asker) => ({
    url: `${address}/${pathOf(call)}`,
    ...(call.largeFiles === undefined
      ? { body: call.body }
      : { keyedBody: fill(call.body, call.largeFiles) }),
    endpoint: endpointOf[call.model.modality],
    signal,
    team,
    headers: call.names ?? {},
    mapError: relayGeminiError(call.model),
  })

  const call = (relayed: RelayCall, team: Asker): Promise<RelayedReply> =>
    exchange.call(describe(relayed, null, team), async (reply, key) => {
      const body = await reply.bytes()
      return {
        contentType: reply.headers.get('content-type') ?? usualRelayType,
        body: cleanReply(body, said => redact(said, key.secret)) ?? body,
        upstreamKey: idOf(key),
      }
    })

  return Object.freeze<GeminiRelay>({
    call,
    open: (relayed, signal, team) => exchange.open(describe(relayed, signal, team)),
    countTokens: async (model, body, team, largeFiles) => {
      try {
        const bytes = new TextEncoder().encode(JSON.stringify(body))
        const reply = await call(
          { model, verb: 'countTokens', body: bytes, largeFiles: forCounting(largeFiles) },
          team,
        )
        return reportTotalTokens(parseReply(reply.body))
      } catch {
        return { kind: 'absent' } as const
      }
    },
  })
}

/** The kind of call, for its time-out. */
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

/** Built from the catalog's id and our own words alone: nothing of the client's URL reaches the upstream's. */
function pathOf({ model, verb, asEvents }: RelayCall): string {
  return `models/${model.upstreamId}:${verb}${asEvents === true ? '?alt=sse' : ''}`
}
