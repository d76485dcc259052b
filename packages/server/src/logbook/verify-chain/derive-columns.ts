// What the filter and order columns of a stored entry must say, taken from its body again.
import { validateEntry } from '../accept-entries/validate-entry.ts'
import { buildEventKey, buildToolKey } from '../filter-keys.ts'

export type DerivedColumns = {
  readonly tsMicros: number
  readonly toolKey: string
  readonly eventKey: string
}

/** null when the body is no entry. */
export function deriveColumns(body: string): DerivedColumns | null {
  const judgement = validateEntry(parse(body))
  if (!judgement.ok) return null
  const { entry, timestamp } = judgement
  return {
    tsMicros: timestamp.microseconds,
    toolKey: buildToolKey(entry.tool),
    eventKey: buildEventKey(entry.event),
  }
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
