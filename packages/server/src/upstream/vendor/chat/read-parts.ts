// The text and the thoughts in one candidate of the vendor's, whole or as a piece of a stream.
import { asArray, asRecord, asString, type JsonRecord } from '../../narrow-json.ts'

export type CandidateParts = { readonly text: string | null; readonly reasoning: string | null }

/** Each joined from its parts; null where there is none. Parts of other kinds are passed over. */
export function readParts(candidate: JsonRecord): CandidateParts {
  let text: string | null = null
  let reasoning: string | null = null
  for (const item of asArray(asRecord(candidate.content)?.parts)) {
    const part = asRecord(item)
    const piece = asString(part?.text)
    if (piece === null) continue
    if (part?.thought === true) reasoning = (reasoning ?? '') + piece
    else text = (text ?? '') + piece
  }
  return { text, reasoning }
}
