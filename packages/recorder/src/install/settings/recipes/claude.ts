// Claude Code: hooks in groups, in the settings that belong to this work tree alone.
import { join } from 'node:path'
import { findSetting } from '../read-setting.ts'
import { hookTimeoutSeconds, type Recipe, unknownTrust } from '../recipe.ts'

/** The settings that the machine's administrator made for everybody. */
const managedFiles = [
  '/etc/claude-code/managed-settings.json',
  '/Library/Application Support/ClaudeCode/managed-settings.json',
  'C:\\Program Files\\ClaudeCode\\managed-settings.json',
]

export const claudeRecipe: Recipe = {
  tool: 'claude',
  file: ['.claude', 'settings.local.json'],
  // Seen with 2.1.331: one comment, and it ignores the whole file without a word.
  accepts: ['byte order mark'],
  rootMembers: {},
  listOf: event => ['hooks', event],
  item: (event, { line }) => ({
    ...(event.startsWith('PostToolUse') ? { matcher: '*' } : {}),
    hooks: [{ type: 'command', command: line, timeout: hookTimeoutSeconds }],
  }),
  signs: { project: ['.claude', 'CLAUDE.md'], home: ['.claude'], programs: ['claude'] },
  judgeTrust: () => unknownTrust,
  trustFiles: () => [],
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
}
