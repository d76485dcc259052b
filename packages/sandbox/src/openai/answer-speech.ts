// audio/speech of an OpenAI-compatible upstream: audio as long as the text, as MP3, WAV or bare PCM.
import { countTokens } from '../count-tokens.ts'
import { invalid } from '../json.ts'
import { writeMp3 } from '../media/mp3.ts'
import { speechRate, writeSine } from '../media/sine.ts'
import { writeWav } from '../media/wav.ts'
import type { OpenaiCall } from './openai-call.ts'

const charactersPerSecond = 15
const longest = 60
const period = 100

/** Throws VendorError 400 without a text or a voice, and for other formats. */
export function answerSpeech({ body, model, switches, tools }: OpenaiCall): Response {
  const { input, voice, response_format: format = 'mp3' } = body
  if (typeof input !== 'string' || input === '') throw invalid("'input' is required.")
  if (typeof voice !== 'string' || voice === '') throw invalid("'voice' is required.")
  const spoken = Math.min(longest, Math.max(0.2, Array.from(input).length / charactersPerSecond))
  const seconds = switches.mediaSeconds ?? spoken
  const bill = () => {
    const usage = { prompt: countTokens(input), cached: 0, candidates: 0, thoughts: 0 }
    tools.counters.bill(model, usage)
  }
  const send = (bytes: Uint8Array, type: string) => {
    bill()
    return new Response(Uint8Array.from(bytes), { headers: { 'content-type': type } })
  }
  if (format === 'mp3') return send(writeMp3(seconds), 'audio/mpeg')
  const pcm = writeSine(seconds, period)
  if (format === 'wav') return send(writeWav(pcm, { rate: speechRate, channels: 1 }), 'audio/wav')
  if (format === 'pcm') return send(pcm, 'audio/pcm')
  throw invalid(`The sandbox speaks mp3, wav and pcm, not ${JSON.stringify(format)}.`)
}
