// Writes a stream of entries to standard output: exactly as they come, or made safe for a terminal.
import { showJson, showText } from '@fairgate/contracts/text/show-hidden.ts'
import type { ProgramDependencies } from '../dependencies.ts'

/** False when nobody reads any more. */
export type WritePiece = (bytes: Uint8Array) => Promise<boolean>

export function createOutput(
  { isTerminal, writeBytes }: Pick<ProgramDependencies, 'isTerminal' | 'writeBytes'>,
  format: 'ndjson' | 'csv',
): WritePiece {
  if (!isTerminal.output) return writeBytes
  const guard = createTerminalGuard(format)
  return bytes => writeBytes(guard(bytes))
}

/**
 * Entries are texts of others and may hold characters that steer a terminal. NDJSON means the same after this; CSV shows what is hidden.
 * A piece may end within a character.
 */
function createTerminalGuard(format: 'ndjson' | 'csv'): (bytes: Uint8Array) => Uint8Array {
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  const show = format === 'ndjson' ? showJson : (text: string) => showText(text.replaceAll('\r\n', '\n'))
  return bytes => encoder.encode(show(decoder.decode(bytes, { stream: true })))
}
