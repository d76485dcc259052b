// WAV: divides the bytes of the audio by the byte rate, or if it is compressed, the number of samples by the sampling rate.
import { listChunks } from '../pcm.ts'
import type { Step } from './step.ts'

/** Bytes of a `fmt ` chunk up to its depth. The extensible form has its true format after this many bytes. */
const formatBytes = 16
const subFormatOffset = 24
/** Integers, floats, and the header that names one of these further on. */
const extended = 0xfffe
const plainForms = [1, 3, extended]

export function readWavSeconds(file: Buffer, step: Step): number | null {
  let rate = 0
  let bytesPerSecond = 0
  let isPlain = true
  for (const { name, start, size } of listChunks(file)) {
    step()
    if (name === 'fmt ') {
      isPlain = plainForms.includes(file.readUInt16LE(start))
      rate = file.readUInt32LE(start + 4)
      bytesPerSecond = file.readUInt32LE(start + 8)
    }
    // Compressed audio gives its number of samples, because its byte rate is an average that programs get wrong.
    if (name === 'fact' && !isPlain && rate > 0) return file.readUInt32LE(start) / rate
    if (name === 'data') {
      // A program that writes into a pipe does not know the size; a file that was cut has less.
      const rest = file.length - start
      return bytesPerSecond === 0 ? null : Math.min(size === 0 ? rest : size, rest) / bytesPerSecond
    }
  }
  return null
}

type Audio = { readonly bytesPerSecond: number; readonly start: number }

/**
 * The rate of plain samples and the offset of the first one, for a bound that a false header cannot lower. Null for compressed audio, and
 * for a header that contradicts itself: a byte rate other than rate × channels × depth, or two formats. `file` may be the beginning of one.
 */
export function findPlainAudio(file: Buffer): Audio | null {
  let bytesPerSecond: number | null = null
  for (const { name, start, size } of listChunks(file)) {
    if (name === 'data') return bytesPerSecond === null ? null : { bytesPerSecond, start }
    if (name === 'fmt ') {
      if (bytesPerSecond !== null || size < formatBytes || start + size > file.length) return null
      bytesPerSecond = readPlainRate(file, start, size)
      if (bytesPerSecond === null) return null
    }
  }
  return null
}

function readPlainRate(file: Buffer, start: number, size: number): number | null {
  const form = file.readUInt16LE(start)
  const isExtended = form === extended && size >= subFormatOffset + 2
  const samples = isExtended ? file.readUInt16LE(start + subFormatOffset) : form
  const channels = file.readUInt16LE(start + 2)
  const rate = file.readUInt32LE(start + 4)
  const depth = file.readUInt16LE(start + 14)
  const bytesPerSample = (channels * depth) / 8
  const isPlain = samples === 1 || samples === 3
  const isAudio = channels >= 1 && channels <= 8 && rate >= 1 && rate <= 192_000 && depth >= 8 && depth <= 64
  const agrees =
    file.readUInt32LE(start + 8) === rate * bytesPerSample && file.readUInt16LE(start + 12) === bytesPerSample
  return isPlain && isAudio && agrees ? rate * bytesPerSample : null
}
