// Gemini CLI: hooks in groups within its general settings; times are in milliseconds.
import { dirname, join } from 'node:path'
import { findSetting, readSetting } from '../read-setting.ts'
import { hookTimeoutSeconds, type Places, type Recipe } from '../recipe.ts'

export const geminiRecipe: Recipe = {
  tool: 'gemini',
  file: ['.gemini', 'settings.json'],
  isStrict: false,
  rootMembers: {},
  listOf: event => ['hooks', event],
  item: (event, { line }) => ({
    ...(event === 'AfterTool' ? { matcher: '*' } : {}),
    hooks: [
      { name: 'fairgate-recorder', type: 'command', command: line, timeout: hookTimeoutSeconds * 1000 },
    ],
  }),
  // Antigravity keeps its things in ~/.gemini too.
  signs: {
    project: ['.gemini', 'GEMINI.md'],
    home: ['.gemini/settings.json', '.gemini/tmp'],
    programs: ['gemini'],
  },
  isTrusted,
  findSwitchedOff: ({ root, home, readText }) => {
    const files = [join(root, '.gemini', 'settings.json'), join(home, '.gemini', 'settings.json')]
    const file = findSetting(readText, files, ['hooksConfig', 'enabled'], false)
    return file === null ? null : `"hooksConfig.enabled" is false in ${file}`
  },
  humanStep: 'Gemini CLI: trust this folder when it asks (or /permissions), and restart open sessions.',
}

/** The answers are kept by folder; one given for a parent counts. null: the question is switched off or was never asked. */
function isTrusted({ root, home, readText }: Places): boolean | null {
  const file = join(home, '.gemini', 'trustedFolders.json')
  for (let folder = root; ; folder = dirname(folder)) {
    const answer = readSetting(readText, file, [folder])
    if (answer === 'TRUST_FOLDER') return true
    if (answer === 'DO_NOT_TRUST') return false
    if (dirname(folder) === folder) return null
  }
}
