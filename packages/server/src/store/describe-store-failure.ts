// Tells organisers, and nobody else, why the database cannot be used and what ends it.
import type { StoreFailureReason } from './classify-failure.ts'

export const storeFailureTexts: Readonly<Record<StoreFailureReason, string>> = {
  database_full:
    'The disk of the database is full: paid calls, entries and changes are refused. Free some room; no restart is needed.',
  database_read_only:
    'The database is read-only: paid calls, entries and changes are refused. Make its disk or server writable again; no restart is needed.',
  database_damaged:
    'The files of the database were damaged, moved or replaced: paid calls, entries and changes are refused. Put the files back, or restore a backup and start again.',
  database_in_use:
    'Another process has taken over the database. Stop one of the two, then start this one again.',
  database_unavailable:
    'The database does not answer: paid calls, entries and changes are refused until it does. The log tells the cause.',
}
