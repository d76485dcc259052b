// POST /audio/speech: speech from a text, or a piece of music (spec 4.1).
import { type SpeechRequest, speechRequestSchema } from '@fairgate/contracts/audio/speech-request.ts'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import Type from 'typebox'
import { defineRoute } from '../../../http/route.ts'
import type { Pcm } from '../../../media/pcm.ts'
import { buildWav } from '../../../media/pcm.ts'
import type { UsageReport } from '../../../upstream/port.ts'
import { planUnits } from '../../flow/admit.ts'
import type { Caller } from '../../flow/authenticate.ts'
import { paidCallErrors } from '../../flow/call-errors.ts'
import { findAllowedModel } from '../../flow/find-model.ts'
import { sumUsage } from '../../flow/meter.ts'
import type { EndpointParts } from '../endpoint-parts.ts'
import { writeEvents } from '../write-events.ts'
import { planSpeech, readMusicCall, readSpeechCall } from './plan-speech.ts'

const contentTypes = {
  mp3: 'audio/mpeg',
  opus: 'audio/opus',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
} as const

const audioReply = (contentMediaType: string) => Type.String({ contentMediaType, description: 'The audio' })

type MadeAudio = {
  readonly bytes: Uint8Array
  readonly format: keyof typeof contentTypes
  readonly usage: UsageReport
}

type Headers = Readonly<Record<string, string>>

export function audioSpeechRoute({ paidCall, catalog, media, encodeAudio }: EndpointParts) {
  const encode = async (pcm: Pcm, format: keyof typeof contentTypes): Promise<Uint8Array> => {
    if (format === 'wav') return buildWav(pcm)
    if (format === 'pcm') return pcm.samples
    return encodeAudio(pcm, format).catch(cause => {
      throw new ApiError('upstream_error', {
        message: 'The model provider sent audio that could not be encoded.',
        cause,
      })
    })
  }
  const send = (
    { stream_format }: SpeechRequest,
    { bytes, format, usage }: MadeAudio,
    headers: Headers,
  ): Response =>
    stream_format === 'sse'
      ? writeEvents(buildSpeechEvents(bytes, usage), headers)
      : new Response(bytes, { headers: { ...headers, 'content-type': contentTypes[format] } })

  return defineRoute<Caller, typeof speechRequestSchema, undefined>({
    method: 'POST',
    path: '/v1/audio/speech',
    tag: 'Audio',
    summary: 'Create speech or music from text',
    description:
      'The reply is the audio itself. Speech comes as `mp3` (default), `opus` (in Ogg), `flac`, `wav` or `pcm` (signed 16-bit little-endian mono, 24 kHz); ' +
      'music as `mp3`, from some models also as `wav`. With `stream_format: "sse"` the audio arrives as events once all of it is ready. ' +
      'Music models only accept the voice `default` and have a fixed price per piece. ' +
      'The header `x-gateway-response-cost` has the cost in US dollars.',
    body: speechRequestSchema,
    replies: { 200: Object.values(contentTypes).map(audioReply) },
    errors: paidCallErrors,
    handle: (caller, call) => {
      const { body: request } = call
      const model = findAllowedModel(catalog, caller, request.model, 'speech', 'music')
      if (model.modality === 'music') {
        const wish = readMusicCall(request, model)
        return paidCall(caller, call, {
          plan: planUnits(model, 'music', { song: 1 }),
          translate: () => [wish],
          ask: asked => media.makeMusic(asked, caller.team.teamId),
          respond: ([{ audio, usage }], headers) =>
            send(request, { bytes: requireAudio(audio), format: wish.format, usage }, headers),
        })
      }
      const { call: wish, format } = readSpeechCall(request, model)
      return paidCall(caller, call, {
        plan: planSpeech(wish),
        translate: () => [wish],
        ask: asked => media.speak(asked, caller.team.teamId),
        respond: async ([{ audio, usage }], headers) => {
          const bytes = await encode(requireAudio(audio), format)
          return send(request, { bytes, format, usage }, headers)
        },
      })
    },
  })
}

function requireAudio<Audio>(audio: Audio | null): Audio {
  if (audio !== null) return audio
  throw new ApiError('content_policy_violation', {
    param: 'input',
    message: 'The model returned no audio. Change the input. Any usage that the model reports is charged.',
  })
}

/** Piece size of the audio before Base64: small enough to be sent while the next one is written. */
const bytesPerEvent = 48 * 1024

/**
 * The events of `stream_format: "sse"`: the audio in pieces, then its usage. Music and speech billed by the character have no tokens,
 * so their usage is 0.
 */
function* buildSpeechEvents(audio: Uint8Array, usage: UsageReport) {
  for (let start = 0; start < audio.byteLength; start += bytesPerEvent) {
    const piece = audio.subarray(start, start + bytesPerEvent)
    const base64 = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString('base64')
    yield { type: 'speech.audio.delta', audio: base64 }
  }
  const { inputTokens, outputTokens } = sumUsage([usage])
  yield {
    type: 'speech.audio.done',
    usage: {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      total_tokens: inputTokens + outputTokens,
    },
  }
}
