// Carries the thought signatures of an answer through the one opaque text that a dialect's clients return: `thinking.signature` in
// Messages, `reasoning.encrypted_content` in Responses.
import { createHash } from 'node:crypto'
import type { CatalogModel } from '../../catalog/types.ts'
import { decodeSignature, encodeSignature } from '../../upstream/tool-call-id.ts'

export type Signatures = {
  /** One per tool call that follows, in order; null if a call has none. */
  readonly calls: readonly (string | null)[]
  /** The text's signature, or that of an answer without calls. */
  readonly text: string | null
}

type ModelFamily = Pick<CatalogModel, 'upstream' | 'upstreamId'>

const version = 'fg1'
/** An answer has fewer calls, so an envelope with more is not ours. */
const maxCalls = 512

/** `fg1.<digest>.<text>.<call>.<call>…`: letters, digits, `_`, `-` and `.`. An empty place is a missing signature. */
export function packReasoning(model: ModelFamily, { calls, text }: Signatures): string {
  const places = [text, ...calls].map(signature => (signature ? encodeSignature(signature) : '')).join('.')
  return `${version}.${digest(model, places)}.${places}`
}

/**
 * Returns null for an envelope that this model's answers did not carry: from another service, from another model, or cut off. The
 * digest only detects that; the vendor checks whether a signature is genuine.
 */
export function unpackReasoning(model: ModelFamily, packed: string): Signatures | null {
  const [head, check, ...places] = packed.split('.', maxCalls + 4)
  if (head !== version || places.length === 0 || places.length > maxCalls + 1) return null
  if (check !== digest(model, places.join('.'))) return null
  const [text = null, ...calls] = places.map(decodeSignature)
  return { calls, text }
}

/** True for a text that `packReasoning` wrote, for any model. */
export function isEnvelope(signature: string): boolean {
  return signature.startsWith(`${version}.`)
}

/** Signatures are only of use to the model that made them. */
function digest({ upstream, upstreamId }: ModelFamily, places: string): string {
  const hash = createHash('sha256').update(JSON.stringify([upstream, upstreamId, places]))
  return hash.digest('base64url').slice(0, 16)
}
