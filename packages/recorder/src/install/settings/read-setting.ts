// Reads one value of a tool's own settings without trusting their shape.
import type { ReadText } from '../../git/read-text.ts'
import { findNode, parseJsonc, readValue } from '../jsonc/jsonc.ts'

/** undefined when there is no such file or value, or when the file cannot be read. */
export function readSetting(readText: ReadText, file: string, path: readonly string[]): unknown {
  try {
    const node = findNode(parseJsonc(readText(file) ?? '{}'), path)
    return node === null ? undefined : readValue(node)
  } catch {
    return undefined
  }
}

/** The first file that has this value. */
export function findSetting(
  readText: ReadText,
  files: readonly string[],
  path: readonly string[],
  value: unknown,
): string | null {
  return files.find(file => readSetting(readText, file, path) === value) ?? null
}
