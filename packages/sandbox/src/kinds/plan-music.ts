// Plans the answer of a music model: a plan of the music as text, and silence of its length as MP3 or WAV.
import { countTokens } from '../count-tokens.ts'
import { invalid } from '../json.ts'
import { writeMp3 } from '../media/mp3.ts'
import { writeWav } from '../media/wav.ts'
import { type Answer, inlineData, plainAnswer } from '../reply/answer.ts'
import type { PlanFacts } from '../reply/plan-reply.ts'
import { audioTokensPerSecond } from './plan-speech.ts'

const clipSeconds = 30
const songSeconds = 180
const cd = { rate: 44_100, channels: 2 }

/** Throws VendorError 400 for WAV from the clip model and for types that are no audio. */
export function planMusic({ model, request, switches }: PlanFacts): Answer {
  const isClip = model.includes('-clip')
  const type = (request.format.mimeType ?? 'audio/mpeg').toLowerCase()
  const isWav = type === 'audio/wav' || type === 'audio/x-wav'
  if ((isWav && isClip) || (!isWav && type !== 'audio/mpeg' && type !== 'audio/mp3')) {
    throw invalid(`response_mime_type ${type} is not supported by models/${model}.`)
  }
  if (request.modalities?.includes('AUDIO') === false) {
    throw invalid('The response modalities of this model must include AUDIO.')
  }
  const seconds = switches.mediaSeconds ?? (isClip ? clipSeconds : songSeconds)
  const audio = isWav
    ? inlineData('audio/wav', writeWav(new Uint8Array(seconds * cd.rate * cd.channels * 2), cd))
    : inlineData('audio/mpeg', writeMp3(seconds))
  const text = `[0.0:${seconds.toFixed(1)}] Instrumental, in the manner of the prompt.`
  const tokens = seconds * audioTokensPerSecond
  return {
    ...plainAnswer,
    text,
    textTokens: countTokens(text),
    steps: [{ parts: [audio], candidates: tokens }],
    candidatesDetails: [{ modality: 'AUDIO', tokenCount: tokens }],
    goods: { songs: 1, outputAudioTokens: tokens },
  }
}
