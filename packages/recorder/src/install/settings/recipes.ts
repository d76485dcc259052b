// Hook recipes for the settings of each AI tool.
import { join } from 'node:path'
import type { ToolName } from '../../tools/tool.ts'
import { findSetting, readSetting } from '../jsonc/jsonc.ts'
import { fullTrust, hookTimeoutSeconds, type Recipe, unknownTrust } from './recipe.ts'
import { codexConfigPath, codexRoot, findCodexSwitchedOff, judgeCodexTrust } from './recipes/codex-trust.ts'
import { copilotRecipe } from './recipes/copilot.ts'
import { geminiRecipe } from './recipes/gemini.ts'

/** The settings that the machine's administrator made for everybody. */
const managedFiles = [
  '/etc/claude-code/managed-settings.json',
  '/Library/Application Support/ClaudeCode/managed-settings.json',
  'C:\\Program Files\\ClaudeCode\\managed-settings.json',
]

/** As most tools have it. */
const usual = {
  rootMembers: {},
  listOf: (event: string) => ['hooks', event],
  judgeTrust: () => unknownTrust,
  trustFiles: () => [],
  findSwitchedOff: () => null,
} satisfies Partial<Recipe>

export const recipes: Readonly<Record<ToolName, Recipe>> = {
  /** Claude Code: hooks in groups, in the settings that belong to this work tree alone. */
  claude: {
    ...usual,
    tool: 'claude',
    file: ['.claude', 'settings.local.json'],
    // Seen with 2.1.331: one comment, and it ignores the whole file without a word.
    accepts: ['byte order mark'],
    item: (event, { line }) => ({
      ...(event.startsWith('PostToolUse') ? { matcher: '*' } : {}),
      hooks: [{ type: 'command', command: line, timeout: hookTimeoutSeconds }],
    }),
    signs: { project: ['.claude', 'CLAUDE.md'], home: ['.claude'], programs: ['claude'] },
    findSwitchedOff: ({ root, home, readText, environment }) => {
      const names = ['settings.local.json', 'settings.json'].map(name => join(root, '.claude', name))
      const user = join(environment.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'settings.json')
      const off = findSetting(readText, [...names, user, ...managedFiles], ['disableAllHooks'], true)
      if (off !== null) return `"disableAllHooks" is true in ${off}`
      const managed = findSetting(readText, managedFiles, ['allowManagedHooksOnly'], true)
      return managed === null ? null : `"allowManagedHooksOnly" is true in ${managed}`
    },
    humanStep:
      'Start Claude Code once at the top of this repository, and accept its trust question if it asks. In a subfolder it may run no hooks. Restart sessions that are open.',
  },
  /** Cursor: flat lists of hooks. The command must be one simple command, because Cursor adds the payload to the line as a here-document. */
  cursor: {
    ...usual,
    tool: 'cursor',
    file: ['.cursor', 'hooks.json'],
    // As its hook engine of 1.0.18 parses the file. It also takes `//` within a text for a comment.
    accepts: ['comment'],
    rootMembers: { version: 1 },
    item: (_event, { line }) => ({ command: line, timeout: hookTimeoutSeconds }),
    signs: { project: ['.cursor', '.cursorrules'], home: ['.cursor'], programs: ['cursor', 'cursor-agent'] },
    humanStep:
      'Quit Cursor and start it again once. Before that the first prompt of a session is not recorded.',
  },
  /** OpenAI Codex CLI: hooks in groups in a separate file. An unknown member at its root would make Codex refuse the file. */
  codex: {
    ...usual,
    tool: 'codex',
    file: ['.codex', 'hooks.json'],
    // Seen with 0.169.0, which then runs none of these hooks.
    accepts: [],
    item: (event, { line }) => ({
      ...(event === 'PostToolUse' ? { matcher: '*' } : {}),
      hooks: [{ type: 'command', command: line, timeout: hookTimeoutSeconds }],
    }),
    signs: { project: ['.codex'], home: ['.codex'], programs: ['codex'] },
    judgeTrust: judgeCodexTrust,
    trustFiles: places => [codexConfigPath(places)],
    rootOf: codexRoot,
    findSwitchedOff: findCodexSwitchedOff,
    humanStep:
      'Start Codex here once: choose "Trust and continue" for the folder, then "Trust all and continue" for the hooks (or open /hooks later). Until then it runs none of them.',
  },
  gemini: geminiRecipe,
  copilot: copilotRecipe,
  /** Google Antigravity: named hooks in strict JSON, where a single wrong value silently disables the whole file. */
  antigravity: {
    ...usual,
    tool: 'antigravity',
    file: ['.agents', 'hooks.json'],
    accepts: [],
    listOf: event => ['fairgate-recorder', event],
    item: (_event, { line }) => ({ type: 'command', command: line, timeout: hookTimeoutSeconds }),
    signs: {
      project: ['.agents', '.agent'],
      home: ['.gemini/antigravity', '.gemini/antigravity-ide', '.gemini/antigravity-cli', '.antigravity'],
      programs: ['agy', 'antigravity'],
    },
    // Antigravity does not ask anybody for trust.
    judgeTrust: () => fullTrust,
    findSwitchedOff: ({ root, readText }) => {
      const file = join(root, '.agents', 'hooks.json')
      const isOff = readSetting(readText, file, ['fairgate-recorder', 'enabled']) === false
      return isOff ? `"fairgate-recorder" is not enabled in ${file}` : null
    },
    humanStep: null,
  },
}
