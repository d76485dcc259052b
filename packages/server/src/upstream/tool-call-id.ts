// Puts the model's thought signature into the id of a tool call, so that any OpenAI client sends it back.

const signedId = /^([a-z]+_[0-9a-zA-Z]+)__([su][\w-]+)$/

/** `id`: letters and digits. */
export function writeToolCallId(id: string, signature: string | null): string {
  return joinToolCallId(`call_${id}`, signature)
}

/** Null for an id without one, such as an id of another service. */
export function readSignature(toolCallId: string): string | null {
  return splitToolCallId(toolCallId).signature
}

/** The short id, which a client may see alone, and the signature that it carried. */
export function splitToolCallId(toolCallId: string): {
  readonly id: string
  readonly signature: string | null
} {
  const match = signedId.exec(toolCallId)
  const signature = match === null ? null : decodeSignature(match[2] ?? '')
  return match === null || signature === null
    ? { id: toolCallId, signature: null }
    : { id: match[1] ?? '', signature }
}

/**
 * Only the ids that we write, `call_` or another word and then letters and digits, can carry a signature: any other id stays unchanged,
 * since it belongs to a call that another service made.
 */
export function joinToolCallId(id: string, signature: string | null): string {
  if (signature === null || signature === '' || !/^[a-z]+_[0-9a-zA-Z]+$/.test(id)) return id
  return `${id}__${encodeSignature(signature)}`
}

/** Letters, digits, `_` and `-`. A signature in plain base64 stays short; any other text works too. */
export function encodeSignature(signature: string): string {
  const bytes = Buffer.from(signature, 'base64')
  const isPlain = bytes.length > 0 && bytes.toString('base64') === signature
  const carried = isPlain ? bytes : Buffer.from(signature)
  return `${isPlain ? 's' : 'u'}_${carried.toString('base64url')}`
}

/** Null for a text that `encodeSignature` does not write. */
export function decodeSignature(text: string): string | null {
  const match = /^([su])_([\w-]+)$/.exec(text)
  if (match === null) return null
  const bytes = Buffer.from(match[2] ?? '', 'base64url')
  return match[1] === 's' ? bytes.toString('base64') : bytes.toString()
}
