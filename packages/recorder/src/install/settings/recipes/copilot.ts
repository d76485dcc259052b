// GitHub Copilot CLI: a hook file of our own beside any others. The cloud agent runs it too, so it is silent where the recorder is absent.
import { join } from 'node:path'
import { findSetting } from '../read-setting.ts'
import { hookTimeoutSeconds, type Recipe } from '../recipe.ts'

export const copilotRecipe: Recipe = {
  tool: 'copilot',
  file: ['.github', 'hooks', 'fairgate-recorder.json'],
  isStrict: true,
  rootMembers: { version: 1 },
  listOf: event => ['hooks', event],
  item: (_event, { line, powershell }) => ({
    type: 'command',
    bash: `${line} || true`,
    powershell,
    timeoutSec: hookTimeoutSeconds,
  }),
  signs: {
    project: ['.github/hooks', '.github/copilot', '.github/copilot-instructions.md'],
    home: ['.copilot'],
    programs: ['copilot'],
  },
  isTrusted: () => null,
  findSwitchedOff: ({ root, home, readText }) => {
    const names = ['settings.local.json', 'settings.json'].map(name => join(root, '.github', 'copilot', name))
    const file = findSetting(
      readText,
      [...names, join(home, '.copilot', 'settings.json')],
      ['disableAllHooks'],
      true,
    )
    return file === null ? null : `"disableAllHooks" is true in ${file}`
  },
  humanStep: 'Copilot CLI: trust this folder when it asks.',
}
