// Standard output for a stream of entries: exactly as they come, or made safe for a terminal.
import type { ProgramDependencies } from '../dependencies.ts'
import { createTerminalGuard } from './guard-terminal.ts'

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
