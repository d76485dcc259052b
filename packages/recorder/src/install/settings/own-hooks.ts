// Recognises our hooks in a settings file by their command.
import { tools } from '../../tools/find-tool.ts'
import type { ToolName } from '../../tools/tool.ts'
import { findNode, parseJsonc, readValue, textOrEmpty } from '../jsonc/jsonc.ts'
import { quoteForShell } from '../program/hook-command.ts'
import type { Recipe } from './recipe.ts'

/** Separates this repository's commands from those of others in shared settings. */
export type IsOwn = (command: string) => boolean

/** In the user's settings: commands that start this launcher, or that look for one where they run. */
export function startsLauncher(launcher: string): IsOwn {
  return command =>
    command.startsWith(quoteForShell(launcher)) || command.includes('git rev-parse --git-common-dir')
}

/** The paths of members that contain only our hooks, for any repository. */
export function listBegun(text: string | null, recipe: Recipe): string[][] {
  const root = parseJsonc(textOrEmpty(text))
  const paths = tools[recipe.tool].events.flatMap(event =>
    recipe.listOf(event).map((_, depth) => recipe.listOf(event).slice(0, depth + 1)),
  )
  const unique = [...new Map(paths.map(path => [path.join('\n'), path])).values()]
  return unique.filter(path => {
    const node = findNode(root, path)
    return node !== null && holdsOnlyOurs(readValue(node), recipe.tool)
  })
}

function holdsOnlyOurs(value: unknown, tool: ToolName): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value))
    return value.length > 0 && value.every(item => findOwnCommands(item, tool).length > 0)
  const members = Object.values(value)
  return members.length > 0 && members.every(member => holdsOnlyOurs(member, tool))
}

/** Our commands for this tool, anywhere within a value. */
export function findOwnCommands(value: unknown, tool: ToolName): string[] {
  if (typeof value === 'string') return commandPattern(tool).test(value) ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(member => findOwnCommands(member, tool))
}

function commandPattern(tool: ToolName): RegExp {
  return new RegExp(`fairgate-recorder[\\s\\S]*\\bhook ${tool}\\b`)
}
