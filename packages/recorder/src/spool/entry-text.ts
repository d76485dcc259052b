// Reads the JSON files of the spool. A power cut may have torn any of them.

/** The text of an entry; null when the file has none, as after a power cut. */
export function parseEntryText(bytes: Uint8Array): { text: string; entry: Record<string, unknown> } | null {
  const text = Buffer.from(bytes).toString('utf8')
  try {
    const entry: unknown = JSON.parse(text)
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return null
    return { text, entry: { ...entry } }
  } catch {
    return null
  }
}
