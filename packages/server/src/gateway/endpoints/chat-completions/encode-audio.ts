// Audio of an answer in the form that was asked for: the upstream sends raw samples, a WAV file has a header before them.
import type { DataUrl } from '@fairgate/contracts/chat/data-url.ts'

const defaultSampleRate = 24_000
const headerBytes = 44

/** Base64. Anything but raw samples is handed on as it came. */
export function encodeAudio(audio: DataUrl, format: 'pcm16' | 'wav'): string {
  if (format !== 'wav' || !/^audio\/(?:l16|pcm)\b/i.test(audio.mimeType)) return audio.base64
  const samples = Buffer.from(audio.base64, 'base64')
  const sampleRate = Number(/\brate=(\d{4,6})\b/.exec(audio.mimeType)?.[1] ?? defaultSampleRate)
  return Buffer.concat([writeWavHeader(samples.length, sampleRate), samples]).toString('base64')
}

/** One channel, 16 bits. */
function writeWavHeader(length: number, sampleRate: number): Buffer {
  const header = Buffer.alloc(headerBytes)
  header.write('RIFF', 0)
  header.writeUInt32LE(headerBytes - 8 + length, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(sampleRate, 24)
  header.writeUInt32LE(sampleRate * 2, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36)
  header.writeUInt32LE(length, 40)
  return header
}
