// The media upstream that speaks the vendor's API: converts, calls, maps.
import type { ImageCall, MediaUpstream, MusicCall, SpeechCall, TranscriptionCall } from '../media-port.ts'
import { buildMusicBody, buildSpeechBody, mapMusicReply, mapSpeechReply } from './media/map-audio.ts'
import { buildImageBody, buildPredictBody, mapImageReply, mapPredictReply } from './media/map-images.ts'
import { buildTranscriptionBody, mapTranscriptionReply } from './media/map-transcription.ts'
import type { VendorClient } from './vendor-client.ts'

export function createVendorMedia(client: Pick<VendorClient, 'call'>): MediaUpstream {
  const generate = (upstreamId: string, body: object) =>
    client.call({ path: `models/${upstreamId}:generateContent`, body, signal: null })
  return Object.freeze({
    makeImages: async (call: ImageCall) => {
      const { upstreamId } = call.model
      if (call.model.modality !== 'imggen')
        return mapImageReply(await generate(upstreamId, buildImageBody(call)))
      const path = `models/${upstreamId}:predict`
      return mapPredictReply(await client.call({ path, body: buildPredictBody(call), signal: null }))
    },
    speak: async (call: SpeechCall) =>
      mapSpeechReply(await generate(call.model.upstreamId, buildSpeechBody(call))),
    makeMusic: async (call: MusicCall) =>
      mapMusicReply(await generate(call.model.upstreamId, buildMusicBody(call))),
    transcribe: async (call: TranscriptionCall) =>
      mapTranscriptionReply(await generate(call.model.upstreamId, buildTranscriptionBody(call))),
  })
}
