// Gemini CLI: hooks in groups in its general settings, with times in milliseconds.
import { dirname, join } from 'node:path'
import { findSetting, readSetting } from '../../jsonc/jsonc.ts'
import { findOwnCommands } from '../own-hooks.ts'
import {
  fullTrust,
  hookTimeoutSeconds,
  type Places,
  type Recipe,
  type Trust,
  unknownTrust,
} from '../recipe.ts'

const hookName = 'fairgate-recorder'

export const geminiRecipe: Recipe = {
  tool: 'gemini',
  file: ['.gemini', 'settings.json'],
  // Seen with 0.61.0: otherwise it does not start.
  accepts: ['comment'],
  rootMembers: {},
  listOf: event => ['hooks', event],
  item: (event, { line }) => ({
    ...(event === 'AfterTool' ? { matcher: '*' } : {}),
    hooks: [{ name: hookName, type: 'command', command: line, timeout: hookTimeoutSeconds * 1000 }],
  }),
  // Antigravity keeps its files in ~/.gemini too.
  signs: {
    project: ['.gemini', 'GEMINI.md'],
    home: ['.gemini/settings.json', '.gemini/tmp'],
    programs: ['gemini'],
  },
  judgeTrust,
  trustFiles: places => [trustedFoldersPath(places), ...listSettings(places)],
  findSwitchedOff: places => {
    const { readText } = places
    const files = listSettings(places)
    // Older versions keep them under other names.
    for (const path of [
      ['hooksConfig', 'enabled'],
      ['hooks', 'enabled'],
      ['tools', 'enableHooks'],
    ]) {
      const file = findSetting(readText, files, path, false)
      if (file !== null) return `"${path.join('.')}" is false in ${file}`
    }
    const lists = files.flatMap(file =>
      ['hooksConfig', 'hooks'].map(name => ({
        file,
        names: readSetting(readText, file, [name, 'disabled']),
      })),
    )
    const off = lists.find(({ names }) => Array.isArray(names) && names.some(isOurs))
    return off === undefined
      ? null
      : `the hook is disabled by its name in ${off.file} (/hooks enable ${hookName})`
  },
  humanStep:
    'Start Gemini CLI once at the top of this repository, and trust the folder when it asks (or /permissions). In a subfolder it runs no hooks. Restart sessions that are open.',
}

function geminiHome({ home, environment }: Places): string {
  return join(environment.GEMINI_CLI_HOME || home, '.gemini')
}

/** The project's, the user's and the machine's. */
function listSettings(places: Places): string[] {
  const machine = places.environment.GEMINI_CLI_SYSTEM_SETTINGS_PATH || '/etc/gemini-cli/settings.json'
  return [join(places.root, '.gemini', 'settings.json'), join(geminiHome(places), 'settings.json'), machine]
}

function trustedFoldersPath(places: Places): string {
  return places.environment.GEMINI_CLI_TRUSTED_FOLDERS_PATH || join(geminiHome(places), 'trustedFolders.json')
}

/** A hook without a name is known by its command. */
function isOurs(name: unknown): boolean {
  return name === hookName || findOwnCommands(name, 'gemini').length > 0
}

/** The answers are stored by folder, and the nearest one above counts. Gemini CLI asks only if the question is switched on. */
function judgeTrust(places: Places): Trust {
  const { root, readText } = places
  const [, ...files] = listSettings(places)
  const isAsked = (value: boolean) =>
    findSetting(readText, files, ['security', 'folderTrust', 'enabled'], value)
  if (isAsked(false) !== null) return fullTrust
  const file = trustedFoldersPath(places)
  const answers = readSetting(readText, file, [])
  const entries = typeof answers === 'object' && answers !== null ? Object.entries(answers) : []
  for (let folder = root; ; folder = dirname(folder)) {
    const own = entries.find(([path]) => path === folder)?.[1]
    if (own === 'DO_NOT_TRUST')
      return { isTrusted: false, reason: `Gemini CLI does not trust ${folder} (${file})` }
    const isParent = entries.some(([path, answer]) => answer === 'TRUST_PARENT' && dirname(path) === folder)
    if (own === 'TRUST_FOLDER' || isParent) return fullTrust
    if (dirname(folder) === folder) break
  }
  if (isAsked(true) === null) return unknownTrust
  return { isTrusted: false, reason: 'Gemini CLI has not been asked to trust this folder yet' }
}
