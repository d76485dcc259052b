// What Codex says about our hooks: whether it loads those of this project, and which of them its user has trusted as they are now.
import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { findRepository } from '../../../git/find-repository.ts'
import { codex } from '../../../tools/codex/codex.ts'
import { parseJsonc } from '../../jsonc/parse-jsonc.ts'
import { readValue } from '../../jsonc/read-jsonc.ts'
import { findOwnCommands } from '../own-hooks.ts'
import type { Places, Trust } from '../recipe.ts'

const hooksFile = ['.codex', 'hooks.json'] as const

/** The user's `config.toml`. `CODEX_HOME` moves it. */
export function codexConfigPath({ home, environment }: Places): string {
  return join(environment.CODEX_HOME || join(home, '.codex'), 'config.toml')
}

/** In linked work trees Codex reads the hooks of the main one. */
export function codexRoot({ root, readText }: Pick<Places, 'root' | 'readText'>): string {
  const repository = findRepository(root, readText)
  if (repository === null || repository.gitFolder === repository.commonFolder) return root
  const main = dirname(repository.commonFolder)
  // Work trees of a bare repository have none.
  return findRepository(main, readText)?.commonFolder === repository.commonFolder ? main : root
}

export function findCodexSwitchedOff(places: Places): string | null {
  const files = [codexConfigPath(places), join(codexRoot(places), '.codex', 'config.toml')]
  for (const file of files) {
    const features = findToml(readConfig(places, file), ['features'])
    if (!(features instanceof Map)) continue
    const name = ['hooks', 'codex_hooks'].find(feature => features.get(feature) === false)
    if (name !== undefined) return `"${name}" is false under [features] in ${file}`
  }
  const config = readConfig(places, codexConfigPath(places))
  const off = listHooks(places).filter(({ key }) => findToml(config, [...state, key, 'enabled']) === false)
  return off.length === 0
    ? null
    : `${off.map(({ event }) => event).join(', ')} switched off under /hooks of Codex`
}

const state = ['hooks', 'state']

/**
 * Codex keeps its answers in the user's config.toml: the trust level of the project, and for each reviewed hook a hash of its state at
 * that time, under the file's path, the event in lower case and the hook's position in the file.
 */
export function judgeCodexTrust(places: Places): Trust {
  const path = codexConfigPath(places)
  const config = readConfig(places, path)
  const roots = [...new Set([places.root, codexRoot(places)])]
  const isProjectTrusted = roots.some(
    root => findToml(config, ['projects', root, 'trust_level']) === 'trusted',
  )
  if (!isProjectTrusted) return { isTrusted: false, reason: `Codex does not trust this project (${path})` }
  const hooks = listHooks(places)
  const trusted = hooks.map(hook => ({
    ...hook,
    trusted: findToml(config, [...state, hook.key, 'trusted_hash']),
  }))
  const changed = trusted.filter(hook => typeof hook.trusted === 'string' && hook.trusted !== hook.hash)
  if (changed.length > 0)
    return { isTrusted: false, reason: `${nameEvents(changed)} changed since they were trusted in Codex` }
  const unknown = trusted.filter(hook => hook.trusted === undefined)
  if (unknown.length > 0 || hooks.length === 0)
    return { isTrusted: false, reason: `${nameEvents(unknown)} are not trusted in Codex yet` }
  return { isTrusted: true, reason: null }
}

function nameEvents(hooks: readonly { readonly event: string }[]): string {
  return hooks.length === 0 ? 'the hooks' : `the hooks for ${hooks.map(({ event }) => event).join(', ')}`
}

type CodexHook = { readonly event: string; readonly key: string; readonly hash: string }

/** Our hooks in the file that Codex reads. */
function listHooks(places: Places): CodexHook[] {
  const file = join(codexRoot(places), ...hooksFile)
  const settings = readJson(places, file)
  return codex.events.flatMap(event => {
    const groups = listOf(memberOf(memberOf(settings, 'hooks'), event))
    return groups.flatMap((group, groupIndex) =>
      listOf(memberOf(group, 'hooks')).flatMap((handler, index) => {
        if (findOwnCommands(handler, 'codex').length === 0) return []
        const label = event.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()
        const key = `${file}:${label}:${groupIndex}:${index}`
        return [{ event, key, hash: hashHook(label, memberOf(group, 'matcher'), handler) }]
      }),
    )
  })
}

const usualTimeoutSeconds = 600

/** Codex's own hash: SHA-256 over the JSON of the hook's members, sorted by name. */
function hashHook(label: string, matcher: unknown, handler: unknown): string {
  const timeout = memberOf(handler, 'timeout')
  const message = memberOf(handler, 'statusMessage')
  const hook = {
    async: false,
    command: memberOf(handler, 'command'),
    ...(typeof message === 'string' ? { statusMessage: message } : {}),
    timeout: Math.max(1, typeof timeout === 'number' ? timeout : usualTimeoutSeconds),
    type: 'command',
  }
  // Other events have nothing to match.
  const matched = label === 'post_tool_use' && typeof matcher === 'string' ? { matcher } : {}
  const text = JSON.stringify({ event_name: label, hooks: [hook], ...matched })
  return `sha256:${createHash('sha256').update(text).digest('hex')}`
}

function readConfig({ readText }: Places, path: string): TomlTable {
  return parseToml(readText(path) ?? '')
}

function readJson({ readText }: Places, path: string): unknown {
  try {
    return readValue(parseJsonc(readText(path) ?? '{}'))
  } catch {
    return null
  }
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.entries(value).find(([member]) => member === name)?.[1]
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

// Reads the TOML that tools use in their settings: tables, dotted and quoted keys, texts, booleans, inline tables. It skips lists, numbers, dates and texts of several lines.

type TomlTable = Map<string, TomlValue>
type TomlValue = string | boolean | TomlTable

function parseToml(text: string): TomlTable {
  const root: TomlTable = new Map()
  let table: TomlTable | null = root
  let openQuote: string | null = null
  for (const line of text.split(/\r?\n/)) {
    if (openQuote !== null) {
      if (line.includes(openQuote)) openQuote = null
      continue
    }
    const header = /^\s*\[{1,2}(.*)$/.exec(line)?.[1]
    const named = header === undefined ? null : readKey(header)
    if (named?.rest.startsWith(']')) table = openTable(root, named.path)
    else if (table !== null && header === undefined) readPair(line, table)
    openQuote = findOpenQuote(line)
  }
  return root
}

/** The value under the names; undefined when there is none. */
function findToml(table: TomlTable, path: readonly string[]): TomlValue | undefined {
  let value: TomlValue | undefined = table
  for (const name of path) value = value instanceof Map ? value.get(name) : undefined
  return value
}

/** Puts the key and value at the beginning of the line into the table. Returns the rest of the line. */
function readPair(text: string, table: TomlTable): string {
  const key = readKey(text)
  if (key === null || !key.rest.startsWith('=')) return ''
  const { value, rest } = readTomlValue(key.rest.slice(1).trimStart())
  const owner = openTable(table, key.path.slice(0, -1))
  const name = key.path.at(-1)
  if (owner !== null && name !== undefined && value !== undefined) owner.set(name, value)
  return rest
}

/** null when the name belongs to something other than a table. */
function openTable(root: TomlTable, path: readonly string[]): TomlTable | null {
  let table = root
  for (const name of path) {
    const inner = table.get(name) ?? new Map()
    if (!(inner instanceof Map)) return null
    table.set(name, inner)
    table = inner
  }
  return table
}

function readKey(text: string): { path: string[]; rest: string } | null {
  const path: string[] = []
  for (let rest = text.trimStart(); ; ) {
    const [whole = '', quoted, literal, bare] =
      /^(?:("(?:[^"\\]|\\.)*")|'([^']*)'|([A-Za-z0-9_-]+))\s*/.exec(rest) ?? []
    if (whole === '') return null
    path.push(quoted === undefined ? (literal ?? bare ?? '') : readBasic(quoted))
    rest = rest.slice(whole.length)
    if (!rest.startsWith('.')) return { path, rest }
    rest = rest.slice(1).trimStart()
  }
}

function readTomlValue(text: string): { value: TomlValue | undefined; rest: string } {
  const [whole = '', quoted, literal, word] =
    /^(?:("(?:[^"\\]|\\.)*")|'([^']*)'|(true|false)\b)\s*/.exec(text) ?? []
  const rest = text.slice(whole.length)
  if (quoted !== undefined) return { value: readBasic(quoted), rest }
  if (literal !== undefined) return { value: literal, rest }
  if (word !== undefined) return { value: word === 'true', rest }
  if (!text.startsWith('{')) return { value: undefined, rest: text.replace(/^[^,}]*/, '') }
  const table: TomlTable = new Map()
  let inner = text.slice(1).trimStart()
  while (inner !== '' && !inner.startsWith('}')) inner = readPair(inner, table).replace(/^\s*,\s*/, '')
  return { value: table, rest: inner.slice(1).trimStart() }
}

/** The escapes of TOML are those of JSON plus `\U` and `\e`, which no file path needs. */
function readBasic(quoted: string): string {
  try {
    return String(JSON.parse(quoted))
  } catch {
    return quoted.slice(1, -1)
  }
}

function findOpenQuote(line: string): string | null {
  const quote = /"""|'''/.exec(line)?.[0]
  return quote !== undefined && line.split(quote).length % 2 === 0 ? quote : null
}
