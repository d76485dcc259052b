// The list of tools that the recorder knows. Add new ones here.

import { join } from 'node:path'
import type { ReadText, Repository } from '../git/find-repository.ts'
import { recorderFolder } from '../spool/layout.ts'
import { antigravity } from './antigravity/antigravity.ts'
import { claude } from './claude/claude.ts'
import { codex } from './codex/codex.ts'
import { copilot } from './copilot/copilot.ts'
import { cursor } from './cursor/cursor.ts'
import { gemini } from './gemini/gemini.ts'
import type { Tool, ToolName } from './tool.ts'

/** In the order of spec 6. */
export const tools: Readonly<Record<ToolName, Tool>> = { claude, cursor, codex, gemini, copilot, antigravity }

export function findTool(name: string): Tool | null {
  return Object.values(tools).find(tool => tool.name === name) ?? null
}

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
