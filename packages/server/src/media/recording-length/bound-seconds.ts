// The most seconds that a recording can have, from what its sender cannot bend: the bytes themselves.
import { readSeconds } from './read-seconds.ts'
import { findPlainAudio } from './wav.ts'

/** 8 kbit/s, the lowest rate that speech is packed at. */
const fewestBytesPerSecond = 1000

/** Only plain samples of a WAV are measured: their rate is certain, so the number of bytes is the length. */
export function boundWavSeconds(head: Buffer, bytes: number): number {
  const audio = findPlainAudio(head)
  return audio === null ? bytes / fewestBytesPerSecond : (bytes - audio.start) / audio.bytesPerSecond
}

/** For packed audio the dearer of two readings: what the container says of itself, and the bytes at the lowest rate. */
export function boundSeconds(audio: Uint8Array, mimeType: string): number {
  const file = Buffer.from(audio.buffer, audio.byteOffset, audio.byteLength)
  if (mimeType === 'audio/wav') return boundWavSeconds(file, file.length)
  return Math.max(file.length / fewestBytesPerSecond, readSeconds(file, mimeType) ?? 0)
}
