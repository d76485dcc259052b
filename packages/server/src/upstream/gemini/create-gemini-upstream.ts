// The vendor as an upstream: chat, media, videos and the pass-through, over one exchange and one ring of keys.

import type { CatalogModel } from '../../catalog/types.ts'
import { ChatEventReader } from '../chat-events.ts'
import type { Upstream } from '../choose-upstream.ts'
import { type Dialect, Exchange, type ExchangeDependencies } from '../exchange.ts'
import type { KeyRing } from '../key-ring.ts'
import type { MediaUpstream } from '../media-port.ts'
import type { ChatCall, ChatUpstream, UsageReport } from '../port.ts'
import type { GeminiRelay } from '../relay-port.ts'
import type { Resolve } from '../remote-media/find-public-address.ts'
import type { UpstreamEndpoint } from '../reply-limits.ts'
import type { VideoRelay, VideoUpstream } from '../video-port.ts'
import { convertChatRequest } from './chat/convert-chat-request.ts'
import { mapChatResponse } from './chat/map-chat-response.ts'
import { readTotalTokens, reportTotalTokens } from './chat/map-usage.ts'
import { GeminiAnswer } from './chat/streamed-answer.ts'
import { createGeminiRelay } from './create-gemini-relay.ts'
import { judgeGeminiKey, mapGeminiError, readRetryDelay } from './map-gemini-error.ts'
import { buildMusicBody, buildSpeechBody, mapMusicReply, mapSpeechReply } from './media/map-audio.ts'
import { buildEmbeddingsBody, mapEmbeddings } from './media/map-embeddings.ts'
import { buildImageBody, buildPredictBody, mapImageReply, mapPredictReply } from './media/map-images.ts'
import { buildTranscriptionBody, mapTranscriptionReply } from './media/map-transcription.ts'
import { createGeminiVideo } from './video/create-gemini-video.ts'

export type GeminiUpstreamDependencies = ExchangeDependencies & {
  /** Without a trailing slash. */
  readonly baseUrl: string
  readonly keys: KeyRing
  /** All addresses of a host, for files that the vendor keeps elsewhere. */
  readonly resolve: Resolve
  /** A fresh id for a tool call: letters and digits. */
  readonly newToolCallId: () => string
}

export type GeminiUpstream = Upstream & {
  readonly relay: GeminiRelay
  readonly video: VideoUpstream
  readonly videoRelay: VideoRelay
}

/** How the vendor is addressed, and how it says no. */
export const geminiDialect: Dialect = {
  writeHeaders: secret => ({ 'x-goog-api-key': secret }),
  mapError: mapGeminiError,
  readRetryDelay: ({ body }) => readRetryDelay(body),
  judgeKey: judgeGeminiKey,
}

export function createGeminiUpstream(dependencies: GeminiUpstreamDependencies): GeminiUpstream {
  const { baseUrl, keys, timers, fetch, resolve, newToolCallId } = dependencies
  const address = `${baseUrl}/v1beta`
  const exchange = new Exchange(dependencies, geminiDialect)
  // A look at an order under way says nothing of how long models take.
  const unobserved = new Exchange({ ...dependencies, observeUpstream: () => undefined }, geminiDialect)
  const { silenceMs } = dependencies.bounds
  return {
    chat: createGeminiChat(exchange, address, newToolCallId),
    media: createGeminiMedia(exchange, address),
    relay: createGeminiRelay(exchange, address),
    ...createGeminiVideo({ exchange: unobserved, address, baseUrl, keys, timers, fetch, resolve, silenceMs }),
  }
}

/** `address`: of the API, with its version. `newToolCallId`: a fresh id of letters and digits. */
function createGeminiChat(
  exchange: Pick<Exchange, 'callJson' | 'open'>,
  address: string,
  newToolCallId: () => string,
): ChatUpstream {
  const locate = ({ model }: ChatCall, verb: string) => `${address}/models/${model.upstreamId}:${verb}`
  return Object.freeze({
    complete: async (call: ChatCall, signal: AbortSignal | null) => {
      const request = { url: locate(call, 'generateContent'), body: convertChatRequest(call) }
      const reply = await exchange.callJson({ ...request, endpoint: 'chat', signal })
      return mapChatResponse(reply, newToolCallId)
    },

    stream: async (call: ChatCall, signal: AbortSignal) => {
      const request = { url: locate(call, 'streamGenerateContent?alt=sse'), body: convertChatRequest(call) }
      const stream = await exchange.open({ ...request, endpoint: 'chat', signal })
      return new ChatEventReader(stream, new GeminiAnswer(stream, newToolCallId))
    },

    countTokens: async (call: ChatCall, signal: AbortSignal) => {
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
      const request = { url: locate(call, 'countTokens'), body: { generateContentRequest } }
      return readTotalTokens(await exchange.callJson({ ...request, endpoint: 'chat', signal }))
    },
  })
}

/** `address`: of the API, with its version. Nothing here is stopped when its client leaves. */
function createGeminiMedia(exchange: Pick<Exchange, 'callJson'>, address: string): MediaUpstream {
  const ask = ({ upstreamId }: CatalogModel, verb: string, endpoint: UpstreamEndpoint, body: object) =>
    exchange.callJson({ url: `${address}/models/${upstreamId}:${verb}`, body, endpoint, signal: null })
  const generate = (model: CatalogModel, endpoint: UpstreamEndpoint, body: object) =>
    ask(model, 'generateContent', endpoint, body)
  return Object.freeze<MediaUpstream>({
    makeImages: async call =>
      call.model.modality === 'imggen'
        ? mapPredictReply(await ask(call.model, 'predict', 'images', buildPredictBody(call)))
        : mapImageReply(await generate(call.model, 'images', buildImageBody(call))),
    speak: async call => mapSpeechReply(await generate(call.model, 'speech', buildSpeechBody(call))),
    makeMusic: async call => mapMusicReply(await generate(call.model, 'music', buildMusicBody(call))),
    // Embeddings are answered without usage: their tokens are counted beside them, free of charge.
    embed: async call => {
      const contents = call.texts.map(text => ({ role: 'user', parts: [{ text }] }))
      const [reply, usage] = await Promise.all([
        ask(call.model, 'batchEmbedContents', 'embeddings', buildEmbeddingsBody(call)),
        ask(call.model, 'countTokens', 'embeddings', { contents }).then(
          reportTotalTokens,
          (): UsageReport => ({ kind: 'absent' }),
        ),
      ])
      return { vectors: mapEmbeddings(reply, call.texts.length), usage }
    },
    transcribe: async call =>
      mapTranscriptionReply(await generate(call.model, 'transcription', buildTranscriptionBody(call))),
  })
}
