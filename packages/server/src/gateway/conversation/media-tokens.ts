// The most tokens that one attached image, recording or document can have.
import { countBytes } from '@fairgate/contracts/chat/data-url.ts'

export const imageTokens = 2600
const audioTokensPerSecond = 32
/** 8 kbit/s, the lowest rate of speech in MP3. */
const fewestBytesPerSecond = 1000
/** Models of the second generation bill 258, those of the third what an image has: 560, 1,120 at most unless asked otherwise. */
const tokensPerPage = 1120
/** A page of a PDF is hardly described in less. */
const fewestBytesPerPage = 1500
/** Enough of a WAV file to reach its format. */
const headerCharacters = 4096

export function audioTokens(base64: string, format: 'wav' | 'mp3'): number {
  const rate = format === 'wav' ? readWavRate(base64) : null
  const seconds = countBytes(base64) / (rate ?? fewestBytesPerSecond)
  return Math.max(audioTokensPerSecond, Math.ceil(seconds * audioTokensPerSecond))
}

export function documentTokens(base64: string): number {
  return tokensPerPage * countPages(base64)
}

/** The most pages that a PDF of this size can have. */
export function countPages(base64: string): number {
  return Math.max(1, Math.ceil(countBytes(base64) / fewestBytesPerPage))
}

/** Bytes per second of plain samples; null for what is no WAV file, is compressed, or contradicts itself. */
function readWavRate(base64: string): number | null {
  const bytes = Buffer.from(base64.slice(0, headerCharacters), 'base64')
  if (bytes.length < 44 || bytes.toString('latin1', 0, 4) !== 'RIFF') return null
  if (bytes.toString('latin1', 8, 12) !== 'WAVE') return null
  for (let at = 12; at + 24 <= bytes.length; at += 8 + bytes.readUInt32LE(at + 4)) {
    if (bytes.toString('latin1', at, at + 4) !== 'fmt ') continue
    const format = bytes.readUInt16LE(at + 8)
    const channels = bytes.readUInt16LE(at + 10)
    const samplesPerSecond = bytes.readUInt32LE(at + 12)
    const bits = bytes.readUInt16LE(at + 22)
    const isPlain = format === 1 || format === 3 || format === 0xfffe
    const isAudio = channels >= 1 && channels <= 8 && samplesPerSecond <= 192_000 && bits <= 64
    const rate = (samplesPerSecond * channels * bits) / 8
    return isPlain && isAudio && rate > 0 ? rate : null
  }
  return null
}
