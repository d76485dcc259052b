// Call ids are UUIDs of version 7, which begin with the time: where those of a moment begin, in the order of their text.

/** The least id of that millisecond (Unix ms). */
export function firstIdAt(moment: number): string {
  const digits = Math.max(0, Math.floor(moment)).toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-000000000000`
}
