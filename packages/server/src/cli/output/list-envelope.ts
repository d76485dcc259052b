// One form of JSON for every list, although the admin door has several: what scripts read is `items` and `next`.

/** A list of another form, such as that of a newer version, stays as it is. `member`: where the reply has the items, if it is no bare list. */
export function toList(reply: unknown, member: string): unknown {
  if (Array.isArray(reply)) return { items: reply, next: null }
  if (typeof reply !== 'object' || reply === null) return reply
  const { [member]: items, next, next_before, next_before_id, ...others } = reply as Record<string, unknown>
  if (!Array.isArray(items)) return reply
  return { items, next: next ?? next_before ?? next_before_id ?? null, ...others }
}
