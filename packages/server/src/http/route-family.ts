// A group of routes below one path with its own authentication, description and errors.
import type { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { TSchema } from 'typebox'
import type { ReplyHeader } from './reply-headers.ts'

export type SecurityScheme =
  | { readonly type: 'http'; readonly scheme: 'bearer'; readonly description?: string }
  | {
      readonly type: 'apiKey'
      readonly in: 'header' | 'cookie'
      readonly name: string
      readonly description?: string
    }

/** Throws ApiError with status 401 for a missing, wrong or expired credential. */
export type Authenticate<Caller> = (
  request: Request,
  call: { readonly remoteAddress: string | null },
) => Caller | Promise<Caller>

/** `request`: the refused one. `callId`: its id, for formats that have it in the body. */
export type WriteError = (error: ApiError, request: Request, callId: string) => Response

export type RouteFamily<Caller> = {
  /** Such as `/vendor/`: requests below it that match no route are also answered in the family's way. */
  readonly prefix: string
  /** More paths that belong to the family. */
  readonly otherPrefixes?: readonly string[]
  readonly authenticate: Authenticate<Caller>
  readonly writeError: WriteError
  /** The document's names for its credential and its error body. */
  readonly name: string
  readonly securityScheme: SecurityScheme
  /** Other ways to send the same credential, by their names in the document. */
  readonly otherSecuritySchemes?: Readonly<Record<string, SecurityScheme>>
  /** True if a path also accepts the door's credential. */
  readonly takesDoorCredential?: (path: string) => boolean
  /** How a client authenticates and reads errors here, for the reference. */
  readonly description: string
  readonly errorSchema: TSchema
  /** Headers that its errors can carry besides those that belong to their codes. */
  readonly errorReplyHeaders?: readonly ReplyHeader[]
}
