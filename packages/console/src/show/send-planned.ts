// Requests that show their effect before they are made: a dry run first, then the same with the id of its preview.
import type { ActReply } from '@fairgate/contracts/management/planned-act.ts'
import type { Method, SendRequest } from '../api/request.ts'

/** A route that takes `dry_run`, `preview_id` and `reason`. */
export type PlannedRequest = {
  readonly method: Method
  readonly path: string
  /** Null while what was typed is not complete: nothing is asked then. */
  readonly body: Readonly<Record<string, unknown>> | null
  /** Its members stand in the query; so do those of every DELETE. */
  readonly isInQuery?: boolean
}

export type Preview = Pick<ActReply, 'preview_id' | 'changes' | 'warnings'> & Partial<Pick<ActReply, 'meets'>>

export function sendPlanned<Reply>(
  send: SendRequest,
  { method, path, body, isInQuery = method === 'DELETE' }: PlannedRequest,
  more: Readonly<Record<string, string | boolean>>,
  signal?: AbortSignal,
): Promise<Reply> {
  const given = signal === undefined ? {} : { signal }
  return isInQuery
    ? send<Reply>(method, path, { query: { ...(body as Record<string, string>), ...more }, ...given })
    : send<Reply>(method, path, { body: { ...body, ...more }, ...given })
}
