// Replies as they are kept, and as they are given again.
import type { StoredReply } from '../../store/statements/idempotent-calls.ts'

/** What is left of the windows is not part of it. */
export function packReply(status: number, headers: Headers, body: Uint8Array): StoredReply {
  const kept = [...headers].filter(([name]) => !name.startsWith('x-ratelimit-'))
  return { status, headers: JSON.stringify(Object.fromEntries(kept)), body }
}

/** `headers` go over those of the first answer. */
export function unpackReply(reply: StoredReply, headers: Readonly<Record<string, string>>): Response {
  // Written by `packReply` only.
  const kept = JSON.parse(reply.headers) as Record<string, string>
  return new Response(reply.body, { status: reply.status, headers: { ...kept, ...headers } })
}
