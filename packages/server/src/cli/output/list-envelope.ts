// Gives every list the same JSON, `items` and `next`, although the routes of the admin door differ.

/** A reply in an unknown form, such as that of a newer version, is unchanged. `member`: has the items, unless the reply is a bare list. */
export function toList(reply: unknown, member: string): unknown {
  if (Array.isArray(reply)) return { items: reply, next: null }
  if (typeof reply !== 'object' || reply === null) return reply
  const { [member]: items, next, next_before, next_before_id, ...others } = reply as Record<string, unknown>
  if (!Array.isArray(items)) return reply
  return { items, next: next ?? next_before ?? next_before_id ?? null, ...others }
}
