// Looks up a setting in git's configuration files, and says when only git itself can answer.
import { dirname, isAbsolute, join, resolve } from 'node:path'
import type { Repository } from './find-repository.ts'
import { type ConfigLine, parseConfig } from './parse-config.ts'
import type { ReadText } from './read-text.ts'

export type ConfigPlaces = {
  readonly home: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The lines of a configuration file; null when there is none. */
  readonly readConfig: (path: string) => ConfigLine[] | null
}

/** Parses each file once, however many settings are asked for. */
export function createReadConfig(readText: ReadText): ConfigPlaces['readConfig'] {
  const parsed = new Map<string, ConfigLine[] | null>()
  return path => {
    const known = parsed.get(path)
    if (known !== undefined) return known
    const text = readText(path)
    const lines = text === null ? null : parseConfig(text)
    parsed.set(path, lines)
    return lines
  }
}

/** `unsure`: a conditional include, whose conditions only git evaluates, might change the answer. */
export type Found = { readonly value: string | null; readonly unsure: boolean }

const deepestInclude = 10

/** The setting in the repository's own files. */
export function findLocalSetting(repository: Repository, name: string, places: ConfigPlaces): Found {
  const shared = findInFile(join(repository.commonFolder, 'config'), name, places)
  const hasOwn = findInFile(join(repository.commonFolder, 'config'), 'extensions.worktreeconfig', places)
  if (!/^(true|yes|on|1)$/i.test(hasOwn.value ?? '')) return shared
  const own = findInFile(join(repository.gitFolder, 'config.worktree'), name, places)
  return { value: own.value ?? shared.value, unsure: own.unsure || shared.unsure }
}

/** The setting of the user or the machine. */
export function findGlobalSetting(name: string, places: ConfigPlaces): Found {
  let unsure = false
  for (const path of listGlobalFiles(places)) {
    const found = findInFile(path, name, places)
    unsure ||= found.unsure
    if (unsure || found.value !== null) return { value: found.value, unsure }
  }
  return { value: null, unsure }
}

/** In order of precedence. */
function listGlobalFiles({ home, environment }: ConfigPlaces): string[] {
  const system = environment.GIT_CONFIG_SYSTEM ?? '/etc/gitconfig'
  const systemFiles = environment.GIT_CONFIG_NOSYSTEM === undefined ? [system] : []
  if (environment.GIT_CONFIG_GLOBAL !== undefined) return [environment.GIT_CONFIG_GLOBAL, ...systemFiles]
  const xdg = environment.XDG_CONFIG_HOME || join(home, '.config')
  return [join(home, '.gitconfig'), join(xdg, 'git', 'config'), ...systemFiles]
}

/** The last value wins. An include takes effect where it is written. */
function findInFile(path: string, name: string, places: ConfigPlaces, depth = 0): Found {
  const lines = depth > deepestInclude ? null : places.readConfig(path)
  if (lines === null) return { value: null, unsure: false }
  let value: string | null = null
  let unsure = false
  for (const line of lines) {
    if (line.name === name) value = line.value
    else if (line.name.startsWith('includeif.')) unsure = true
    else if (line.name === 'include.path') {
      const included = findInFile(resolveInclude(line.value, path, places.home), name, places, depth + 1)
      value = included.value ?? value
      unsure ||= included.unsure
    }
  }
  return { value, unsure }
}

function resolveInclude(target: string, from: string, home: string): string {
  if (target.startsWith('~/')) return join(home, target.slice(2))
  return isAbsolute(target) ? target : resolve(dirname(from), target)
}
