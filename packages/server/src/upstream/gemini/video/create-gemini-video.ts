// Videos over the vendor's API, for /videos and for the pass-through: orders, operations and files, each with its own key.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { CatalogModel } from '../../../catalog/types.ts'
import type { Exchange } from '../../exchange.ts'
import type { Asker, UpstreamKey } from '../../key-ring.ts'
import type { VideoProgress, VideoRelay, VideoUpstream } from '../../media-port.ts'
import { parseOrNull } from '../../narrow-json.ts'
import { boundSilence, readErrorBody, requireIdentity, type WholeReply } from '../../read-whole.ts'
import type { Dialect } from '../../send-request.ts'
import { showReply } from '../clean-reply.ts'
import type { GeminiUpstreamDependencies } from '../create-gemini-upstream.ts'
import { mapGeminiError, relayGeminiError } from '../map-gemini-error.ts'
import { followRedirects } from './follow-redirects.ts'
import { buildVideoBody, mapOperation, readOperationName, showFailure } from './map-video.ts'

/** The upstream answered 404 to a poll. */
class UnknownOperation extends ApiError {}

/** `address`: of the API, with its version. */
export function createGeminiVideo(
  exchange: Exchange,
  address: string,
  dependencies: GeminiUpstreamDependencies,
): { readonly video: VideoUpstream; readonly videoRelay: VideoRelay } {
  const { keys, timers, bounds } = dependencies

  const findKey = (id: string): UpstreamKey => {
    const key = keys.find(id)
    if (key !== undefined) return key
    throw new ApiError('upstream_auth', {
      message: 'The upstream key that this video belongs to is no longer configured. Tell the organisers.',
    })
  }

  const order = async (
    { upstreamId }: CatalogModel,
    body: object,
    mapError: Dialect['mapError'],
    team: Asker,
  ) => {
    const url = `${address}/models/${upstreamId}:predictLongRunning`
    const asked = { endpoint: 'videos', signal: null, repeatable: 'order' } as const
    const { text, json, key } = await exchange.call({ url, body, mapError, team, ...asked }, readText)
    return { operation: requireName(json), upstreamKey: key.id, reply: showReply(text, key.secret) }
  }

  const ask = (
    path: string,
    key: UpstreamKey,
    signal: AbortSignal | null,
    mapError: Dialect['mapError'],
    team: Asker,
  ) => {
    const request = {
      url: `${address}/${path}`,
      endpoint: 'videos',
      signal,
      key,
      repeatable: 'never',
      mapError,
      team,
    } as const
    return exchange.call(request, readText)
  }

  /** For the pass-through, which relays the reply; it must be JSON. */
  const askToRelay = async (path: string, upstreamKey: string, model: CatalogModel | null, team: Asker) => {
    const said = await ask(path, findKey(upstreamKey), null, relayGeminiError(model), team)
    if (said.json === null) throw new ApiError('upstream_error')
    return { reply: showReply(said.text, said.key.secret), json: said.json, key: said.key }
  }

  const video: VideoUpstream = {
    start: async (call, team) => {
      const { operation, upstreamKey } = await order(call.model, buildVideoBody(call), mapGeminiError, team)
      return { operation, upstreamKey }
    },

    poll: async ({ operation, upstreamKey }, signal, team) => {
      try {
        const { json, key } = await ask(operation, findKey(upstreamKey), signal, mapPollError, team)
        return showProgress(mapOperation(json), key)
      } catch (error) {
        if (error instanceof UnknownOperation) return { state: 'unknown' }
        throw error
      }
    },

    openFile: async ({ file, upstreamKey, range, signal }) => {
      const key = findKey(upstreamKey)
      const headers: Readonly<Record<string, string>> = range === null ? {} : { range }
      const url = `${address}/files/${encodeURIComponent(file)}:download?alt=media`
      // Null: a refused download reveals nothing about its key.
      const request = { url, endpoint: 'videos', headers, key, signal, team: null } as const
      const response = await exchange.openFile(request, (first, within) =>
        followRedirects(dependencies, first, url, headers, within),
      )
      const { status, body } = response
      if (![200, 206, 416].includes(status)) {
        const said = await readErrorBody(response, bounds.silenceMs, timers)
        throw mapGeminiError({ status, body: said }, key.secret)
      }
      requireIdentity(response)
      return new Response(body && boundSilence(body, bounds.silenceMs, timers), {
        status,
        headers: response.headers,
      })
    },
  }

  const videoRelay: VideoRelay = {
    start: (model, body, team) => order(model, body, relayGeminiError(model), team),

    poll: async ({ operation, upstreamKey }, model, team) => {
      const { reply, json, key } = await askToRelay(operation, upstreamKey, model, team)
      return { reply, progress: showProgress(mapOperation(json), key) }
    },

    describeFile: async (file, upstreamKey, team) =>
      (await askToRelay(`files/${encodeURIComponent(file)}`, upstreamKey, null, team)).reply,
  }

  return { video: Object.freeze(video), videoRelay: Object.freeze(videoRelay) }
}

async function readText(reply: WholeReply, key: UpstreamKey) {
  const { buffer, byteOffset, byteLength } = await reply.bytes()
  const text = Buffer.from(buffer, byteOffset, byteLength).toString()
  return { text, json: parseOrNull(text), key }
}

function mapPollError(refusal: Parameters<Dialect['mapError']>[0], secret: string): ApiError {
  const error = mapGeminiError(refusal, secret)
  if (refusal.status !== 404) return error
  return new UnknownOperation(error.code, { message: error.message, cause: error.cause })
}

function showProgress(progress: VideoProgress, { secret }: UpstreamKey): VideoProgress {
  if (progress.state !== 'failed') return progress
  return { state: 'failed', failure: showFailure(progress.failure, secret) }
}

function requireName(reply: unknown): string {
  const name = readOperationName(reply)
  if (name !== null) return name
  throw new ApiError('upstream_error', {
    message: 'The model provider accepted the order but returned no name for it.',
  })
}
