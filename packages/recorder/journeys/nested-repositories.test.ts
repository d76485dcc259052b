// A session stays with its project: wherever its shell goes, its events are recorded there, and skipped events are reported.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runProgram } from './testing/recorder-program.ts'
import { runEvent, runVerb } from './testing/run-in-process.ts'
import { createWorkPlace, type WorkPlace } from './testing/work-place.ts'

let place: WorkPlace
let library = ''

beforeAll(async () => {
  place = await createWorkPlace()
  library = join(place.folder, 'library')
  await place.git(['init', '-q', library], place.folder)
  await place.git(['commit', '-q', '--allow-empty', '-m', 'first'], library)
  await place.git(['remote', 'add', 'origin', 'https://host/team/library.git'], library)
  await setUp(place.root)
}, 300_000)
afterAll(() => place.remove())

/** `init` for a team whose logbook is not known yet. */
async function setUp(folder: string): Promise<void> {
  const done = await runVerb(['init', '--yes', '--tools', 'claude,codex'], { ...place, folder })
  expect(done).toMatchObject({ code: 0, errors: '' })
}

const launcherOf = (root: string) => join(root, '.git', 'fairgate', 'fairgate-recorder')

/** An event as a tool reports it whose shell is in `cwd`, to the start script of `place`. Returns which prompts were recorded there. */
async function recordIn(
  tool: 'claude' | 'codex',
  cwd: string,
  { project = place.root, processFolder = cwd } = {},
): Promise<string[]> {
  const payload = { session_id: 's', turn_id: 't', model: 'm', cwd, prompt: `from ${cwd}` }
  const { turn_id, model, ...ofClaude } = payload
  const variables = { ...place.variables, ...(tool === 'claude' ? { CLAUDE_PROJECT_DIR: project } : {}) }
  await runEvent(
    tool,
    'UserPromptSubmit',
    tool === 'claude' ? ofClaude : payload,
    { ...place, variables, folder: processFolder },
    join(place.root, '.git', 'fairgate'),
  )
  return takeEntries(join(place.root, '.git'))
}

/** The same with the start script of `root` itself. */
async function callHook(
  tool: 'claude' | 'codex',
  cwd: string,
  { project = place.root, launcher = launcherOf(place.root), processFolder = cwd } = {},
): Promise<string[]> {
  const payload = { session_id: 's', turn_id: 't', model: 'm', cwd, prompt: `from ${cwd}` }
  const { turn_id, model, ...ofClaude } = payload
  const result = await runProgram(['sh', '-c', `${launcher} hook ${tool} UserPromptSubmit`], {
    folder: processFolder,
    variables: {
      ...place.variables,
      ...(tool === 'claude' ? { CLAUDE_PROJECT_DIR: project } : {}),
    },
    input: JSON.stringify(tool === 'claude' ? ofClaude : payload),
  })
  expect(result).toEqual({ code: 0, output: '', errors: '' })
  return takeEntries(join(place.root, '.git'))
}

/** Removes the waiting entries of a git folder and returns the repository, branch and prompt of each. */
function takeEntries(gitFolder: string): string[] {
  const pending = join(gitFolder, 'fairgate', 'pending')
  return readdirSync(pending).map(name => {
    const { repo, branch, prompt } = JSON.parse(readFileSync(join(pending, name), 'utf8'))
    rmSync(join(pending, name))
    return `${repo} ${branch} ${prompt}`
  })
}

const folders: readonly (readonly [string, (folder: string) => Promise<unknown>])[] = [
  [
    'a submodule',
    folder =>
      place.git(['-c', 'protocol.file.allow=always', 'submodule', '-q', 'add', '--force', library, folder]),
  ],
  ['a clone', folder => place.git(['clone', '-q', library, folder])],
  ['a repository that was just begun', folder => place.git(['init', '-q', folder])],
  ['a plain folder', async folder => mkdirSync(folder)],
]

describe.each(['claude', 'codex'] as const)('%s: events stay with the project', tool => {
  test.each([...folders])('in %s within it', async (name, make) => {
    const folder = join(place.root, `${tool} ${name}`.replaceAll(' ', '-'))
    await make(folder)
    // Codex stays where it was started and names another folder for a single command.
    const processFolder = tool === 'codex' ? place.root : folder
    expect(await recordIn(tool, folder, { processFolder })).toEqual([`project main from ${folder}`])
  })

  test('outside of any repository, and in one of somebody else', async () => {
    const processFolder = tool === 'codex' ? place.root : undefined
    const options = processFolder === undefined ? {} : { processFolder }
    expect(await recordIn(tool, place.folder, options)).toEqual([`project main from ${place.folder}`])
    expect(await callHook(tool, library, options)).toEqual([`project main from ${library}`])
  })
})

test('in a linked work tree: its own branch, also from a repository within it', async () => {
  const tree = join(place.folder, 'tree')
  await place.git(['worktree', 'add', '-q', '-b', 'side', tree])
  const inner = join(tree, 'web')
  await place.git(['init', '-q', inner], tree)
  expect(await recordIn('claude', inner, { project: tree })).toEqual([`project side from ${inner}`])
  expect(await recordIn('codex', inner, { processFolder: tree })).toEqual([`project side from ${inner}`])
})

test('a repository within it that is set up itself keeps its own events, unless nothing is recorded there', async () => {
  const inner = join(place.root, 'own')
  await place.git(['clone', '-q', library, inner])
  await setUp(inner)
  expect(await recordIn('codex', inner)).toEqual([])
  expect(takeEntries(join(inner, '.git'))).toEqual([`library main from ${inner}`])
  await place.git(['remote', 'remove', 'origin'], inner)
  expect(await recordIn('codex', inner)).toEqual([`project main from ${inner}`])
})

test('the command in committed settings finds the project from any folder', async () => {
  const committed = join(place.folder, 'committed')
  await place.git(['clone', '-q', library, committed])
  await place.git(['config', 'user.email', 's@example.org'], committed)
  const settings = join(committed, '.claude', 'settings.local.json')
  place.write(settings, '{}\n')
  await place.git(['add', '-f', settings], committed)
  await place.git(['commit', '-q', '-m', 'settings'], committed)
  await setUp(committed)
  const { hooks } = JSON.parse(readFileSync(settings, 'utf8'))
  const [group] = hooks.UserPromptSubmit
  const inner = join(committed, 'web')
  await place.git(['init', '-q', inner], committed)
  const result = await runProgram(['sh', '-c', group.hooks[0].command], {
    folder: inner,
    variables: { ...place.variables, CLAUDE_PROJECT_DIR: committed },
    input: JSON.stringify({ session_id: 's', cwd: inner, prompt: 'shared' }),
  })
  expect(result).toEqual({ code: 0, output: '', errors: '' })
  expect(takeEntries(join(committed, '.git'))).toEqual(['library main shared'])
})

test('status shows what is not recorded, with the reason and the count', async () => {
  const lonely = join(place.folder, 'lonely')
  await place.git(['init', '-q', lonely], place.folder)
  await setUp(lonely)
  const status = async () => {
    const { output } = await runVerb(['status', '--json'], { ...place, folder: lonely })
    return JSON.parse(output).skipped
  }
  expect(await status()).toEqual([])
  const launcher = launcherOf(lonely)
  for (const _ of [1, 2]) await callHook('codex', lonely, { launcher })
  await runProgram(['sh', '-c', `${launcher} hook codex Stop`], {
    folder: lonely,
    variables: place.variables,
    input: 'no JSON',
  })
  expect(await status()).toMatchObject([
    { tool: 'codex', count: 2, reason: 'the repository has no remote named origin' },
    { tool: 'codex', count: 1, reason: 'what the tool sent was not a JSON object' },
  ])
  const { output } = await runVerb(['status'], { ...place, folder: lonely })
  expect(output).toMatch(
    /skipped {2}codex: 2 events, last at \S+Z: the repository has no remote named origin/,
  )
})
