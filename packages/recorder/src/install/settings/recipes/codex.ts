// OpenAI Codex CLI: hooks in groups in a file of their own; an unknown member at its root would make Codex refuse the file.
import { join } from 'node:path'
import { codex } from '../../../tools/codex/codex.ts'
import { hookTimeoutSeconds, type Places, type Recipe } from '../recipe.ts'

export const codexRecipe: Recipe = {
  tool: 'codex',
  file: ['.codex', 'hooks.json'],
  isStrict: true,
  rootMembers: {},
  listOf: event => ['hooks', event],
  item: (event, { line }) => ({
    ...(event === 'PostToolUse' ? { matcher: '*' } : {}),
    hooks: [{ type: 'command', command: line, timeout: hookTimeoutSeconds }],
  }),
  signs: { project: ['.codex'], home: ['.codex'], programs: ['codex'] },
  isTrusted,
  findSwitchedOff: places =>
    /^\s*(?:codex_)?hooks\s*=\s*false/m.test(readTable(readUserConfig(places), 'features') ?? '')
      ? '"hooks" is false under [features] in the config.toml of Codex'
      : null,
  humanStep:
    'Codex: start "codex" here, trust the project, then open /hooks and trust the hooks of fairgate-recorder. Until then it runs none of them.',
}

/**
 * Codex keeps both answers in the user's own config.toml: the project's trust level, and a state for each hook that was reviewed,
 * under the file's path and the event's name in small letters. Whether a reviewed hook is still the same only Codex can tell.
 */
function isTrusted(places: Places): boolean {
  const config = readUserConfig(places)
  const names = [JSON.stringify(places.root), `'${places.root}'`]
  const project = names.map(name => readTable(config, `projects.${name}`)).find(table => table !== null) ?? ''
  if (!/^\s*trust_level\s*=\s*["']trusted["']/m.test(project)) return false
  const file = join(places.root, '.codex', 'hooks.json')
  const escaped = JSON.stringify(file).slice(1, -1)
  return codex.events.every(event => {
    const name = event.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()
    return [file, escaped].some(path => config.includes(`${path}:${name}:`))
  })
}

function readUserConfig({ home, readText }: Places): string {
  return readText(join(home, '.codex', 'config.toml')) ?? ''
}

/** The lines below a TOML header up to the next. */
function readTable(toml: string, name: string): string | null {
  const lines = toml.split(/\r?\n/)
  const start = lines.findIndex(line => line.trim() === `[${name}]`)
  if (start < 0) return null
  const length = lines.slice(start + 1).findIndex(line => /^\s*\[/.test(line))
  return lines.slice(start + 1, length < 0 ? undefined : start + 1 + length).join('\n')
}
