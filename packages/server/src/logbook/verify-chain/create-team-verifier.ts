// Binds the check of a team's chain to the store.

import { emptyChain } from '../../store/statements/entry-chain.ts'
import type { Store } from '../../store/store.ts'
import { type ChainReport, verifyTeamChain } from './verify-team-chain.ts'

const rowsPerPage = 500

export function createTeamVerifier(
  read: Pick<Store['read'], 'readBoard' | 'readEntriesAfter'>,
): (teamId: string) => Promise<ChainReport> {
  return teamId =>
    verifyTeamChain({
      readPage: afterSeq => read.readEntriesAfter({ teamId, afterSeq, limit: rowsPerPage }),
      readHead: async () => {
        const board = await read.readBoard({ teamId })
        return board === undefined
          ? { seq: 0, chain: emptyChain }
          : { seq: board.headSeq, chain: board.headChain }
      },
    })
}
