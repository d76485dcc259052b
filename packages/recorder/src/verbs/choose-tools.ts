// Chooses the tools that `init` sets up: those that were named, or those that are used here.
import { detectTools } from '../install/detect-tools.ts'
import { UserFailure } from '../terminal/user-failure.ts'
import { type ToolName, toolNames } from '../tools/tool.ts'
import type { VerbContext } from './verb.ts'

/** `named` is the value of `--tools`. The tools in `installed` were set up here before, and their hooks may be gone. Throws UserFailure. */
export function chooseTools(
  context: VerbContext,
  root: string,
  named: string | undefined,
  installed: readonly ToolName[],
): ToolName[] {
  const { home, readText, environment, workFiles } = context
  if (named === 'all') return [...toolNames]
  if (named !== undefined) {
    const names = named.split(',').map(name => name.trim().toLowerCase())
    const unknown = names.filter(name => !toolNames.some(known => known === name))
    if (unknown.length > 0) throw new UserFailure(`--tools takes "all" or some of ${toolNames.join(',')}.`, 2)
    return toolNames.filter(name => names.includes(name))
  }
  const detected = detectTools({ root, home, readText, environment, exists: workFiles.exists })
  const found = toolNames.filter(name => detected.includes(name) || installed.includes(name))
  if (found.length === 0)
    throw new UserFailure(`No AI tool was found. Name yours with --tools: ${toolNames.join(',')}, or all.`)
  return found
}
