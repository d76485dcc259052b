// Plans a request for audio: voice, format, and maximum cost for its model.
import {
  musicVoice,
  type SpeechFormat,
  type SpeechRequest,
  speechFormats,
} from '@fairgate/contracts/audio/speech-request.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { CatalogModel } from '../../../catalog/types.ts'
import { inputCeiling, inputEstimate } from '../../../ledger/estimate-tokens.ts'
import { costOf } from '../../../ledger/price.ts'
import { countCharacters, type MusicCall, type SpeechCall } from '../../../upstream/media-port.ts'
import { type CallPlan, planUnits } from '../../flow/admit.ts'

export type ReadSpeech = { readonly call: SpeechCall; readonly format: SpeechFormat }

/** Throws ApiError `invalid_request` for an unknown voice or format. */
export function readSpeechCall(request: SpeechRequest, model: CatalogModel): ReadSpeech {
  const voice = findVoice(request.voice, model)
  const format = findFormat(request, speechFormats)
  return { call: { model, text: request.input, instructions: request.instructions || null, voice }, format }
}

/** Voices are always known, unless the catalog has none: then any name goes upstream as is. */
function findVoice(asked: string, { voices }: CatalogModel): string {
  if (voices === null) return asked
  const voice = voices.find(name => name.toLowerCase() === asked.toLowerCase())
  if (voice !== undefined) return voice
  throw invalidRequest('voice', `'${asked}' is not a voice. Voices: ${voices.join(', ')}.`)
}

/** Throws ApiError `invalid_request` for a voice other than `default` or a format that the model does not have (spec 4.1). */
export function readMusicCall(request: SpeechRequest, model: CatalogModel): MusicCall {
  if (request.voice !== musicVoice) {
    throw invalidRequest('voice', `voice must be '${musicVoice}' for ${model.id}: put the lyrics in input.`)
  }
  return { model, prompt: request.input, format: findFormat(request, model.audioFormats) }
}

function findFormat<Format extends string>(request: SpeechRequest, formats: readonly Format[]): Format {
  const asked = request.response_format ?? 'mp3'
  const format = formats.find(name => name === asked)
  if (format !== undefined) return format
  throw invalidRequest(
    'response_format',
    `response_format must be one of ${formats.join(', ')} for ${request.model}, not '${asked}'.`,
  )
}

/** Slow speech: five audio tokens (a fifth of a second) per character, and two seconds of silence. */
const audioTokensPerCharacter = 5
const audioTokensOfSilence = 50

export function planSpeech(call: SpeechCall): CallPlan {
  const { model } = call
  const text = `${call.instructions ?? ''}${call.text}`
  if (model.price.tiers[0].rates.inputCharacter !== undefined)
    return planUnits(model, 'speech', { inputCharacter: countCharacters(call) })
  const bytes = Buffer.byteLength(text)
  const inputText = Math.min(inputCeiling(bytes, 1), model.contextLimit)
  const outputAudio = Math.min(text.length * audioTokensPerCharacter + audioTokensOfSilence, model.maxOutput)
  return {
    model,
    endpoint: 'speech',
    tokens: { input: inputEstimate(bytes, 1), output: Math.min(model.typicalOutput, outputAudio) },
    estimate: { kind: 'fixed', cost: costOf(model.price, { inputText, outputAudio }, inputText) },
  }
}
