// Shows windows that the database has counted to the rules that decide by windows in memory.
import type { CountedLevel } from '../../ledger/decide-rates.ts'
import type { SeenWindow } from './admission-batch.ts'

export function countLevels(windows: readonly SeenWindow[]): CountedLevel[] {
  return windows.map(window => ({
    level: window.rate.level,
    requests:
      window.rate.requests === null
        ? null
        : {
            limit: window.rate.requests,
            window: {
              count: () => window.requests,
              nextFreeAt: () => window.requestFreeAt,
              emptyAt: () => window.requestsEmptyAt,
            },
          },
    tokens:
      window.rate.tokens === null
        ? null
        : {
            limit: window.rate.tokens,
            window: {
              count: () => window.tokens,
              nextFreeAt: () => window.tokensFreeAt,
              emptyAt: () => window.tokensEmptyAt,
            },
          },
  }))
}
