// Every table of the database, for Kysely's types.
import type { DirectorySchema } from './directory.ts'
import type { IdempotentCallsSchema } from './idempotent-calls.ts'
import type { LedgerSchema } from './ledger.ts'
import type { LogbookSchema } from './logbook.ts'
import type { VideosSchema } from './videos.ts'
import type { WindowsSchema } from './window-rows.ts'

export type Schema = DirectorySchema &
  LedgerSchema &
  LogbookSchema &
  IdempotentCallsSchema &
  VideosSchema &
  WindowsSchema
