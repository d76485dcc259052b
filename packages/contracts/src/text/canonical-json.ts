// Serialises a JSON value canonically (RFC 8785), so that an entry has the same digest regardless of the order of its members.

/**
 * Members sorted by UTF-16 code units, no white space, numbers as JavaScript writes them. Lone surrogates, which the RFC
 * forbids, are escaped as `JSON.stringify` does. Takes values of `JSON.parse` of bounded depth, where `__proto__` is a plain
 * member.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const members = value as { readonly [name: string]: unknown }
  let text = ''
  for (const name of Object.keys(members).sort())
    text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${canonicalJson(members[name])}`
  return `{${text}}`
}
