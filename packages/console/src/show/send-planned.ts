// Sends requests that have a preview: first a dry run, then the same request with the preview's id.
import type { ActionReply } from '@fairgate/contracts/management/planned-action.ts'
import type { Method, SendRequest } from '../api/request.ts'

/** A route that takes `dry_run`, `preview_id` and `reason`. */
export type PlannedRequest = {
  readonly method: Method
  readonly path: string
  /** Null while the fields are incomplete; nothing is sent then. */
  readonly body: Readonly<Record<string, unknown>> | null
  /** Sends the members in the query, as for every DELETE. */
  readonly isInQuery?: boolean
}

export type Preview = Pick<ActionReply, 'preview_id' | 'changes' | 'warnings'> &
  Partial<Pick<ActionReply, 'meets'>>

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
