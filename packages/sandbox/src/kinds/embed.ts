// Text → a vector of length 1 that is always the same for it; nearness in meaning it does not know.
import { createDraw } from '../media/hash.ts'

export function embed(text: string, dimensions: number): number[] {
  const draw = createDraw(text)
  const raw = Array.from({ length: dimensions }, () => draw() * 2 - 1)
  const length = Math.hypot(...raw) || 1
  return raw.map(value => value / length)
}
