// The store's vocabulary: every statement that the server may run, by name, divided into reads and writes.
import {
  grantTeams,
  hasAdjustment,
  readCallCorrections,
  readCorrectableCall,
  readCorrectionsPage,
  writeAdjustment,
} from './statements/adjustments.ts'
import {
  deleteAdminKey,
  findAdminKey,
  insertAdminKey,
  listAdminKeys,
  updateAdminKey,
} from './statements/admin-keys.ts'
import {
  countAnnouncementReads,
  insertAnnouncement,
  noteAnnouncementRead,
  removeAnnouncement,
} from './statements/announcements.ts'
import { appendEntries } from './statements/append-entries.ts'
import { listAudit, recordCatalogChange } from './statements/audit.ts'
import { changeBoardLocks } from './statements/board-changes.ts'
import { listBoards, readBoard } from './statements/boards.ts'
import { deleteOldCalls, findCall, readCallsPage, recordCalls } from './statements/calls.ts'
import { readTotals, sumCharges } from './statements/charges.ts'
import {
  endClaim,
  findClaim,
  findClaimByCode,
  findTicket,
  insertClaims,
  insertTicket,
  listClaims,
  signInByTicket,
  takeSeat,
} from './statements/claims.ts'
import {
  listConditionStarts,
  listSnoozes,
  noteConditionStarts,
  snoozeCondition,
} from './statements/conditions.ts'
import { readDatabaseClock } from './statements/database-clock.ts'
import {
  agreeOnFact,
  claimSpendCheck,
  noteSpendCheck,
  readFacts,
  readSpendCheck,
  replaceFacts,
} from './statements/deployment-facts.ts'
import { awaitDirectoryChanges } from './statements/directory-version.ts'
import { applyEventChanges, updateEvent } from './statements/event-settings.ts'
import { fileCalls, hasUnfiledCalls } from './statements/file-calls.ts'
import {
  addFilePart,
  countFiles,
  deleteFile,
  finishFile,
  hideFile,
  listExpiredFiles,
  listFiles,
  readFile,
  startFile,
} from './statements/files.ts'
import { deleteKeys, insertKey, insertOwnKey, updateKey } from './statements/gateway-keys.ts'
import {
  claimIdempotentCall,
  deleteExpiredCalls,
  dropOldestReplies,
  endIdempotentCall,
  readIdempotentReply,
  sumReplyBytes,
} from './statements/idempotent-calls.ts'
import { listDraftHeads, readDraft, saveDraft } from './statements/judging-drafts.ts'
import { appendJudging, readJudging, readSealedJudging } from './statements/judging-records.ts'
import { commitLedger, readUndelivered } from './statements/ledger-batch.ts'
import {
  findEntry,
  findEntryOfTokens,
  readEntriesAfter,
  readEntriesBetween,
  readEntriesPage,
  readJoinRowsAfter,
} from './statements/list-entries.ts'
import { insertLogToken, revokeLogToken } from './statements/log-tokens.ts'
import { insertMember, removeMember, updateMember } from './statements/members.ts'
import { countNotes, deleteNote, findNote, insertNote, listNotes, updateNote } from './statements/notes.ts'
import {
  endProcess,
  findDeadProcesses,
  noteDirectoryVersion,
  readAppliedVersions,
  readCatalogHashes,
  registerProcess,
} from './statements/processes.ts'
import {
  answerQuestion,
  findQuestion,
  insertQuestion,
  listQuestions,
  sumQuestions,
} from './statements/questions.ts'
import { readCallsAfter, readCallsById, readNewestCallIds } from './statements/read-calls.ts'
import { readDirectory } from './statements/read-directory.ts'
import { readNewestEntries } from './statements/read-newest-entries.ts'
import {
  listVideoTasks,
  readNextDue,
  readUpstreamFile,
  readUpstreamOperation,
  readVideoTask,
} from './statements/read-video-tasks.ts'
import { countEntries, readLastSeen, readRecentCalls } from './statements/recent-work.ts'
import { listRecorders, noteRecorders } from './statements/recorders.ts'
import { countRunningCalls, readLeftStreams } from './statements/running-calls.ts'
import { searchEntries } from './statements/search-entries.ts'
import { readCallsOf, readNamedRefusals, readNumberedEntries } from './statements/session-items.ts'
import {
  endSignIns,
  findSignIn,
  insertSignIn,
  insertSignInLink,
  prolongSignIn,
  takeSignInLink,
} from './statements/sign-ins.ts'
import { readSpendRows } from './statements/spend-export.ts'
import { listSpendingTeams, readEventTotal, readLedgerEnd, sumChargeSlice } from './statements/spend-proof.ts'
import { readFirstBucket, sumSpend } from './statements/spend-sums.ts'
import {
  deleteOldResponses,
  deleteResponse,
  measureChain,
  measureResponses,
  readResponses,
  storeResponses,
} from './statements/stored-responses.ts'
import {
  countNamedEntries,
  insertSubmission,
  listSubmissionHeads,
  listSubmissionVersions,
  readNewestSubmissions,
  readSubmission,
} from './statements/submissions.ts'
import { replaceOthers, sweepCalls } from './statements/sweep-calls.ts'
import { insertTeam, updateTeam, updateTeams } from './statements/teams.ts'
import { clearUncharged } from './statements/uncharged-sums.ts'
import {
  completeVideoTask,
  failVideoTask,
  hideVideoTask,
  leaseVideoTasks,
  markVideoTaskStarted,
  postponeVideoTask,
  recordVideoCopy,
} from './statements/video-tasks.ts'
import { deleteWallToken, freezeWall, insertWallToken, listWallTokens } from './statements/wall-tokens.ts'
import {
  claimDeliveries,
  deleteOldDeliveries,
  deleteWebhook,
  endDelivery,
  insertWebhook,
  listWebhooks,
  noteConditions,
  sumDeliveries,
} from './statements/webhooks.ts'
import { readRecentCharges, readWindowRows } from './statements/window-rows.ts'

/** Run without a transaction; on SQLite by the reading worker. */
export const readStatements = {
  countAnnouncementReads,
  countEntries,
  countFiles,
  countNamedEntries,
  countNotes,
  countRunningCalls,
  findAdminKey,
  findCall,
  findClaim,
  findClaimByCode,
  findDeadProcesses,
  findEntry,
  findNote,
  findQuestion,
  findSignIn,
  findTicket,
  hasUnfiledCalls,
  listAdminKeys,
  listAudit,
  listBoards,
  listClaims,
  listConditionStarts,
  listDraftHeads,
  listNotes,
  listQuestions,
  listRecorders,
  listSnoozes,
  listSpendingTeams,
  listSubmissionHeads,
  listSubmissionVersions,
  listExpiredFiles,
  listFiles,
  listVideoTasks,
  listWallTokens,
  listWebhooks,
  measureChain,
  measureResponses,
  readAppliedVersions,
  readBoard,
  readCallsAfter,
  readCallsById,
  readCallsOf,
  readCallsPage,
  readCatalogHashes,
  hasAdjustment,
  readCorrectableCall,
  readCorrectionsPage,
  readCallCorrections,
  readDirectory,
  readDraft,
  readEntriesAfter,
  readJoinRowsAfter,
  readEntriesBetween,
  readEntriesPage,
  readEventTotal,
  readFacts,
  readFirstBucket,
  readIdempotentReply,
  readDatabaseClock,
  readJudging,
  readLastSeen,
  readLedgerEnd,
  readLeftStreams,
  readNamedRefusals,
  readNewestCallIds,
  findEntryOfTokens,
  readNewestEntries,
  readNewestSubmissions,
  readNextDue,
  readNumberedEntries,
  readRecentCalls,
  readRecentCharges,
  readResponses,
  readSealedJudging,
  readSpendCheck,
  readSpendRows,
  readSubmission,
  readTotals,
  readUndelivered,
  readUpstreamFile,
  readUpstreamOperation,
  readFile,
  readVideoTask,
  readWindowRows,
  searchEntries,
  sumChargeSlice,
  sumCharges,
  sumDeliveries,
  sumQuestions,
  sumReplyBytes,
  sumSpend,
}

/** These read thousands of rows. On SQLite they have a thread of their own, so that a page of fifty rows does not wait for them. */
const longReads: ReadonlySet<string> = new Set<keyof typeof readStatements>([
  'readCallsAfter',
  'readEntriesAfter',
  'readJoinRowsAfter',
  'readSealedJudging',
  'readSpendRows',
  'searchEntries',
  'sumChargeSlice',
])
/** These do if they are asked about all teams. */
const longReadsOfAllTeams: ReadonlySet<string> = new Set<keyof typeof readStatements>([
  'countEntries',
  'sumSpend',
])

export function isLongRead(name: string, input: unknown): boolean {
  if (longReads.has(name)) return true
  const isOfAllTeams = typeof input === 'object' && input !== null && Reflect.get(input, 'teamId') === null
  return isOfAllTeams && longReadsOfAllTeams.has(name)
}

/** Before these run, pending call records are filed, so that each charged call is found. */
export const readsOfCalls: readonly (keyof typeof readStatements)[] = [
  'findCall',
  'readCallsAfter',
  'readCallsById',
  'readCallsOf',
  'readCallsPage',
  'readLastSeen',
  'readNamedRefusals',
  'readNewestCallIds',
  'readRecentCalls',
]

/** Each runs in one transaction; on SQLite by the writing worker, one after another. */
export const writeStatements = {
  appendJudging,
  answerQuestion,
  applyEventChanges,
  addFilePart,
  agreeOnFact,
  appendEntries,
  awaitDirectoryChanges,
  changeBoardLocks,
  claimDeliveries,
  claimIdempotentCall,
  claimSpendCheck,
  commitLedger,
  clearUncharged,
  completeVideoTask,
  deleteAdminKey,
  deleteExpiredCalls,
  deleteFile,
  deleteKeys,
  deleteNote,
  deleteOldCalls,
  deleteOldDeliveries,
  deleteOldResponses,
  deleteResponse,
  deleteWallToken,
  deleteWebhook,
  dropOldestReplies,
  endClaim,
  endDelivery,
  endIdempotentCall,
  endProcess,
  endSignIns,
  failVideoTask,
  fileCalls,
  finishFile,
  freezeWall,
  hideFile,
  hideVideoTask,
  insertAdminKey,
  insertAnnouncement,
  insertClaims,
  insertKey,
  insertLogToken,
  insertMember,
  insertNote,
  insertOwnKey,
  insertQuestion,
  insertSignIn,
  insertSignInLink,
  insertSubmission,
  insertTeam,
  insertTicket,
  insertWallToken,
  insertWebhook,
  leaseVideoTasks,
  markVideoTaskStarted,
  noteAnnouncementRead,
  noteConditionStarts,
  noteConditions,
  noteDirectoryVersion,
  noteRecorders,
  noteSpendCheck,
  postponeVideoTask,
  prolongSignIn,
  recordCalls,
  recordCatalogChange,
  recordVideoCopy,
  registerProcess,
  removeAnnouncement,
  removeMember,
  replaceFacts,
  replaceOthers,
  revokeLogToken,
  saveDraft,
  signInByTicket,
  snoozeCondition,
  startFile,
  storeResponses,
  sweepCalls,
  takeSeat,
  takeSignInLink,
  updateAdminKey,
  updateEvent,
  updateKey,
  updateMember,
  updateNote,
  updateTeam,
  updateTeams,
  grantTeams,
  writeAdjustment,
}
