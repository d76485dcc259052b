// Reads Codex's trust in our hooks: whether it loads those of this project, and which of them the user trusts in their current form.
import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { findRepository } from '../../../git/find-repository.ts'
import { listOf, memberAt } from '../../../json/members.ts'
import { codex } from '../../../tools/codex/codex.ts'
import { readSetting } from '../../jsonc/jsonc.ts'
import { parseToml } from '../../toml/read-toml.ts'
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
    const config = readConfig(places, file)
    const name = ['hooks', 'codex_hooks'].find(feature => memberAt(config, 'features', feature) === false)
    if (name !== undefined) return `"${name}" is false under [features] in ${file}`
  }
  const config = readConfig(places, codexConfigPath(places))
  const off = listHooks(places).filter(({ key }) => memberAt(config, ...state, key, 'enabled') === false)
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
  const isProjectTrusted = roots.some(root => memberAt(config, 'projects', root, 'trust_level') === 'trusted')
  if (!isProjectTrusted) return { isTrusted: false, reason: `Codex does not trust this project (${path})` }
  const hooks = listHooks(places)
  const trusted = hooks.map(hook => ({
    ...hook,
    trusted: memberAt(config, ...state, hook.key, 'trusted_hash'),
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
  return codex.events.flatMap(event => {
    const groups = listOf(readSetting(places.readText, file, ['hooks']), event)
    return groups.flatMap((group, groupIndex) =>
      listOf(group, 'hooks').flatMap((handler, index) => {
        if (findOwnCommands(handler, 'codex').length === 0) return []
        const label = event.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()
        const key = `${file}:${label}:${groupIndex}:${index}`
        return [{ event, key, hash: hashHook(label, memberAt(group, 'matcher'), handler) }]
      }),
    )
  })
}

const usualTimeoutSeconds = 600

/** Codex's own hash: SHA-256 over the JSON of the hook's members, sorted by name. */
function hashHook(label: string, matcher: unknown, handler: unknown): string {
  const timeout = memberAt(handler, 'timeout')
  const message = memberAt(handler, 'statusMessage')
  const hook = {
    async: false,
    command: memberAt(handler, 'command'),
    ...(typeof message === 'string' ? { statusMessage: message } : {}),
    timeout: Math.max(1, typeof timeout === 'number' ? timeout : usualTimeoutSeconds),
    type: 'command',
  }
  // Other events have nothing to match.
  const matched = label === 'post_tool_use' && typeof matcher === 'string' ? { matcher } : {}
  const text = JSON.stringify({ event_name: label, hooks: [hook], ...matched })
  return `sha256:${createHash('sha256').update(text).digest('hex')}`
}

/** Throws if Codex cannot read it either. */
function readConfig({ readText }: Places, path: string): unknown {
  try {
    return parseToml(readText(path) ?? '')
  } catch (thrown) {
    throw new Error(`${path}: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
  }
}
