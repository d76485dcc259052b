// Claude Code: hooks in groups, in the settings that belong to this work tree alone.
import { join } from 'node:path'
import { findSetting } from '../read-setting.ts'
import { hookTimeoutSeconds, type Recipe } from '../recipe.ts'

export const claudeRecipe: Recipe = {
  tool: 'claude',
  file: ['.claude', 'settings.local.json'],
  isStrict: false,
  rootMembers: {},
  listOf: event => ['hooks', event],
  item: (event, { line }) => ({
    ...(event.startsWith('PostToolUse') ? { matcher: '*' } : {}),
    hooks: [{ type: 'command', command: line, timeout: hookTimeoutSeconds }],
  }),
  signs: { project: ['.claude', 'CLAUDE.md'], home: ['.claude'], programs: ['claude'] },
  isTrusted: () => null,
  findSwitchedOff: ({ root, home, readText }) => {
    const names = [join(root, '.claude', 'settings.local.json'), join(root, '.claude', 'settings.json')]
    const file = findSetting(
      readText,
      [...names, join(home, '.claude', 'settings.json')],
      ['disableAllHooks'],
      true,
    )
    return file === null ? null : `"disableAllHooks" is true in ${file}`
  },
  humanStep: 'Claude Code: restart open sessions, and accept the trust question if it asks.',
}
