// What `status` and `doctor` say about a tool must be true at that moment. Each case is a change that somebody makes to its settings.
//
// The hashes come from Codex 0.169.0, which gave them for exactly these hooks (`hooks/list` of its app server).
import { describe, expect, test } from 'bun:test'
import type { ToolName } from '../../tools/tool.ts'
import { mergeHooks } from '../settings/merge-hooks.ts'
import { recipes } from '../settings/recipes.ts'
import { judgeTool, type ToolFacts, type ToolState } from './judge-tool.ts'

const root = '/x'
const home = '/home/me'
const launcher = '/x/fairgate-recorder'

function settingsOf(tool: ToolName): string {
  const commandOf = (event: string) => {
    const line = `${launcher} hook ${tool} ${event}`
    return { line, guarded: line, powershell: '' }
  }
  return mergeHooks(null, recipes[tool], commandOf).text
}

type World = {
  readonly files?: Readonly<Record<string, string>>
  readonly environment?: Readonly<Record<string, string>>
  readonly facts?: Partial<ToolFacts>
  readonly folder?: string
}

function judge(tool: ToolName, { files = {}, environment = {}, facts = {}, folder = root }: World = {}) {
  const all: Record<string, string> = {
    [`${root}/.git/HEAD`]: 'ref: refs/heads/main\n',
    [[root, ...recipes[tool].file].join('/')]: settingsOf(tool),
    ...files,
  }
  const readText = (path: string) => all[path] ?? null
  return judgeTool(
    tool,
    { root: folder, home, readText, environment },
    { launcher, isExpected: true, lastEventAt: 100, modifiedAt: () => 200, ...facts },
  )
}

const config = `${home}/.codex/config.toml`
const hashes = {
  post_tool_use: 'b6d47566b05d9e9d0e0d118c2c1b9c88091dbac4b62ffec50cc6d3f15c97782e',
  stop: '59ef5d6398961f84ff7389cee9a1a150448e890ecd7ae064e8df969e67bfec0d',
  user_prompt_submit: '8165cee6d682f4ca1fa676fe7f49e6211080b66f7705ce8eb84b34d808b02fa5',
}
const project = `[projects."${root}"]\ntrust_level = "trusted"\n`
const reviewed = (changes: Partial<typeof hashes> = {}) =>
  Object.entries({ ...hashes, ...changes })
    .map(([label, hash]) => `${headerOf(label)}\ntrusted_hash = "sha256:${hash}"\n`)
    .join('\n')
const headerOf = (label: string) => `[hooks.state."${root}/.codex/hooks.json:${label}:0:0"]`

describe('codex', () => {
  // Shown to fail on the build before, which looked for the name of a hook and not for what was trusted.
  test.each<[string, World, ToolState, RegExp | null]>([
    ['trusted as it is', { files: { [config]: project + reviewed() } }, 'ok', null],
    ['no configuration at all', {}, 'not trusted', /does not trust this project/],
    [
      'the project is not trusted',
      { files: { [config]: reviewed() } },
      'not trusted',
      /does not trust this project/,
    ],
    ['never reviewed', { files: { [config]: project } }, 'not trusted', /not trusted in Codex yet.*\/hooks/],
    [
      'changed since it was trusted',
      { files: { [config]: project + reviewed({ stop: 'f'.repeat(64) }) } },
      'not trusted',
      /hooks for Stop changed since they were trusted/,
    ],
    [
      'one hook switched off',
      {
        files: {
          [config]: (project + reviewed()).replace(headerOf('stop'), `${headerOf('stop')}\nenabled = false`),
        },
      },
      'switched off',
      /Stop switched off under \/hooks/,
    ],
    [
      'all hooks switched off',
      { files: { [config]: `features.hooks = false\n${project}${reviewed()}` } },
      'switched off',
      /"hooks" is false under \[features\]/,
    ],
    [
      'switched off by the project',
      {
        files: {
          [config]: project + reviewed(),
          '/x/.codex/config.toml': '[features]\ncodex_hooks = false # ours',
        },
      },
      'switched off',
      /\/x\/\.codex\/config\.toml/,
    ],
    [
      'CODEX_HOME is elsewhere and knows the project',
      {
        environment: { CODEX_HOME: '/srv/codex' },
        files: { '/srv/codex/config.toml': project + reviewed() },
      },
      'ok',
      null,
    ],
    [
      'CODEX_HOME is elsewhere and does not',
      { environment: { CODEX_HOME: '/srv/codex' }, files: { [config]: project + reviewed() } },
      'not trusted',
      /\/srv\/codex\/config\.toml/,
    ],
    [
      'trusted in an inline table',
      { files: { [config]: `projects = { '/x' = { trust_level = "trusted" } }\n${reviewed()}` } },
      'ok',
      null,
    ],
    [
      'a linked work tree, where Codex reads the hooks of the main one',
      {
        folder: '/y',
        files: {
          [config]: project + reviewed(),
          '/y/.git': 'gitdir: /x/.git/worktrees/y\n',
          '/x/.git/worktrees/y/HEAD': 'ref: refs/heads/side\n',
          '/x/.git/worktrees/y/commondir': '../..\n',
        },
      },
      'ok',
      null,
    ],
    [
      'an event came since the last change, so Codex knows better than its files',
      { facts: { lastEventAt: 300 } },
      'ok',
      null,
    ],
    [
      'never called',
      { files: { [config]: project + reviewed() }, facts: { lastEventAt: null } },
      'unseen',
      /no event has come yet\. Restart Codex/,
    ],
  ])('%s', (_, world, state, reason) => {
    const health = judge('codex', world)
    expect(health.state).toBe(state)
    if (reason === null) expect(health.reason).toBeNull()
    else expect(health.reason).toMatch(reason)
  })
})

describe('gemini', () => {
  const trusted = `${home}/.gemini/trustedFolders.json`
  const user = `${home}/.gemini/settings.json`
  const asked = '{"security": {"folderTrust": {"enabled": true}}}'
  // Shown to fail on the build before: disabled by name, TRUST_PARENT, and a question never asked were `hooked`.
  test.each<[string, World, ToolState, RegExp | null]>([
    ['nothing known', {}, 'ok', null],
    [
      'disabled by its name',
      { files: { [user]: '{"hooksConfig": {"disabled": ["fairgate-recorder"]}} // mine' } },
      'switched off',
      /disabled by its name .*\/hooks enable/,
    ],
    ['another is disabled', { files: { [user]: '{"hooksConfig": {"disabled": ["other"]}}' } }, 'ok', null],
    [
      'all off',
      { files: { [user]: '{"hooksConfig": {"enabled": false}}' } },
      'switched off',
      /hooksConfig\.enabled/,
    ],
    [
      'all off by the machine',
      { files: { '/etc/gemini-cli/settings.json': '{"hooksConfig": {"enabled": false}}' } },
      'switched off',
      /\/etc\/gemini-cli/,
    ],
    [
      'the folder is not trusted',
      { files: { [trusted]: '{"/x": "DO_NOT_TRUST"}' } },
      'not trusted',
      /does not trust/,
    ],
    ['the folder is trusted', { files: { [user]: asked, [trusted]: '{"/x": "TRUST_FOLDER"}' } }, 'ok', null],
    ['its parent is trusted', { files: { [user]: asked, [trusted]: '{"/z": "TRUST_PARENT"}' } }, 'ok', null],
    ['the question was never asked', { files: { [user]: asked } }, 'not trusted', /has not been asked/],
    [
      'the question is switched off',
      {
        files: {
          [user]: '{"security": {"folderTrust": {"enabled": false}}}',
          [trusted]: '{"/x": "DO_NOT_TRUST"}',
        },
      },
      'ok',
      null,
    ],
  ])('%s', (_, world, state, reason) => {
    const health = judge('gemini', world)
    expect(health.state).toBe(state)
    if (reason === null) expect(health.reason).toBeNull()
    else expect(health.reason).toMatch(reason)
  })
})

describe('the others', () => {
  const copilotConfig = `${home}/.copilot/config.json`
  test.each<[string, ToolName, World, ToolState]>([
    [
      'Claude Code off for all',
      'claude',
      { files: { [`${home}/.claude/settings.json`]: '{"disableAllHooks": true}' } },
      'switched off',
    ],
    [
      'Claude Code elsewhere, and off',
      'claude',
      {
        environment: { CLAUDE_CONFIG_DIR: '/srv/c' },
        files: { '/srv/c/settings.json': '{"disableAllHooks": true}' },
      },
      'switched off',
    ],
    [
      "only the machine's hooks",
      'claude',
      { files: { '/etc/claude-code/managed-settings.json': '{"allowManagedHooksOnly": true}' } },
      'switched off',
    ],
    [
      'Copilot does not trust the folder',
      'copilot',
      { files: { [copilotConfig]: '{"trusted_folders": ["/xy"]}' } },
      'not trusted',
    ],
    [
      'Copilot trusts one above',
      'copilot',
      { files: { [copilotConfig]: '{"trusted_folders": ["/"]}' } },
      'ok',
    ],
    [
      'Antigravity has it disabled',
      'antigravity',
      {
        files: {
          '/x/.agents/hooks.json': settingsOf('antigravity').replace(
            '"fairgate-recorder": {',
            '"fairgate-recorder": {"enabled": false, ',
          ),
        },
      },
      'switched off',
    ],
    ['hooks gone', 'cursor', { files: { '/x/.cursor/hooks.json': '' } }, 'gone'],
    [
      'never installed',
      'cursor',
      { files: { '/x/.cursor/hooks.json': '' }, facts: { isExpected: false } },
      'no hooks',
    ],
    ['another recorder', 'cursor', { facts: { launcher: '/elsewhere' } }, 'elsewhere'],
    [
      'one event without a hook',
      'cursor',
      { files: { '/x/.cursor/hooks.json': settingsOf('cursor').replace('cursor stop', 'x') } },
      'incomplete',
    ],
    ['not JSON', 'cursor', { files: { '/x/.cursor/hooks.json': `${settingsOf('cursor')}]` } }, 'unreadable'],
    // As Claude Code 2.1.331 does. Shown to fail on the build before, which said `ok`.
    [
      'a comment, with which Claude Code ignores the file',
      'claude',
      { files: { '/x/.claude/settings.local.json': `// mine\n${settingsOf('claude')}` } },
      'unreadable',
    ],
    ['never called', 'cursor', { facts: { lastEventAt: null } }, 'unseen'],
    ['in use', 'cursor', {}, 'ok'],
  ])('%s', (_, tool, world, state) => {
    const health = judge(tool, world)
    expect(health.state).toBe(state)
    expect(health.reason === null).toBe(state === 'ok' || state === 'no hooks')
  })
})
