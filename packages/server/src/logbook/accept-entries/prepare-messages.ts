// What the serving thread and the preparing thread say to each other.
import type { ErrorCode } from '@fairgate/contracts/errors/registry.ts'
import type { PreparedBatch } from './prepare-entries.ts'

export type PrepareRequest = { readonly id: number; readonly bytes: Uint8Array; readonly now: number }

export type PrepareReply =
  | { readonly id: number; readonly kind: 'prepared'; readonly batch: PreparedBatch }
  /** The whole request is refused; an error object itself cannot cross threads. */
  | {
      readonly id: number
      readonly kind: 'refused'
      readonly code: ErrorCode
      readonly message: string
      readonly param: string | null
    }
  | { readonly id: number; readonly kind: 'failed'; readonly message: string }
