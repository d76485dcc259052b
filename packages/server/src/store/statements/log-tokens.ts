// Log tokens on disk, each change written with its number and its audit row. Secrets are never stored here.
import type { LogTokensTable } from '../schema/directory.ts'
import { changeAlone, insertAlone } from './numbered-rows.ts'

/** A row as its author builds it; the statement numbers it. */
export type LogTokenRow = Omit<LogTokensTable, 'version'>

export const insertLogToken = insertAlone('log_tokens')
/** A revoked token stays listed. */
export const revokeLogToken = changeAlone('log_tokens')
