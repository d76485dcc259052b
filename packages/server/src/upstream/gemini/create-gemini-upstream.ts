// The vendor as an upstream: chat, media, videos and the pass-through, over one exchange and one ring of keys.
import { ChatEventReader } from '../chat-events.ts'
import type { Upstream } from '../choose-upstream.ts'
import { Exchange, type ExchangeDependencies } from '../exchange.ts'
import { KeptUploads } from '../kept-uploads.ts'
import type { KeyRing } from '../key-ring.ts'
import { type FillBody, forCounting, type LargeFileStore, type LargeFiles } from '../large-files.ts'
import type { VideoRelay, VideoUpstream } from '../media-port.ts'
import type { ChatCall, ChatUpstream } from '../port.ts'
import type { GeminiRelay } from '../relay-port.ts'
import type { Resolve } from '../remote-media/find-public-address.ts'
import type { Dialect, Fetch } from '../send-request.ts'
import { convertChatRequest } from './chat/convert-chat-request.ts'
import { mapChatResponse } from './chat/map-chat-response.ts'
import { reportTotalTokens } from './chat/map-usage.ts'
import { GeminiAnswer } from './chat/streamed-answer.ts'
import { createGeminiRelay } from './create-gemini-relay.ts'
import { isGeminiKeyInvalid, judgeGeminiKey, mapGeminiError, readRetryDelay } from './map-gemini-error.ts'
import { createGeminiMedia } from './media.ts'
import { createGeminiFiles } from './upload-file.ts'
import { createGeminiVideo } from './video/create-gemini-video.ts'

export type GeminiUpstreamDependencies = ExchangeDependencies & {
  /** Without a trailing slash. */
  readonly baseUrl: string
  readonly keys: KeyRing
  /** All addresses of a host, for files that the vendor keeps elsewhere. */
  readonly resolve: Resolve
  /** A fresh id for a tool call: letters and digits. */
  readonly newToolCallId: () => string
  /** Unix ms. */
  readonly clock: () => number
  /** Sends large files, whose requests are no attempts of a call; absent: `fetch`. */
  readonly fetchForFiles?: Fetch
}

export type GeminiUpstream = Upstream & {
  readonly relay: GeminiRelay
  readonly video: VideoUpstream
  readonly videoRelay: VideoRelay
  readonly forgetFile: LargeFileStore['forgetFile']
}

/** How the vendor is addressed, and how it refuses. */
export const geminiDialect: Dialect = {
  writeHeaders: secret => ({ 'x-goog-api-key': secret }),
  mapError: mapGeminiError,
  readRetryDelay: ({ body }) => readRetryDelay(body),
  judgeKey: judgeGeminiKey,
  isKeyInvalid: isGeminiKeyInvalid,
}

export function createGeminiUpstream(dependencies: GeminiUpstreamDependencies): GeminiUpstream {
  const { baseUrl, newToolCallId, clock } = dependencies
  const address = `${baseUrl}/v1beta`
  const exchange = new Exchange(dependencies, geminiDialect)
  // Polling an order under way shows nothing about how long models take.
  const unobserved = new Exchange({ ...dependencies, observeUpstream: () => undefined }, geminiDialect)
  const { fetchForFiles: fetch = dependencies.fetch } = dependencies
  const { upload, remove } = createGeminiFiles({ ...dependencies, fetch }, geminiDialect, baseUrl)
  const uploads = new KeptUploads({ upload, remove, clock })
  return {
    chat: createGeminiChat(exchange, address, newToolCallId, uploads.fill),
    media: createGeminiMedia(exchange, address),
    relay: createGeminiRelay(exchange, address, uploads.fill),
    forgetFile: uploads.forgetFile,
    ...createGeminiVideo(unobserved, address, dependencies),
  }
}

/** `address`: of the API, with its version. `newToolCallId`: a fresh id of letters and digits. */
function createGeminiChat(
  exchange: Pick<Exchange, 'callJson' | 'open'>,
  address: string,
  newToolCallId: () => string,
  fill: FillBody,
): ChatUpstream {
  const writeBody = (body: object, large: LargeFiles | undefined) =>
    large === undefined ? { body } : { keyedBody: fill(body, large) }
  const write = (call: ChatCall) => writeBody(convertChatRequest(call), call.request.largeFiles)
  const locate = ({ model }: ChatCall, verb: string) => `${address}/models/${model.upstreamId}:${verb}`
  return Object.freeze<ChatUpstream>({
    complete: async (call, signal, team) => {
      const request = { url: locate(call, 'generateContent'), ...write(call) }
      const { json, upstreamKey } = await exchange.callJson({ ...request, endpoint: 'chat', signal, team })
      return mapChatResponse(json, newToolCallId, upstreamKey)
    },

    stream: async (call, signal, team) => {
      const url = locate(call, 'streamGenerateContent?alt=sse')
      const stream = await exchange.open({ url, ...write(call), endpoint: 'chat', signal, team })
      return new ChatEventReader(stream, new GeminiAnswer(stream, newToolCallId))
    },

    countTokens: async (call, signal, team) => {
      const { contents, systemInstruction, tools, generationConfig } = convertChatRequest(call)
      const { responseMimeType, responseJsonSchema } = generationConfig
      const generateContentRequest = {
        model: `models/${call.model.upstreamId}`,
        contents,
        ...(systemInstruction === undefined ? {} : { systemInstruction }),
        ...(tools === undefined ? {} : { tools }),
        // The schema is part of the input; nothing else in the configuration is.
        ...(responseJsonSchema === undefined
          ? {}
          : { generationConfig: { responseMimeType, responseJsonSchema } }),
      }
      const request = {
        url: locate(call, 'countTokens'),
        ...writeBody({ generateContentRequest }, forCounting(call.request.largeFiles)),
      }
      const report = reportTotalTokens(
        (await exchange.callJson({ ...request, endpoint: 'chat', signal, team })).json,
      )
      return report.kind === 'reported' ? report.usage.inputTokens : null
    },
  })
}
