// A group of routes below one path that is authenticated, described and refused in a way of its own.
import type { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { TSchema } from 'typebox'
import type { ReplyHeader } from './reply-headers.ts'

export type SecurityScheme =
  | { readonly type: 'http'; readonly scheme: 'bearer'; readonly description?: string }
  | { readonly type: 'apiKey'; readonly in: 'header'; readonly name: string; readonly description?: string }

/** Throws ApiError with status 401 for a credential that is missing, wrong or no longer in force. */
export type Authenticate<Caller> = (
  request: Request,
  call: { readonly remoteAddress: string | null },
) => Caller | Promise<Caller>

/** `request`: the one that is refused. `callId`: its id, for shapes that name it in the body. */
export type WriteError = (error: ApiError, request: Request, callId: string) => Response

export type RouteFamily<Caller> = {
  /** Such as `/vendor/`: what matches no route below it is answered in the family's way too. */
  readonly prefix: string
  /** Further paths of which the same holds. */
  readonly otherPrefixes?: readonly string[]
  readonly authenticate: Authenticate<Caller>
  readonly writeError: WriteError
  /** What the document calls its credential and its error body. */
  readonly name: string
  readonly securityScheme: SecurityScheme
  /** Other ways to send the same credential, by their names in the document. */
  readonly otherSecuritySchemes?: Readonly<Record<string, SecurityScheme>>
  /** Whether a path takes the credential of the door too. */
  readonly takesDoorCredential?: (path: string) => boolean
  /** How a client authenticates and reads errors here, for the reference. */
  readonly description: string
  readonly errorSchema: TSchema
  /** Headers that its errors can carry besides those that belong to their codes. */
  readonly errorReplyHeaders?: readonly ReplyHeader[]
}
