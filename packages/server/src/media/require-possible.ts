// Refuses sound that cannot be: a sampling rate that no recording has and no encoder takes.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { Pcm } from './pcm.ts'

const lowestRate = 8000
const highestRate = 192_000

/** Throws ApiError `upstream_error`. */
export function requirePossible(pcm: Pcm): Pcm {
  const { rate } = pcm
  if (Number.isInteger(rate) && rate >= lowestRate && rate <= highestRate) return pcm
  throw new ApiError('upstream_error', {
    message: 'The model provider sent audio with a sampling rate that cannot be.',
  })
}
