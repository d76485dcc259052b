// The media upstream that speaks to any OpenAI-compatible server: converts, calls, maps.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { Exchange } from '../exchange.ts'
import type { MediaUpstream } from '../media-port.ts'
import type { UpstreamEndpoint } from '../reply-limits.ts'
import { buildEmbeddingsBody, mapEmbeddingsReply } from './media/map-embeddings.ts'
import { buildEditForm, buildImageBody, mapImageReply } from './media/map-images.ts'
import { buildSpeechBody, mapSpeechReply } from './media/map-speech.ts'
import { buildTranscriptionForm, mapTranscriptionReply } from './media/map-transcription.ts'

/** Nothing here is stopped when its client leaves. */
export function createOpenaiMedia(
  exchange: Pick<Exchange, 'call' | 'callJson'>,
  baseUrl: string,
): MediaUpstream {
  const write = (path: string, endpoint: UpstreamEndpoint, body: object) => ({
    url: `${baseUrl}/${path}`,
    body,
    endpoint,
    signal: null,
  })
  const ask = (path: string, endpoint: UpstreamEndpoint, body: object) =>
    exchange.callJson(write(path, endpoint, body))
  return Object.freeze<MediaUpstream>({
    makeImages: async call => {
      const reply =
        call.images.length === 0
          ? await ask('images/generations', 'images', buildImageBody(call))
          : await ask('images/edits', 'images', buildEditForm(call))
      return mapImageReply(reply, call)
    },
    speak: call =>
      exchange.call(write('audio/speech', 'speech', buildSpeechBody(call)), async reply => {
        const { buffer, byteOffset, byteLength } = await reply.bytes()
        const type = reply.headers.get('content-type') ?? ''
        return mapSpeechReply(call, type, Buffer.from(buffer, byteOffset, byteLength))
      }),
    // The catalog lets no music model have this kind of upstream.
    makeMusic: async () => {
      throw new ApiError('internal')
    },
    embed: async call =>
      mapEmbeddingsReply(await ask('embeddings', 'embeddings', buildEmbeddingsBody(call)), call.texts.length),
    transcribe: async call =>
      mapTranscriptionReply(await ask('audio/transcriptions', 'transcription', buildTranscriptionForm(call))),
  })
}
