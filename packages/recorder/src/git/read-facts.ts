// Reads the repository facts of an entry: name, branch, commit and committer (spec 2.10).
import { dirname, isAbsolute, join, resolve } from 'node:path'
import type { ReadText, Repository } from './find-repository.ts'
import { type ConfigLine, parseConfig } from './parse-config.ts'
import type { RunGit } from './run-git.ts'

export type RepositoryFacts = {
  readonly repo: string
  readonly branch: string
  readonly commit: string
  readonly student: string
}

export type FactSources = Omit<ConfigPlaces, 'readConfig'> & {
  readonly readText: ReadText
  /** Loads the way to git itself, which is asked only if the files leave a doubt. */
  readonly loadGit: () => Promise<RunGit>
}

const noCommit = '0000000'
const shortCommit = 7

/** null: there is no remote named `origin`, so nothing is recorded here (spec 6, rule 1). */
export async function readFacts(
  repository: Repository,
  sources: FactSources,
): Promise<RepositoryFacts | null> {
  const places: ConfigPlaces = { ...sources, readConfig: createReadConfig(sources.readText) }
  const local = (name: string) => findLocalSetting(repository, name, places)
  const ask = async (name: string) => (await sources.loadGit())(repository.root, ['config', '--get', name])
  // If git does not answer in time, recording what the files say for sure is better than recording nothing.
  const settle = async (found: Found, name: string) =>
    found.unsure ? ((await ask(name)) ?? found.value) : found.value

  const origin = await settle(local('remote.origin.url'), 'remote.origin.url')
  if (origin === null || origin === '') return null
  const ownEmail = local('user.email')
  const email =
    ownEmail.value !== null || ownEmail.unsure ? ownEmail : findGlobalSetting('user.email', places)
  // The system-wide file has a different place on different machines, so git also decides whether an address is missing.
  const student = await settle(
    { value: email.value, unsure: email.unsure || email.value === null },
    'user.email',
  )
  const head = readHead(repository, sources.readText) ?? (await askHead(repository, sources))
  const length = Math.max(4, Number(local('core.abbrev').value ?? shortCommit) || shortCommit)
  return {
    repo: repositoryName(origin),
    branch: head.branch,
    commit: head.commit?.slice(0, length) ?? noCommit,
    student: student ?? '',
  }
}

async function askHead(repository: Repository, sources: FactSources) {
  const git = await sources.loadGit()
  return {
    branch: git(repository.root, ['symbolic-ref', '--short', '-q', 'HEAD']) || 'HEAD',
    commit: git(repository.root, ['rev-parse', '-q', '--verify', 'HEAD']) || null,
  }
}

// Reads the branch and commit of a work tree from its files. The result is null if only git can read the repository's format.

type Head = {
  /** `HEAD` if no branch is checked out. */
  readonly branch: string
  /** All hexadecimal digits of the commit; null before the first one. */
  readonly commit: string | null
}

const objectId = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/
const maxHops = 5

function readHead(repository: Repository, readText: ReadText): Head | null {
  const head = readText(join(repository.gitFolder, 'HEAD'))?.trim() ?? ''
  if (objectId.test(head)) return { branch: 'HEAD', commit: head }
  const reference = /^ref:\s*(\S.*)$/.exec(head)?.[1]
  // With the reftable format HEAD names a branch that cannot exist.
  if (reference === undefined || reference === 'refs/heads/.invalid') return null
  return {
    branch: reference.replace(/^refs\/heads\//, ''),
    commit: readReference(repository, reference, readText),
  }
}

function readReference(repository: Repository, name: string, readText: ReadText): string | null {
  let reference = name
  for (let hop = 0; hop < maxHops; hop += 1) {
    const text =
      readText(join(repository.commonFolder, reference)) ?? readText(join(repository.gitFolder, reference))
    const value = text?.trim() ?? ''
    if (objectId.test(value)) return value
    const next = /^ref:\s*(\S.*)$/.exec(value)?.[1]
    if (next === undefined) return readPacked(repository, reference, readText)
    reference = next
  }
  return null
}

function readPacked(repository: Repository, reference: string, readText: ReadText): string | null {
  const packed = readText(join(repository.commonFolder, 'packed-refs'))
  const end = packed?.split('\n').find(line => line.trimEnd().endsWith(` ${reference}`))
  const id = end?.slice(0, end.indexOf(' ')) ?? ''
  return objectId.test(id) ? id : null
}

// Looks up a setting in git's configuration files, and says when only git itself can answer.

type ConfigPlaces = {
  readonly home: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The lines of a configuration file; null when there is none. */
  readonly readConfig: (path: string) => ConfigLine[] | null
}

/** Parses each file once, however many settings are asked for. */
function createReadConfig(readText: ReadText): ConfigPlaces['readConfig'] {
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
type Found = { readonly value: string | null; readonly unsure: boolean }

const deepestInclude = 10

/** The setting in the repository's own files. */
function findLocalSetting(repository: Repository, name: string, places: ConfigPlaces): Found {
  const shared = findInFile(join(repository.commonFolder, 'config'), name, places)
  const hasOwn = findInFile(join(repository.commonFolder, 'config'), 'extensions.worktreeconfig', places)
  if (!/^(true|yes|on|1)$/i.test(hasOwn.value ?? '')) return shared
  const own = findInFile(join(repository.gitFolder, 'config.worktree'), name, places)
  return { value: own.value ?? shared.value, unsure: own.unsure || shared.unsure }
}

/** The setting of the user or the machine. */
function findGlobalSetting(name: string, places: ConfigPlaces): Found {
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

/** The last part of the address of origin (spec 2.10). No other part may leave the machine: `git@host:team/project.git` → `project`. The name never contains a user name or token from the address. */
export function repositoryName(originUrl: string): string {
  const address = originUrl.trim().replace(/[/\\]+$/, '')
  const isUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(address)
  const path = isUrl ? address.replace(/^[^:]+:\/\/[^/]*/, '') : address.replace(/^[^/\\:]{2,}:/, '')
  const last = path.split(/[/\\]/).findLast(segment => segment !== '')
  const name = last ?? address.replace(/^[^:]+:\/\//, '').replace(/^.*@/, '')
  return name === '.git' ? '.git' : name.replace(/\.git$/, '')
}
