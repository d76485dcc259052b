// Reads the JSON that a tool sends; some put a byte order mark before it.
import type { Payload } from '../tools/tool.ts'

/** null when it is no JSON object. */
export function parsePayload(text: string): Payload | null {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null
  }
}
