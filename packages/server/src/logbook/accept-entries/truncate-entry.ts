// Cuts the long members of an entry to the stored length (spec 2.10, 2.11, 8).

import { cutText } from '@fairgate/contracts/logbook/cut-text.ts'
import { truncationLimits } from '@fairgate/contracts/logbook/limits.ts'
import { canonicalJson } from '@fairgate/contracts/text/canonical-json.ts'

type PlainEntry = { readonly [member: string]: unknown }

/**
 * Cuts `prompt`, `tool_response` and `response_summary`. An object over its limit becomes its JSON text, cut. Everything else stays as
 * sent. Returns the same object if nothing was cut.
 */
export function truncateEntry<Entry extends PlainEntry>(entry: Entry): Entry | PlainEntry {
  let cut: Entry | PlainEntry = entry
  for (const [name, limit] of Object.entries(truncationLimits)) {
    const value = Object.hasOwn(entry, name) ? entry[name] : null
    const text = typeof value === 'object' && value !== null ? canonicalJson(value) : value
    if (typeof text !== 'string') continue
    const shortened = cutText(text, limit)
    // A spread copies `__proto__` as a plain member, which an assignment would not.
    if (shortened !== text) cut = { ...cut, [name]: shortened }
  }
  return cut
}
