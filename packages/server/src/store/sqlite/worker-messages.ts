// What the serving thread and a SQLite worker say to each other.
import type { StoreFailureReason } from '../classify-failure.ts'

export type StatementRequest = { readonly id: number; readonly name: string; readonly input: unknown }

/** Names beside those of the statements. `check` has the failure to be disproved as its input, or null. */
export const closeName = 'close'
export const checkName = 'check'
export type CheckInput = StoreFailureReason | null

export type DescribedError = { readonly message: string; readonly code: string | null }

export type StatementReply =
  | { readonly id: number; readonly output: unknown }
  | { readonly id: number; readonly error: DescribedError }

/** The first message a worker sends: its database is open and migrated, or why not. */
export type WorkerReady = { readonly ready: true } | { readonly ready: false; readonly error: DescribedError }

export type WorkerStart = { readonly path: string; readonly mode: 'write' | 'read' }
