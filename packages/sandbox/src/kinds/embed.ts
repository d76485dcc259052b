// Turns a text into a vector of length 1, always the same for the same text. It does not reflect meaning.
import { createDraw } from '../media/hash.ts'

export function embed(text: string, dimensions: number): number[] {
  const draw = createDraw(text)
  const raw = Array.from({ length: dimensions }, () => draw() * 2 - 1)
  const length = Math.hypot(...raw) || 1
  return raw.map(value => value / length)
}
