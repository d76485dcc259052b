// Recordings with false headers are never measured shorter than a player plays them.
//
// Shown to fail on the previous build, which divided by the declared byte rate: 1 s of 2,400 s.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { writeLyingWav } from '../testing/lying-media.ts'
import { boundSeconds } from './read-seconds.ts'

const honest = 8000
const read = (name: string) => readFileSync(new URL(`__fixtures__/${name}`, import.meta.url))

function change(edit: (file: Buffer) => void, seconds = 10): Buffer {
  const file = writeLyingWav(seconds, honest)
  edit(file)
  return file
}

/** Another chunk in front of the audio. */
const insert = (chunk: Buffer) => {
  const file = writeLyingWav(10, honest)
  return Buffer.concat([file.subarray(0, 36), chunk, file.subarray(36)])
}
const secondFormat = Buffer.from(writeLyingWav(1, 192_000).subarray(12, 36))

test.each([
  ['an honest header', writeLyingWav(2400, honest), 2400],
  ['a false byte rate', writeLyingWav(2400, 4_000_000_000), 19_200.044],
  ['a byte rate of 0', writeLyingWav(10, 0), 80.044],
  ['a false sample rate', change(file => file.writeUInt32LE(192_000, 24)), 80.044],
  ['false channels', change(file => file.writeUInt16LE(8, 22)), 80.044],
  ['a false depth', change(file => file.writeUInt16LE(64, 34)), 80.044],
  ['false samples of all channels', change(file => file.writeUInt16LE(16, 32)), 80.044],
  ['less audio declared than there is', change(file => file.writeUInt32LE(8, 40)), 10],
  ['a compressed format', change(file => file.writeUInt16LE(0x11, 20)), 80.044],
  ['an unknown format', change(file => file.writeUInt16LE(0xfffe, 20)), 80.044],
  ['a second format', insert(secondFormat), 80.068],
  ['another chunk before the audio', insert(Buffer.from('LIST\u0004\0\0\0abcd', 'latin1')), 10],
  ['no audio', writeLyingWav(10, honest).subarray(0, 36), 0.036],
])('%s', (_, file, seconds) => expect(boundSeconds(file, 'audio/wav')).toBeCloseTo(seconds, 9))

test('packed audio: the bytes at the lowest rate, or more if the container says so', () => {
  const opus = read('opus.ogg')
  expect(boundSeconds(opus, 'audio/ogg')).toBeCloseTo(Math.max(opus.length / 1000, 0.7), 9)
  expect(boundSeconds(opus.subarray(0, 0), 'audio/ogg')).toBe(0)
  const long = Buffer.from(opus)
  long.writeBigInt64LE(48_000n * 7200n, long.lastIndexOf('OggS') + 6)
  expect(boundSeconds(long, 'audio/ogg')).toBeGreaterThan(7199)
})
