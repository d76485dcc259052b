// Reads the length of a recording from its container, and bounds the length by its bytes. Nothing is decoded.
import { readAdtsSeconds } from './frames.ts'
import { readMp3Seconds } from './mp3.ts'
import { readMp4Seconds } from './mp4.ts'
import { readFlacSeconds, readOggSeconds } from './ogg.ts'
import type { Step } from './step.ts'
import { findPlainAudio, readWavSeconds } from './wav.ts'
import { readWebmSeconds } from './webm.ts'

/** Hours of the smallest frames, in at most 0.15 s: the serving thread does nothing else meanwhile. */
const maxParts = 300_000

/** Each throws RangeError for a file that ends too early, and returns null if the file gives no length. */
const readers: Readonly<Record<string, (file: Buffer, step: Step) => number | null>> = {
  'audio/wav': readWavSeconds,
  'audio/mp3': readMp3Seconds,
  'audio/mp4': readMp4Seconds,
  'audio/ogg': readOggSeconds,
  'audio/flac': readFlacSeconds,
  'audio/webm': readWebmSeconds,
  'audio/aac': readAdtsSeconds,
}

/** Seconds to the millisecond; null if the file is damaged, of another format than `mimeType`, or in too many parts. Never throws. */
export function readSeconds(file: Uint8Array, mimeType: string): number | null {
  const read = Object.hasOwn(readers, mimeType) ? readers[mimeType] : undefined
  if (read === undefined) return null
  let parts = 0
  const step = () => {
    parts += 1
    if (parts > maxParts) throw new RangeError('The file has too many parts.')
  }
  try {
    const seconds = read(Buffer.from(file.buffer, file.byteOffset, file.byteLength), step)
    const rounded = Math.round((seconds ?? 0) * 1000) / 1000
    return Number.isFinite(rounded) && rounded > 0 ? rounded : null
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** 8 kbit/s, the lowest rate at which speech is encoded. */
const fewestBytesPerSecond = 1000

/** Only plain samples of a WAV are measured: their rate is certain, so the number of bytes gives the length. */
export function boundWavSeconds(head: Buffer, bytes: number): number {
  const audio = findPlainAudio(head)
  return audio === null ? bytes / fewestBytesPerSecond : (bytes - audio.start) / audio.bytesPerSecond
}

/** For compressed audio, the longer of two readings: the length in the container, and the bytes at the lowest rate. */
export function boundSeconds(audio: Uint8Array, mimeType: string): number {
  const file = Buffer.from(audio.buffer, audio.byteOffset, audio.byteLength)
  if (mimeType === 'audio/wav') return boundWavSeconds(file, file.length)
  return Math.max(file.length / fewestBytesPerSecond, readSeconds(file, mimeType) ?? 0)
}
