// Whether a tool's settings hold all of our hooks, and whether it may run them.
import { join } from 'node:path'
import { tools } from '../../tools/find-tool.ts'
import { findInstallation } from '../../tools/is-installed.ts'
import type { ToolName } from '../../tools/tool.ts'
import { parseJsonc } from '../jsonc/parse-jsonc.ts'
import { findNode, readValue } from '../jsonc/read-jsonc.ts'
import { quoteForShell } from '../program/quote.ts'
import { recipes } from '../settings/find-recipe.ts'
import { findOwnCommands } from '../settings/own-hooks.ts'
import type { Places } from '../settings/recipe.ts'
import type { Finding } from './finding.ts'

/** In the commands of settings that are committed. */
const shared = 'git rev-parse --git-common-dir'

/** Event → the command as it stands in the settings, or null. Throws when they cannot be read. */
export function readInstalledCommands(
  tool: ToolName,
  { root, home, readText }: Places,
): { file: string; commands: Record<string, string | null> } | null {
  const file = findInstallation(tools[tool], root, home, readText)
  if (file === null) return null
  const settings = parseJsonc(readText(file) ?? '')
  const commands = tools[tool].events.map(event => {
    const list = findNode(settings, recipes[tool].listOf(event))
    const own = list === null ? [] : findOwnCommands(readValue(list), tool)
    return [event, own.find(command => command.includes(`hook ${tool} ${event}`)) ?? null] as const
  })
  return { file, commands: Object.fromEntries(commands) }
}

export function inspectTool(tool: ToolName, places: Places, launcher: string): Finding {
  const of = (state: Finding['state'], detail: string): Finding => ({ name: tool, state, detail })
  try {
    const installed = readInstalledCommands(tool, places)
    if (installed === null)
      return of('warning', 'is used here but has no hooks: run "fairgate-recorder init"')
    const { file, commands } = installed
    const missing = Object.keys(commands).filter(event => commands[event] === null)
    if (missing.length > 0)
      return of('failed', `${file} lacks ${missing.join(', ')}: run "fairgate-recorder init"`)
    const known = [launcher, quoteForShell(launcher), launcher.replaceAll('\\', '/'), shared]
    const isOurs = (command: string) => known.some(part => command.includes(part))
    const isElsewhere = Object.values(commands).some(command => command !== null && !isOurs(command))
    const project = join(places.root, ...recipes[tool].file)
    if (isElsewhere && file === project)
      return of('failed', `${file} names another recorder: run "fairgate-recorder init"`)
    const off = recipes[tool].findSwitchedOff(places)
    if (off !== null) return of('failed', off)
    if (recipes[tool].isTrusted(places) === false)
      return of('warning', `its user has not trusted the hooks yet. ${recipes[tool].humanStep ?? ''}`)
    return of('ok', file)
  } catch (thrown) {
    return of(
      'failed',
      `its settings cannot be read: ${thrown instanceof Error ? thrown.message : 'unknown'}`,
    )
  }
}
