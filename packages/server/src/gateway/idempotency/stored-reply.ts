// Replies as they are kept, and as they are given again.
import type { StoredReply } from '../../store/statements/idempotent-calls.ts'

/** A larger answer is charged and given once, and not kept. */
const maximumBytes = 32 * 1024 * 1024

/** Null for an answer that is too large to be kept. What is left of the windows is not part of it. */
export function packReply(status: number, headers: Headers, body: Uint8Array): StoredReply | null {
  if (body.byteLength > maximumBytes) return null
  const kept = [...headers].filter(([name]) => !name.startsWith('x-ratelimit-'))
  return { status, headers: JSON.stringify(Object.fromEntries(kept)), body }
}

/** `headers` go over those of the first answer. */
export function unpackReply(reply: StoredReply, headers: Readonly<Record<string, string>>): Response {
  // Written by `packReply` only.
  const kept = JSON.parse(reply.headers) as Record<string, string>
  return new Response(reply.body, { status: reply.status, headers: { ...kept, ...headers } })
}
