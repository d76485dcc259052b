// What an entry says about its repository: name, branch, commit and committer (spec 2.10).
import type { Repository } from './find-repository.ts'
import {
  type ConfigPlaces,
  createReadConfig,
  type Found,
  findGlobalSetting,
  findLocalSetting,
} from './read-config.ts'
import { readHead } from './read-head.ts'
import type { ReadText } from './read-text.ts'
import { repositoryName } from './repository-name.ts'
import type { RunGit } from './run-git.ts'

export type RepositoryFacts = {
  readonly repo: string
  readonly branch: string
  readonly commit: string
  readonly student: string
}

export type FactSources = Omit<ConfigPlaces, 'readConfig'> & {
  readonly readText: ReadText
  /** Loads the way to git itself, which is asked only where the files leave a doubt. */
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
