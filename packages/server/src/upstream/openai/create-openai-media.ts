// The media upstream that speaks to any OpenAI-compatible server: converts, calls, maps.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type {
  EmbeddingsCall,
  ImageCall,
  MediaUpstream,
  SpeechCall,
  TranscriptionCall,
} from '../media-port.ts'
import { buildEmbeddingsBody, mapEmbeddingsReply } from './media/map-embeddings.ts'
import { buildEditForm, buildImageBody, mapImageReply } from './media/map-images.ts'
import { buildSpeechBody, mapSpeechReply } from './media/map-speech.ts'
import { buildTranscriptionForm, mapTranscriptionReply } from './media/map-transcription.ts'
import { type OpenaiClient, readJson } from './openai-client.ts'

export function createOpenaiMedia(client: Pick<OpenaiClient, 'call'>): MediaUpstream {
  return Object.freeze({
    makeImages: async (call: ImageCall) => {
      const request =
        call.images.length === 0
          ? { path: 'images/generations', body: buildImageBody(call) }
          : { path: 'images/edits', body: buildEditForm(call) }
      const reply = await client.call({ ...request, endpoint: 'images', signal: null }, readJson)
      return mapImageReply(reply, call)
    },
    speak: (call: SpeechCall) =>
      client.call(
        { path: 'audio/speech', body: buildSpeechBody(call), endpoint: 'speech', signal: null },
        async ({ headers, bytes }) => {
          const { buffer, byteOffset, byteLength } = await bytes()
          const type = headers.get('content-type') ?? ''
          return mapSpeechReply(call, type, Buffer.from(buffer, byteOffset, byteLength))
        },
      ),
    // The catalog lets no music model have this kind of upstream.
    makeMusic: async () => {
      throw new ApiError('internal')
    },
    embed: async (call: EmbeddingsCall) => {
      const request = { path: 'embeddings', body: buildEmbeddingsBody(call), endpoint: 'embeddings' } as const
      return mapEmbeddingsReply(await client.call({ ...request, signal: null }, readJson), call.texts.length)
    },
    transcribe: async (call: TranscriptionCall) => {
      const body = buildTranscriptionForm(call)
      const request = { path: 'audio/transcriptions', body, endpoint: 'transcription', signal: null } as const
      return mapTranscriptionReply(await client.call(request, readJson))
    },
  })
}
