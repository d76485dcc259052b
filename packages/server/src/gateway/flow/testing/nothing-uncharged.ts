// No call has ever used more than its hold.
import { oneInMillionths } from '../../../ledger/hold-ratio.ts'
import type { Uncharged } from '../admit.ts'

export const nothingUncharged: Uncharged = {
  findRatio: () => oneInMillionths,
  follow: async () => undefined,
}
