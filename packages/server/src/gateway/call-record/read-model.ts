// The model that a call names, before anything has checked it.
import type { Call } from '../../http/call.ts'
import { cleanText } from './clean-text.ts'

const longest = 200

/** From the body, or from the path for routes that name it there; null when there is none. */
export function readModel({ body, params }: Call): string | null {
  const named =
    typeof body === 'object' && body !== null && 'model' in body ? body.model : (params.model ?? null)
  return typeof named === 'string' ? cleanText(named, longest) : null
}
