// Tells whether two requests ask for the same: a digest of the body's meaning, since a form that is sent again has another boundary.
import { createHash } from 'node:crypto'

/** Lower-case hex SHA-256 of the body: as bytes, or parsed, its JSON in the order sent and then its files in that order. */
export async function digestBody(body: unknown): Promise<string> {
  if (body instanceof Uint8Array) return createHash('sha256').update(body).digest('hex')
  const files: Blob[] = []
  const text = JSON.stringify(body, (_, value: unknown) => {
    if (!(value instanceof Blob)) return value
    files.push(value)
    // With the size of each file in the text, no bytes can move from one to the next unseen.
    return { file: value instanceof File ? value.name : '', type: value.type, size: value.size }
  })
  const hash = createHash('sha256').update(text)
  for (const file of files) hash.update(await file.bytes())
  return hash.digest('hex')
}
