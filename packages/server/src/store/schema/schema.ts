// Every table of the database, for Kysely's types.
import type { DirectorySchema } from './directory.ts'
import type { LedgerSchema } from './ledger.ts'
import type { LogbookSchema } from './logbook.ts'
import type { VideosSchema } from './videos.ts'

export type Schema = DirectorySchema & LedgerSchema & LogbookSchema & VideosSchema
