// POST /audio/transcriptions: transcribes a recording (spec 2.6, 4.1).
import {
  type TranscriptionRequest,
  transcriptionRequestSchema,
} from '@fairgate/contracts/audio/transcription-request.ts'
import {
  transcriptionSchema,
  verboseTranscriptionSchema,
} from '@fairgate/contracts/audio/transcription-response.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import Type from 'typebox'
import type { CatalogModel } from '../../../catalog/types.ts'
import { defineRoute } from '../../../http/route.ts'
import { readSeconds } from '../../../media/recording-length/read-seconds.ts'
import type { TranscriptionCall } from '../../../upstream/media-port.ts'
import type { Caller } from '../../flow/authenticate.ts'
import { paidCallErrors } from '../../flow/call-errors.ts'
import { findAllowedModel } from '../../flow/find-model.ts'
import type { EndpointParts } from '../endpoint-parts.ts'
import { planTranscription, type Recording, readRecording } from './plan-transcription.ts'
import { writeTranscript } from './write-transcript.ts'

const transcriptForms = [
  Type.Union([transcriptionSchema, verboseTranscriptionSchema], {
    description: 'The transcript, with more detail for `verbose_json`',
  }),
  ...['text/plain', 'application/x-subrip', 'text/vtt'].map(contentMediaType =>
    Type.String({ contentMediaType, description: 'The transcript' }),
  ),
]

export function audioTranscriptionsRoute({ paidCall, catalog, media, maxBodyBytes }: EndpointParts) {
  return defineRoute<Caller, typeof transcriptionRequestSchema, undefined>({
    method: 'POST',
    path: '/v1/audio/transcriptions',
    tag: 'Audio',
    summary: 'Transcribe audio',
    description:
      'Send multipart/form-data. `response_format`: `json` (default), `text`, `verbose_json` with times, `srt`, `vtt`. ' +
      'With `stream=true` the text arrives as events once the whole transcript is ready. ' +
      'The header `x-gateway-response-cost` has the cost in US dollars.',
    bodyKind: 'form',
    body: transcriptionRequestSchema,
    maxBodyBytes,
    replies: { 200: transcriptForms },
    errors: paidCallErrors,
    handle: async (caller, call) => {
      const { body: request } = call
      refuseOtherForms(request)
      const model = findAllowedModel(catalog, caller, request.model, 'transcription')
      const recording = await readRecording(request.file)
      const wish = buildCall(request, model, recording)
      const seconds = wish.needsTimes ? readSeconds(recording.audio, recording.mimeType) : null
      return paidCall(caller, call, {
        plan: planTranscription(wish, recording.longestSeconds),
        translate: () => [wish],
        ask: asked => media.transcribe(asked, caller.team.teamId),
        respond: ([result], headers) => writeTranscript(result, request, seconds, headers),
      })
    },
  })
}

/** Throws ApiError `invalid_request` for an answer format that is not supported. */
function refuseOtherForms({
  stream,
  include,
  response_format: format = 'json',
  timestamp_granularities: granularities,
}: TranscriptionRequest): void {
  if (stream === 'true' && format !== 'json') {
    throw invalidRequest('response_format', 'With stream=true, response_format must be json.')
  }
  if (granularities !== undefined && format !== 'verbose_json') {
    throw invalidRequest(
      'timestamp_granularities',
      'timestamp_granularities needs response_format=verbose_json.',
    )
  }
  if (include !== undefined) {
    throw invalidRequest('include', 'include is not supported: transcripts have no log probabilities.')
  }
}

const timedFormats: readonly string[] = ['verbose_json', 'srt', 'vtt']

function buildCall(
  request: TranscriptionRequest,
  model: CatalogModel,
  { audio, mimeType }: Recording,
): TranscriptionCall {
  const words = request.prompt?.match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu) ?? []
  return {
    model,
    audio,
    mimeType,
    language: request.language ?? null,
    prompt: request.prompt || null,
    vocabulary: [...new Set(words)].slice(0, 100),
    needsTimes: timedFormats.includes(request.response_format ?? 'json'),
  }
}
