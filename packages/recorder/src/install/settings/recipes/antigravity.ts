// Google Antigravity: named hooks in strict JSON, where a single wrong value silently disables the whole file.
import { join } from 'node:path'
import { readSetting } from '../read-setting.ts'
import { fullTrust, hookTimeoutSeconds, type Recipe } from '../recipe.ts'

export const antigravityRecipe: Recipe = {
  tool: 'antigravity',
  file: ['.agents', 'hooks.json'],
  accepts: [],
  rootMembers: {},
  listOf: event => ['fairgate-recorder', event],
  item: (_event, { line }) => ({ type: 'command', command: line, timeout: hookTimeoutSeconds }),
  signs: {
    project: ['.agents', '.agent'],
    home: ['.gemini/antigravity', '.gemini/antigravity-ide', '.gemini/antigravity-cli', '.antigravity'],
    programs: ['agy', 'antigravity'],
  },
  // Antigravity does not ask anybody for trust.
  judgeTrust: () => fullTrust,
  trustFiles: () => [],
  findSwitchedOff: ({ root, readText }) => {
    const file = join(root, '.agents', 'hooks.json')
    const isOff = readSetting(readText, file, ['fairgate-recorder', 'enabled']) === false
    return isOff ? `"fairgate-recorder" is not enabled in ${file}` : null
  },
  humanStep: null,
}
