// Converts the units of a charge to tokens, for the record of the call and its log line.
import type { Unit, Units } from './price.ts'

export const inputUnits = [
  'inputText',
  'inputAudio',
  'inputImage',
  'inputVideo',
  'cachedInput',
  'cacheWrite5m',
  'cacheWrite1h',
] as const
export const outputUnits = ['outputText', 'reasoning', 'outputAudio', 'outputImage'] as const

/** Tokens from and for a cache are input, reasoning is output. Characters, images and seconds are not tokens. */
export function countTokens(units: Units): { readonly input: number; readonly output: number } {
  return { input: sumUnits(units, inputUnits), output: sumUnits(units, outputUnits) }
}

function sumUnits(units: Units, names: readonly Unit[]): number {
  return names.reduce((sum, name) => sum + (units[name] ?? 0), 0)
}
