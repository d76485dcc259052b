// Judges whether a tool calls the recorder at this moment, by its settings, its user's permissions and the events that have come from it.
import { join } from 'node:path'
import { nameTool } from '@fairgate/contracts/agents/known-tools.ts'
import type { ReadText } from '../../git/find-repository.ts'
import { findInstallation, tools } from '../../tools/find-tool.ts'
import { type ToolName, toolNames } from '../../tools/tool.ts'
import type { Manifest } from '../files/changes.ts'
import { findNode, type JsonNode, parseAccepted, readValue } from '../jsonc/jsonc.ts'
import { quoteForShell } from '../program/hook-command.ts'
import { findOwnCommands } from '../settings/own-hooks.ts'
import type { Places } from '../settings/recipe.ts'
import { recipes } from '../settings/recipes.ts'

export type ToolState =
  /** The tool has called its hooks since they were last changed, or is free to as far as we know. */
  | 'ok'
  /** Nothing is known to prevent it, but no event has ever come. */
  | 'unseen'
  | 'no hooks'
  /** The hooks were installed here but are no longer there. */
  | 'gone'
  /** Some events have no hook. */
  | 'incomplete'
  /** The hooks name the recorder of another repository. */
  | 'elsewhere'
  | 'unreadable'
  | 'switched off'
  | 'not trusted'

export type ToolHealth = {
  readonly state: ToolState
  /** The file that the tool reads and that has our hooks; null when there is none. */
  readonly file: string | null
  /** What is wrong and what to do, for the user; null when there is nothing to say. */
  readonly reason: string | null
  /** Whether an event has come since the file and the permissions were last changed. Only that proves that the hooks run. */
  readonly isProven: boolean
  /** What the user does with the tool to prove it; null when it is proven, or something else is in the way. */
  readonly step: string | null
}

export type ToolFacts = {
  /** The start script of this repository. The hooks name it. */
  readonly launcher: string
  /** Whether this tool's hooks were installed in this work tree. */
  readonly isExpected: boolean
  /** When this tool's newest entry was made, in Unix ms; null when there is none. */
  readonly lastEventAt: number | null
  /** Unix ms; null when there is no such file. */
  readonly modifiedAt: (path: string) => number | null
}

const again = 'run "fairgate-recorder init"'
/** Appears in the commands of committed settings. */
const shared = 'git rev-parse --git-common-dir'

export function judgeTool(tool: ToolName, places: Places, facts: ToolFacts): ToolHealth {
  try {
    const read = placesOf(tool, places)
    const installed = readInstalledCommands(tool, places)
    if (installed === null) return judgeAbsence(tool, places, read, facts)
    const { file, commands } = installed
    const proof = isProven(tool, file, places, facts)
    const of = (state: ToolState, reason: string | null, step: string | null = null): ToolHealth => ({
      state,
      file,
      reason,
      isProven: proof,
      step,
    })
    const missing = Object.keys(commands).filter(event => commands[event] === null)
    if (missing.length > 0) return of('incomplete', `${file} lacks ${missing.join(', ')}: ${again}`)
    if (
      isElsewhere(Object.values(commands), facts.launcher) &&
      file === join(read.root, ...recipes[tool].file)
    )
      return of('elsewhere', `${file} names another recorder: ${again}`)
    const off = recipes[tool].findSwitchedOff(places)
    if (off !== null) return of('switched off', off)
    const trust = recipes[tool].judgeTrust(places)
    if (trust.isTrusted === false && !proof)
      return of('not trusted', `${trust.reason ?? 'not trusted'}. ${recipes[tool].humanStep ?? ''}`.trim())
    const trusting = trust.isTrusted === true ? null : recipes[tool].humanStep
    const step = trusting ?? `Restart ${nameTool(tool)} if it is open, and use it here once.`
    if (facts.lastEventAt === null) return of('unseen', `no event has come yet. ${step}`, step)
    return of('ok', null, proof ? null : step)
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : 'unknown'
    return { state: 'unreadable', file: null, reason: message, isProven: false, step: null }
  }
}

/** Event → its command in the settings, or null. The result is null when no file has our hooks. Throws when the settings cannot be read. */
export function readInstalledCommands(
  tool: ToolName,
  places: Places,
): { file: string; commands: Record<string, string | null> } | null {
  const { root, home, readText } = placesOf(tool, places)
  const file = findInstallation(tools[tool], root, home, readText)
  if (file === null) return null
  const settings = parseSettings(tool, file, readText)
  const commands = tools[tool].events.map(event => {
    const list = findNode(settings, recipes[tool].listOf(event))
    const own = list === null ? [] : findOwnCommands(readValue(list), tool)
    return [event, own.find(command => command.includes(`hook ${tool} ${event}`)) ?? null] as const
  })
  return { file, commands: Object.fromEntries(commands) }
}

function parseSettings(tool: ToolName, file: string, readText: ReadText): JsonNode {
  try {
    return parseAccepted(readText(file) ?? '', recipes[tool].accepts)
  } catch (thrown) {
    throw new Error(`${file}: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
  }
}

function placesOf(tool: ToolName, places: Places): Places {
  return { ...places, root: recipes[tool].rootOf?.(places) ?? places.root }
}

function judgeAbsence(tool: ToolName, own: Places, read: Places, facts: ToolFacts): ToolHealth {
  const none = { file: null, isProven: false, step: null }
  if (!facts.isExpected) return { ...none, state: 'no hooks', reason: null }
  const file = join(own.root, ...recipes[tool].file)
  const reason =
    own.root === read.root
      ? `its hooks are gone from ${file}, so nothing it does is recorded: ${again}`
      : `it reads the hooks of the main work tree, which has none: ${again} in ${read.root}`
  return { ...none, state: 'gone', reason }
}

function isElsewhere(commands: readonly (string | null)[], launcher: string): boolean {
  const known = [launcher, quoteForShell(launcher), launcher.replaceAll('\\', '/'), shared]
  return commands.some(command => command !== null && !known.some(part => command.includes(part)))
}

/** A tool may know more about its user's trust than its files show. An event since their last change proves that it trusts the hooks. */
function isProven(
  tool: ToolName,
  file: string,
  places: Places,
  { lastEventAt, modifiedAt }: ToolFacts,
): boolean {
  const changes = [file, ...recipes[tool].trustFiles(places)].map(path => modifiedAt(path) ?? 0)
  return lastEventAt !== null && lastEventAt > Math.max(...changes)
}

/** One thing that `doctor` looked at. */
export type Finding = {
  readonly name: string
  /** `failed`: entries are lost or not sent. `warning`: they may be. */
  readonly state: 'ok' | 'warning' | 'failed'
  readonly detail: string
}

export function listInstalledTools({ files }: Manifest, root: string): ToolName[] {
  return toolNames.filter(tool => files.some(({ path }) => path === join(root, ...recipes[tool].file)))
}

/** The tools that no longer have any of our hooks, as after `git clean -fdx`. */
export function findGoneTools(
  manifest: Manifest,
  root: string,
  home: string,
  readText: ReadText,
): ToolName[] {
  return listInstalledTools(manifest, root).filter(tool => {
    const read = recipes[tool].rootOf?.({ root, readText }) ?? root
    return findInstallation(tools[tool], read, home, readText) === null
  })
}
