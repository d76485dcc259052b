// Google Antigravity: named hooks in strict JSON, of which one wrong value would silently void the whole file.
import { hookTimeoutSeconds, type Recipe } from '../recipe.ts'

export const antigravityRecipe: Recipe = {
  tool: 'antigravity',
  file: ['.agents', 'hooks.json'],
  isStrict: true,
  rootMembers: {},
  listOf: event => ['fairgate-recorder', event],
  item: (_event, { line }) => ({ type: 'command', command: line, timeout: hookTimeoutSeconds }),
  signs: {
    project: ['.agents', '.agent'],
    home: ['.gemini/antigravity', '.gemini/antigravity-ide', '.gemini/antigravity-cli', '.antigravity'],
    programs: ['agy', 'antigravity'],
  },
  // It asks nobody.
  isTrusted: () => true,
  findSwitchedOff: () => null,
  humanStep: null,
}
