// Derives repeatable numbers from a prompt or a file, for colours, words and vectors.
import { createHash } from 'node:crypto'

export function hash(content: string | Uint8Array): Buffer {
  return createHash('sha256').update(content).digest()
}

export function pickColour(prompt: string): [number, number, number] {
  const digest = hash(prompt)
  return [digest.readUInt8(0), digest.readUInt8(1), digest.readUInt8(2)]
}

/** An endless sequence of numbers from 0 to 1, from a seed (mulberry32). */
export function createDraw(content: string | Uint8Array): () => number {
  let state = hash(content).readUInt32LE(0)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
