// Puts the model's thought signature into the id of a tool call, so that any OpenAI client sends it back.

const signedId = /^call_[0-9a-zA-Z]+__([su])_([\w-]+)$/

/** `id`: letters and digits. A signature in plain base64 stays short; any other text works too. */
export function writeToolCallId(id: string, signature: string | null): string {
  if (signature === null || signature === '') return `call_${id}`
  const bytes = Buffer.from(signature, 'base64')
  const isPlain = bytes.length > 0 && bytes.toString('base64') === signature
  const carried = isPlain ? bytes : Buffer.from(signature)
  return `call_${id}__${isPlain ? 's' : 'u'}_${carried.toString('base64url')}`
}

/** Null for an id without one, such as an id of another service. */
export function readSignature(toolCallId: string): string | null {
  const match = signedId.exec(toolCallId)
  if (match === null) return null
  const bytes = Buffer.from(match[2] ?? '', 'base64url')
  return match[1] === 's' ? bytes.toString('base64') : bytes.toString()
}
