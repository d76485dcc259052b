// The facts that we read from git's files match what git itself says, in every kind of work tree.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findRepository, readText } from './find-repository.ts'
import { readFacts } from './read-facts.ts'
import { createRunGit, type RunGit } from './run-git.ts'

let folder: string
let home: string
let environment: Record<string, string>
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'fairgate-facts-')))
  home = join(folder, 'home')
  environment = { PATH: process.env.PATH ?? '', HOME: home, GIT_CONFIG_NOSYSTEM: '1' }
  mkdirSync(home)
  writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = S\n\temail = global@example.org\n')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function git(place: string, ...commandArguments: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(['git', ...commandArguments], {
    cwd: place,
    env: environment,
  })
  if (exitCode !== 0) throw new Error(`git ${commandArguments.join(' ')}: ${stderr}`)
  return stdout.toString().trim()
}

function createRepository(name: string): string {
  const root = join(folder, name)
  mkdirSync(root)
  git(root, 'init', '-q', '-b', 'main')
  git(root, 'remote', 'add', 'origin', 'git@host:team/project.git')
  git(root, 'commit', '-q', '--allow-empty', '-m', 'first')
  return root
}

/** `spawned` lists the questions that went to git itself. */
async function read(place: string) {
  const spawned: string[] = []
  const ask: RunGit = (where, question) => {
    spawned.push(question.join(' '))
    const child = Bun.spawnSync(['git', ...question], { cwd: where, env: environment })
    return child.exitCode === 0 ? child.stdout.toString().trim() : null
  }
  const repository = findRepository(place, readText)
  if (repository === null) return { repository, facts: null, spawned }
  const facts = await readFacts(repository, { home, environment, readText, loadGit: async () => ask })
  return { repository, facts, spawned }
}

const shortCommit = (place: string) => git(place, 'rev-parse', '--short', 'HEAD')

describe('branch and commit', () => {
  test('of a branch, loose and packed, with a slash in its name, from a folder below', async () => {
    const root = createRepository('branch')
    git(root, 'checkout', '-q', '-b', 'feature/한글')
    mkdirSync(join(root, 'a', 'b'), { recursive: true })
    const expected = {
      repo: 'project',
      branch: 'feature/한글',
      commit: shortCommit(root),
      student: 'global@example.org',
    }
    expect(await read(join(root, 'a', 'b'))).toMatchObject({
      repository: { root },
      facts: expected,
      spawned: [],
    })
    git(root, 'pack-refs', '--all')
    git(root, 'tag', '-a', 'v1', '-m', 'x')
    git(root, 'pack-refs', '--all')
    expect((await read(root)).facts).toEqual(expected)
  })

  test('of a detached HEAD and of a branch without commits', async () => {
    const root = createRepository('detached')
    git(root, 'checkout', '-q', '--detach')
    expect((await read(root)).facts).toMatchObject({ branch: 'HEAD', commit: shortCommit(root) })
    git(root, 'checkout', '-q', '--orphan', 'empty')
    expect((await read(root)).facts).toMatchObject({ branch: 'empty', commit: '0000000' })
  })

  test('of a linked work tree, which shares the folder for entries', async () => {
    const root = createRepository('linked')
    const linked = join(folder, 'linked-tree')
    git(root, 'worktree', 'add', '-q', '-b', 'side', linked)
    git(linked, 'commit', '-q', '--allow-empty', '-m', 'second')
    const { repository, facts } = await read(linked)
    expect(facts).toMatchObject({ branch: 'side', commit: shortCommit(linked) })
    expect(repository?.commonFolder).toBe(join(root, '.git'))
  })

  test('of a submodule, which has an origin of its own', async () => {
    const inner = createRepository('inner')
    const root = createRepository('outer')
    git(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'sub')
    expect((await read(join(root, 'sub'))).facts).toMatchObject({ repo: 'inner', branch: 'main' })
  })

  test('of a repository with long hashes, and with a length of its own for short ones', async () => {
    const root = join(folder, 'sha256')
    mkdirSync(root)
    git(root, 'init', '-q', '--object-format=sha256')
    git(root, 'remote', 'add', 'origin', '/x/y.git')
    git(root, 'commit', '-q', '--allow-empty', '-m', 'first')
    git(root, 'config', 'core.abbrev', '12')
    expect((await read(root)).facts?.commit).toBe(shortCommit(root))
  })

  test('of a format that only git reads: git is asked', async () => {
    const root = createRepository('reftable')
    const commit = shortCommit(root)
    const asked: string[] = []
    const repository = findRepository(root, readText)
    if (repository === null) throw new Error('no repository')
    const readAsReftable = (path: string) =>
      path.endsWith('HEAD') ? 'ref: refs/heads/.invalid\n' : readText(path)
    const ask: RunGit = (place, question) => {
      asked.push(question[0] ?? '')
      return createRunGit(60_000)(place, question)
    }
    const sources = { home, environment, readText: readAsReftable, loadGit: async () => ask }
    expect(await readFacts(repository, sources)).toMatchObject({ branch: 'main', commit })
    expect(asked).toEqual(['symbolic-ref', 'rev-parse'])
  })
})

describe('committer and origin', () => {
  test('the repository before the user, an include where it stands, a work tree of its own before all', async () => {
    const root = createRepository('email')
    writeFileSync(join(root, '.git', 'more'), '[user]\n\temail = "included@example.org" ; comment\n')
    git(root, 'config', 'include.path', 'more')
    expect(await read(root)).toMatchObject({ facts: { student: 'included@example.org' }, spawned: [] })
    git(root, 'config', 'user.email', 'local@example.org')
    expect((await read(root)).facts?.student).toBe('local@example.org')
    git(root, 'config', 'extensions.worktreeConfig', 'true')
    git(root, 'config', '--worktree', 'user.email', 'tree@example.org')
    expect((await read(root)).facts?.student).toBe('tree@example.org')
  })

  test('a conditional include: git decides', async () => {
    const root = createRepository('conditional')
    writeFileSync(join(home, 'work'), '[user]\n\temail = work@example.org\n')
    const plain = await Bun.file(join(home, '.gitconfig')).text()
    writeFileSync(join(home, '.gitconfig'), `${plain}[includeIf "gitdir:${root}/"]\n\tpath = ~/work\n`)
    try {
      expect(await read(root)).toMatchObject({
        facts: { student: 'work@example.org' },
        spawned: ['config --get user.email'],
      })
    } finally {
      writeFileSync(join(home, '.gitconfig'), plain)
    }
  })

  test('if git does not answer in time, only what the files say for certain is used', async () => {
    const root = createRepository('unanswered')
    const config = join(root, '.git', 'config')
    const plain = await Bun.file(config).text()
    writeFileSync(config, `${plain}[includeIf "gitdir:/elsewhere/"]\n\tpath = more\n`)
    const repository = findRepository(root, readText)
    if (repository === null) throw new Error('no repository')
    const sources = { home, environment, readText, loadGit: async () => () => null }
    expect(await readFacts(repository, sources)).toMatchObject({ repo: 'project', branch: 'main' })
  })

  test('no address anywhere is an empty text; no origin is no facts; outside of git nothing is found', async () => {
    const root = createRepository('nobody')
    const plain = await Bun.file(join(home, '.gitconfig')).text()
    writeFileSync(join(home, '.gitconfig'), '')
    try {
      expect((await read(root)).facts?.student).toBe('')
    } finally {
      writeFileSync(join(home, '.gitconfig'), plain)
    }
    git(root, 'remote', 'rename', 'origin', 'upstream')
    expect((await read(root)).facts).toBeNull()
    expect((await read(home)).repository).toBeNull()
  })
})
