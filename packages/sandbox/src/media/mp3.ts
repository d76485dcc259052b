// Writes silent MP3: MPEG-1 Layer III, 128 kbit/s, 44.1 kHz, stereo, frame by frame.

const rate = 44_100
const samplesPerFrame = 1_152
const bitsPerSecond = 128_000

/**
 * Whole frames for at least this many seconds. Side information and data of a frame are zeros, which decoders
 * read as silence. Some frames carry a byte of padding, so that size and bit rate give the true length.
 */
export function writeMp3(seconds: number): Uint8Array {
  const frames = Math.max(1, Math.ceil((seconds * rate) / samplesPerFrame))
  const endOf = (frame: number) => Math.floor((frame * samplesPerFrame * bitsPerSecond) / 8 / rate)
  const mp3 = new Uint8Array(endOf(frames))
  for (let frame = 0; frame < frames; frame += 1) {
    const start = endOf(frame)
    const isPadded = endOf(frame + 1) - start === 418
    mp3.set([0xff, 0xfb, isPadded ? 0x92 : 0x90, 0x00], start)
  }
  return mp3
}
