// Finds out from a tool's hook files whether it is configured to call the recorder.

import { join } from 'node:path'
import type { Repository } from '../git/find-repository.ts'
import type { ReadText } from '../git/read-text.ts'
import { recorderFolder } from '../spool/layout.ts'
import type { Tool } from './tool.ts'

/** The first hook file that names our command for this tool; null when none does. The user's files can name other repositories. */
export function findInstallation(tool: Tool, root: string, home: string, readText: ReadText): string | null {
  const command = new RegExp(`fairgate-recorder[^]{0,80}?\\bhook["',\\s]+${tool.name}\\b`)
  return (
    tool.hookFiles(root, home).find(path => {
      const text = readText(path) ?? ''
      return command.test(text) && (path.startsWith(root) || isOfRepository(text, root))
    }) ?? null
  )
}

/** A command that starts a repository's own script belongs only to that repository. */
function isOfRepository(text: string, root: string): boolean {
  const scripts = text.match(/[^\s"']*\/fairgate\/fairgate-recorder\b/g) ?? []
  return scripts.length === 0 || scripts.some(script => script.startsWith(`${root}/`))
}

/** Says whether `init` was run for a repository, so that its events are recorded there. */
export function isSetUp({ commonFolder }: Repository, readText: ReadText): boolean {
  return readText(join(recorderFolder(commonFolder), 'fairgate-recorder')) !== null
}
