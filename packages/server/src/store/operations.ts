// The store's vocabulary: every statement that the server may run, by name, divided into reads and writes.
import { readTotals, sumCharges } from './statements/charges.ts'
import { commitLedger } from './statements/ledger-batch.ts'
import { chargeInterruptedStreams } from './statements/open-streams.ts'

/** Run without a transaction; on SQLite by the reading worker. */
export const readStatements = { readTotals, sumCharges }

/** Each runs in one transaction; on SQLite by the writing worker, one after the other. */
export const writeStatements = { commitLedger, chargeInterruptedStreams }
