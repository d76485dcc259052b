// The media upstream that speaks the vendor's API: converts, calls, maps.
import type {
  EmbeddingsCall,
  ImageCall,
  MediaUpstream,
  MusicCall,
  SpeechCall,
  TranscriptionCall,
} from '../media-port.ts'
import type { UsageReport } from '../port.ts'
import type { UpstreamEndpoint } from '../timeouts.ts'
import { reportTotalTokens } from './chat/read-total-tokens.ts'
import type { GeminiClient } from './gemini-client.ts'
import { buildMusicBody, buildSpeechBody, mapMusicReply, mapSpeechReply } from './media/map-audio.ts'
import { buildEmbeddingsBody, mapEmbeddings } from './media/map-embeddings.ts'
import { buildImageBody, buildPredictBody, mapImageReply, mapPredictReply } from './media/map-images.ts'
import { buildTranscriptionBody, mapTranscriptionReply } from './media/map-transcription.ts'

export function createGeminiMedia(client: Pick<GeminiClient, 'call'>): MediaUpstream {
  const generate = (endpoint: UpstreamEndpoint, upstreamId: string, body: object) =>
    client.call({ path: `models/${upstreamId}:generateContent`, body, endpoint, signal: null })
  return Object.freeze({
    makeImages: async (call: ImageCall) => {
      const { upstreamId } = call.model
      if (call.model.modality !== 'imggen')
        return mapImageReply(await generate('images', upstreamId, buildImageBody(call)))
      const path = `models/${upstreamId}:predict`
      const body = buildPredictBody(call)
      return mapPredictReply(await client.call({ path, body, endpoint: 'images', signal: null }))
    },
    speak: async (call: SpeechCall) =>
      mapSpeechReply(await generate('speech', call.model.upstreamId, buildSpeechBody(call))),
    makeMusic: async (call: MusicCall) =>
      mapMusicReply(await generate('music', call.model.upstreamId, buildMusicBody(call))),
    // Embeddings are answered without usage: their tokens are counted beside them, free of charge.
    embed: async (call: EmbeddingsCall) => {
      const path = `models/${call.model.upstreamId}`
      const contents = call.texts.map(text => ({ role: 'user', parts: [{ text }] }))
      const ask = (method: string, body: object) =>
        client.call({ path: `${path}:${method}`, body, endpoint: 'embeddings', signal: null })
      const [reply, usage] = await Promise.all([
        ask('batchEmbedContents', buildEmbeddingsBody(call)),
        ask('countTokens', { contents }).then(reportTotalTokens, (): UsageReport => ({ kind: 'absent' })),
      ])
      return { vectors: mapEmbeddings(reply, call.texts.length), usage }
    },
    transcribe: async (call: TranscriptionCall) =>
      mapTranscriptionReply(
        await generate('transcription', call.model.upstreamId, buildTranscriptionBody(call)),
      ),
  })
}
