// The store's vocabulary: every statement that the server may run, by name, divided into reads and writes.
import { appendEntries } from './statements/append-entries.ts'
import { listAudit, recordCatalogChange } from './statements/audit.ts'
import { changeBoardLock } from './statements/board-changes.ts'
import { listBoards, readBoard } from './statements/boards.ts'
import { deleteOldCalls, findCall, readCallsPage, recordCalls } from './statements/calls.ts'
import { readTotals, sumCharges } from './statements/charges.ts'
import { agreeOnFact, readFacts, replaceFact } from './statements/deployment-facts.ts'
import {
  noteDirectoryVersion,
  readAppliedVersions,
  readCatalogHashes,
} from './statements/directory-followers.ts'
import { awaitDirectoryChanges } from './statements/directory-version.ts'
import { deleteKeys, insertKey, updateKey } from './statements/gateway-keys.ts'
import {
  claimIdempotentCall,
  deleteExpiredCalls,
  dropOldestReplies,
  endIdempotentCall,
  readIdempotentReply,
  sumReplyBytes,
} from './statements/idempotent-calls.ts'
import { commitLedger } from './statements/ledger-batch.ts'
import {
  findEntry,
  readEntriesAfter,
  readEntriesBetween,
  readEntriesPage,
} from './statements/list-entries.ts'
import { insertLogToken, revokeLogToken } from './statements/log-tokens.ts'
import { endProcess, findDeadProcesses, registerProcess } from './statements/processes.ts'
import { readCallsAfter } from './statements/read-calls-after.ts'
import { readDirectory } from './statements/read-directory.ts'
import { readNewestEntries } from './statements/read-newest-entries.ts'
import {
  listVideoTasks,
  readNextDue,
  readUpstreamFile,
  readUpstreamOperation,
  readVideoTask,
} from './statements/read-video-tasks.ts'
import { readLeftStreams } from './statements/running-calls.ts'
import { adoptLeftCalls, replaceOthers, sweepCalls } from './statements/sweep-calls.ts'
import { insertTeam, updateTeam } from './statements/teams.ts'
import {
  completeVideoTask,
  failVideoTask,
  hideVideoTask,
  leaseVideoTasks,
  markVideoTaskStarted,
  postponeVideoTask,
  recordVideoCopy,
} from './statements/video-tasks.ts'
import { readRecentCharges, readWindowRows } from './statements/window-rows.ts'

/** Run without a transaction; on SQLite by the reading worker. */
export const readStatements = {
  findCall,
  findDeadProcesses,
  findEntry,
  listAudit,
  listBoards,
  listVideoTasks,
  readAppliedVersions,
  readBoard,
  readCallsAfter,
  readCallsPage,
  readCatalogHashes,
  readDirectory,
  readEntriesAfter,
  readEntriesBetween,
  readEntriesPage,
  readFacts,
  readIdempotentReply,
  readLeftStreams,
  readNewestEntries,
  readNextDue,
  readRecentCharges,
  readTotals,
  readUpstreamFile,
  readUpstreamOperation,
  readVideoTask,
  readWindowRows,
  sumCharges,
  sumReplyBytes,
}

/** Each runs in one transaction; on SQLite by the writing worker, one after the other. */
export const writeStatements = {
  adoptLeftCalls,
  agreeOnFact,
  appendEntries,
  awaitDirectoryChanges,
  changeBoardLock,
  claimIdempotentCall,
  commitLedger,
  completeVideoTask,
  deleteExpiredCalls,
  deleteKeys,
  deleteOldCalls,
  dropOldestReplies,
  endIdempotentCall,
  endProcess,
  failVideoTask,
  hideVideoTask,
  insertKey,
  insertLogToken,
  insertTeam,
  leaseVideoTasks,
  markVideoTaskStarted,
  noteDirectoryVersion,
  postponeVideoTask,
  recordCalls,
  recordCatalogChange,
  recordVideoCopy,
  registerProcess,
  replaceFact,
  replaceOthers,
  revokeLogToken,
  sweepCalls,
  updateKey,
  updateTeam,
}
