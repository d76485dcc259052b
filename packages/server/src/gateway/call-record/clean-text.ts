// Texts of clients as they may stand on record: what cannot be shown is taken out, and what is too long is cut. PostgreSQL takes no NUL, and
// a text that it refuses would keep a charge from being written.

/** Null for none, and for a text without anything to see. `longest`: in UTF-16 units. */
export function cleanText(text: string | null, longest: number): string | null {
  if (text === null) return null
  const shown = text
    .slice(0, longest)
    .replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '')
    .trim()
  return shown === '' ? null : shown
}
