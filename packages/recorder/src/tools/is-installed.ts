// Whether a tool is configured to call the recorder, by what its hook files say.
import type { ReadText } from '../git/read-text.ts'
import type { Tool } from './tool.ts'

/** The first hook file that names our command for this tool; null when none does. Those of the user can name other repositories. */
export function findInstallation(tool: Tool, root: string, home: string, readText: ReadText): string | null {
  const command = new RegExp(`fairgate-recorder[^]{0,80}?\\bhook["',\\s]+${tool.name}\\b`)
  return (
    tool.hookFiles(root, home).find(path => {
      const text = readText(path) ?? ''
      return command.test(text) && (path.startsWith(root) || isOfRepository(text, root))
    }) ?? null
  )
}

/** Commands that start a repository's own script are of that one alone. */
function isOfRepository(text: string, root: string): boolean {
  const scripts = text.match(/[^\s"']*\/fairgate\/fairgate-recorder\b/g) ?? []
  return scripts.length === 0 || scripts.some(script => script.startsWith(`${root}/`))
}
