// GitHub Copilot CLI: our own hook file next to any others. The cloud agent runs it too, so it does nothing if there is no recorder.
import { isAbsolute, join, relative } from 'node:path'
import { findSetting, readSetting } from '../../jsonc/jsonc.ts'
import {
  fullTrust,
  hookTimeoutSeconds,
  type Places,
  type Recipe,
  type Trust,
  unknownTrust,
} from '../recipe.ts'

export const copilotRecipe: Recipe = {
  tool: 'copilot',
  file: ['.github', 'hooks', 'fairgate-recorder.json'],
  // Seen with 1.0.102.
  accepts: [],
  rootMembers: { version: 1 },
  listOf: event => ['hooks', event],
  item: (_event, { guarded, powershell }) => ({
    type: 'command',
    bash: guarded,
    powershell,
    timeoutSec: hookTimeoutSeconds,
  }),
  signs: {
    project: ['.github/hooks', '.github/copilot', '.github/copilot-instructions.md'],
    home: ['.copilot'],
    programs: ['copilot'],
  },
  judgeTrust,
  trustFiles: listTrustFiles,
  findSwitchedOff: places => {
    const { root, readText } = places
    const names = ['settings.local.json', 'settings.json'].map(name => join(root, '.github', 'copilot', name))
    const own = join(root, '.github', 'hooks', 'fairgate-recorder.json')
    const files = [own, ...names, join(copilotHome(places), 'settings.json')]
    const file = findSetting(readText, files, ['disableAllHooks'], true)
    return file === null ? null : `"disableAllHooks" is true in ${file}`
  },
  humanStep: 'Start Copilot CLI here once, and trust the folder when it asks.',
}

function copilotHome({ home, environment }: Places): string {
  return environment.COPILOT_HOME || join(home, '.copilot')
}

function listTrustFiles(places: Places): string[] {
  return ['config.json', 'settings.json'].map(name => join(copilotHome(places), name))
}

/** A list has the folders that the user trusted, which include those below them. Without a list nothing is known. */
function judgeTrust(places: Places): Trust {
  const lists = listTrustFiles(places).flatMap(file =>
    ['trusted_folders', 'trustedFolders'].map(name => readSetting(places.readText, file, [name])),
  )
  const known = lists.filter(list => Array.isArray(list))
  if (known.length === 0) return unknownTrust
  const isCovered = known.flat().some(folder => typeof folder === 'string' && isWithin(places.root, folder))
  return isCovered ? fullTrust : { isTrusted: false, reason: 'Copilot CLI does not trust this folder yet' }
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way === '' || (!way.startsWith('..') && !isAbsolute(way))
}
