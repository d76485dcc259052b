// Whether a tool is configured to call the recorder, by what its hook files say.
import type { ReadText } from '../git/read-text.ts'
import type { Tool } from './tool.ts'

/** The first hook file that names our command for this tool; null when none does. */
export function findInstallation(tool: Tool, root: string, home: string, readText: ReadText): string | null {
  const command = new RegExp(`fairgate-recorder[^]{0,80}?\\bhook["',\\s]+${tool.name}\\b`)
  return tool.hookFiles(root, home).find(path => command.test(readText(path) ?? '')) ?? null
}
