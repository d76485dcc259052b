// Speech and music: our call → the body of generateContent; its reply → audio with usage.
import { readWav, requirePossible } from '../../../media/pcm.ts'
import type { MusicCall, MusicResult, SpeechCall, SpeechResult } from '../../media-port.ts'
import { readInlineData } from '../chat/read-parts.ts'
import { requireAnswer } from '../require-answer.ts'

/** The model takes instructions as part of the text. */
export function buildSpeechBody({ text, instructions, voice }: SpeechCall): object {
  const whole = instructions === null ? text : `${instructions}\n\n${text}`
  return {
    contents: [{ role: 'user', parts: [{ text: whole }] }],
    generationConfig: {
      responseModalities: ['AUDIO'],
      speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: voice } } },
    },
  }
}

const defaultRate = 24_000

/**
 * Bare samples, whose rate stands in the MIME type, or a WAV file: models differ. Throws ApiError `upstream_error` for an empty
 * reply and for a rate that no audio has.
 */
export function mapSpeechReply(reply: unknown): SpeechResult {
  const { record, usage } = requireAnswer(reply)
  const [first] = readInlineData(record, 'audio')
  if (first === undefined) return { audio: null, usage }
  const bytes = Buffer.from(first.base64, 'base64')
  const rate = Number(/\brate=([^;,\s]*)/i.exec(first.mimeType)?.[1] ?? defaultRate)
  return { audio: requirePossible(readWav(bytes) ?? { samples: bytes, rate }), usage }
}

export function buildMusicBody({ prompt, format }: MusicCall): object {
  const contents = [{ role: 'user', parts: [{ text: prompt }] }]
  if (format === 'mp3') return { contents }
  return { contents, generationConfig: { responseMimeType: 'audio/wav' } }
}

/** Music is billed per song, whatever tokens are reported. Throws ApiError `upstream_error` for an empty reply. */
export function mapMusicReply(reply: unknown): MusicResult {
  const { record } = requireAnswer(reply)
  const [first] = readInlineData(record, 'audio')
  if (first === undefined) return { audio: null, usage: { kind: 'counted', units: {} } }
  return { audio: Buffer.from(first.base64, 'base64'), usage: { kind: 'counted', units: { song: 1 } } }
}
