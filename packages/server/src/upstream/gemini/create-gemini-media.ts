// The media upstream that speaks the vendor's API: converts, calls, maps.
import type { CatalogModel } from '../../catalog/types.ts'
import type { Exchange } from '../exchange.ts'
import type { MediaUpstream } from '../media-port.ts'
import type { UsageReport } from '../port.ts'
import type { UpstreamEndpoint } from '../reply-limits.ts'
import { reportTotalTokens } from './chat/read-total-tokens.ts'
import { buildMusicBody, buildSpeechBody, mapMusicReply, mapSpeechReply } from './media/map-audio.ts'
import { buildEmbeddingsBody, mapEmbeddings } from './media/map-embeddings.ts'
import { buildImageBody, buildPredictBody, mapImageReply, mapPredictReply } from './media/map-images.ts'
import { buildTranscriptionBody, mapTranscriptionReply } from './media/map-transcription.ts'

/** `address`: of the API, with its version. Nothing here is stopped when its client leaves. */
export function createGeminiMedia(exchange: Pick<Exchange, 'callJson'>, address: string): MediaUpstream {
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
