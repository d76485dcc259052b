// Checks that every record of judging is as it was written, and that none was removed.
import type { JudgingVerification } from '@fairgate/contracts/judging/scores.ts'
import { isJudgingSealed } from '../store/statements/judging-records.ts'
import type { Store } from '../store/store.ts'

const recordsPerPage = 500

export async function verifyJudging(
  read: Pick<Store['read'], 'readSealedJudging'>,
): Promise<JudgingVerification> {
  for (let last = 0; ; ) {
    const rows = await read.readSealedJudging({ after: last, limit: recordsPerPage })
    if (rows.length === 0) return { ok: true, records: last, problem: null }
    for (const row of rows) {
      const kind = row.seq !== last + 1 ? 'missing' : isJudgingSealed(row) ? null : 'altered'
      if (kind !== null) return { ok: false, records: last, problem: { seq: last + 1, kind } }
      last = row.seq
    }
  }
}
