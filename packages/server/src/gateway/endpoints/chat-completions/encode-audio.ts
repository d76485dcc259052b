// Audio of an answer in the form that was asked for: the upstream sends raw samples, a WAV file has a header before them.
import type { DataUrl } from '@fairgate/contracts/chat/data-url.ts'
import { buildWav } from '../../../media/build-wav.ts'

const defaultSampleRate = 24_000

/** Base64. Anything but raw samples is handed on as it came. */
export function encodeAudio(audio: DataUrl, format: 'pcm16' | 'wav'): string {
  if (format !== 'wav' || !/^audio\/(?:l16|pcm)\b/i.test(audio.mimeType)) return audio.base64
  const samples = Buffer.from(audio.base64, 'base64')
  const rate = Number(/\brate=(\d{4,6})\b/.exec(audio.mimeType)?.[1] ?? defaultSampleRate)
  return Buffer.from(buildWav({ samples, rate })).toString('base64')
}
