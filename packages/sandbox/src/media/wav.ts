// Writes and measures WAV: 16-bit PCM after a RIFF header of 44 bytes.

export type PcmFormat = { readonly rate: number; readonly channels: number }

export function writeWav(pcm: Uint8Array, { rate, channels }: PcmFormat): Uint8Array {
  const wav = new Uint8Array(44 + pcm.length)
  const view = new DataView(wav.buffer)
  const name = (text: string, offset: number) => wav.set(new TextEncoder().encode(text), offset)
  name('RIFF', 0)
  view.setUint32(4, 36 + pcm.length, true)
  name('WAVEfmt ', 8)
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, channels, true)
  view.setUint32(24, rate, true)
  view.setUint32(28, rate * channels * 2, true)
  view.setUint16(32, channels * 2, true)
  view.setUint16(34, 16, true)
  name('data', 36)
  view.setUint32(40, pcm.length, true)
  wav.set(pcm, 44)
  return wav
}

/**
 * The length of a WAV as a decoder plays it: all audio bytes, by sample rate, channels and depth. The header's byte rate
 * and chunk size are ignored, since they can be wrong. Null for anything else.
 */
export function readWavSeconds(bytes: Uint8Array): number | null {
  const nameAt = (offset: number) => String.fromCharCode(...bytes.subarray(offset, offset + 4))
  if (nameAt(0) !== 'RIFF' || nameAt(8) !== 'WAVE') return null
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let bytesPerSecond = 0
  for (let offset = 12; offset + 8 <= bytes.length; ) {
    const size = view.getUint32(offset + 4, true)
    if (nameAt(offset) === 'fmt ' && offset + 24 <= bytes.length) {
      const channels = view.getUint16(offset + 10, true)
      bytesPerSecond = (view.getUint32(offset + 12, true) * channels * view.getUint16(offset + 22, true)) / 8
    }
    if (nameAt(offset) === 'data')
      return bytesPerSecond === 0 ? null : (bytes.length - offset - 8) / bytesPerSecond
    offset += 8 + size + (size % 2)
  }
  return null
}
