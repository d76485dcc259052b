// Carries the thought signatures of an answer through the one opaque text that a dialect's clients give back: Messages
// `thinking.signature`, Responses `reasoning.encrypted_content`.
import { createHash } from 'node:crypto'
import type { CatalogModel } from '../../catalog/types.ts'
import { decodeSignature, encodeSignature } from '../../upstream/tool-call-id.ts'

export type Signatures = {
  /** One per tool call that follows, in order; null where a call has none. */
  readonly calls: readonly (string | null)[]
  /** Of the text, or of an answer without calls. */
  readonly text: string | null
}

type ModelFamily = Pick<CatalogModel, 'upstream' | 'upstreamId'>

const version = 'fg1'
/** An answer has fewer calls, so that more are not ours. */
const mostCalls = 512

/** `fg1.<digest>.<text>.<call>.<call>…`: letters, digits, `_`, `-` and `.`; an empty place is a signature that is not there. */
export function packReasoning(model: ModelFamily, { calls, text }: Signatures): string {
  const places = [text, ...calls].map(signature => (signature ? encodeSignature(signature) : '')).join('.')
  return `${version}.${digest(model, places)}.${places}`
}

/**
 * Null for what this model's answers did not carry: a signature of another service, of another model, or one that was cut. The digest
 * only detects that; whether a signature is true is for the vendor to check.
 */
export function unpackReasoning(model: ModelFamily, packed: string): Signatures | null {
  const [head, check, ...places] = packed.split('.', mostCalls + 4)
  if (head !== version || places.length === 0 || places.length > mostCalls + 1) return null
  if (check !== digest(model, places.join('.'))) return null
  const [text = null, ...calls] = places.map(decodeSignature)
  return { calls, text }
}

/** Signatures are of use only to the model that made them. */
function digest({ upstream, upstreamId }: ModelFamily, places: string): string {
  const hash = createHash('sha256').update(JSON.stringify([upstream, upstreamId, places]))
  return hash.digest('base64url').slice(0, 16)
}
