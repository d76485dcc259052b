// Writes a quiet tone as signed 16-bit little-endian mono PCM at 24 kHz, the format of the vendor's speech.

export const speechRate = 24_000
const amplitude = 2_000

/** `period` is the number of samples of one wave: 100 make 240 Hz. */
export function writeSine(seconds: number, period: number): Uint8Array {
  const samples = Math.round(seconds * speechRate)
  const pcm = new Uint8Array(samples * 2)
  const view = new DataView(pcm.buffer)
  const first = Math.min(period, samples)
  for (let index = 0; index < first; index += 1) {
    view.setInt16(index * 2, Math.round(amplitude * Math.sin((2 * Math.PI * index) / period)), true)
  }
  // One wave is computed, the rest copied.
  for (let written = first * 2; written < pcm.length; written += first * 2) {
    pcm.copyWithin(written, 0, Math.min(first * 2, pcm.length - written))
  }
  return pcm
}
