// Makes a stream of entries safe for a terminal: they are texts of others, and may hold what steers it.
import { showJson, showText } from '@fairgate/contracts/text/show-hidden.ts'

/** NDJSON means the same afterwards; CSV shows what is hidden. Pieces may end within a character. */
export function createTerminalGuard(format: 'ndjson' | 'csv'): (bytes: Uint8Array) => Uint8Array {
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  const show = format === 'ndjson' ? showJson : (text: string) => showText(text.replaceAll('\r\n', '\n'))
  return bytes => encoder.encode(show(decoder.decode(bytes, { stream: true })))
}
