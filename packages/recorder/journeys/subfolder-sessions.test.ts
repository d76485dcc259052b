// A tool that is started in a subfolder runs no hooks there: `init` warns of it, and `status` reports it afterwards.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runProgram } from './testing/recorder-program.ts'
import { runVerb } from './testing/run-in-process.ts'
import { createWorkPlace, type WorkPlace } from './testing/work-place.ts'

let place: WorkPlace
let said = ''

beforeAll(async () => {
  place = await createWorkPlace()
  said = (await place.verb(['init', '--yes', '--tools', 'claude,codex,gemini'])).output
})
afterAll(() => place.remove())

function keepClaude(folder: string, session: string, cwd = folder): void {
  const name = folder.replace(/[^A-Za-z0-9]/g, '-')
  const lines = [{ type: 'queue-operation' }, { type: 'user', cwd }, { type: 'user', cwd: place.root }]
  const text = lines.map(line => `${JSON.stringify(line)}\n`).join('')
  place.write(join(place.home, '.claude', 'projects', name, `${session}.jsonl`), text)
}

function keepGemini(folders: readonly string[]): void {
  const projects = Object.fromEntries(folders.map((folder, index) => [folder, `p${index}`]))
  place.write(join(place.home, '.gemini', 'projects.json'), JSON.stringify({ projects }))
  for (const name of Object.values(projects)) {
    const record = { sessionId: `gemini-${name}`, kind: 'main' }
    const path = join(place.home, '.gemini', 'tmp', name, 'chats', 'session-1.jsonl')
    place.write(path, `${JSON.stringify(record)}\n{"type":"user"}\n`)
  }
}

test('init says where to start the tools that need it', () => {
  expect(said).toContain('Start Claude Code once at the top of this repository')
  expect(said).toContain('Start Gemini CLI once at the top of this repository')
  expect(said).toContain('Start Codex here once')
})

test('status counts the sessions that were not recorded, by tool and folder, and no others', async () => {
  const web = join(place.root, 'apps', 'web')
  const inner = join(place.root, 'inner')
  await place.git(['init', '-q', inner])
  keepClaude(web, 'c1')
  keepClaude(web, 'c2')
  keepClaude(join(place.root, 'lib'), 'recorded')
  // A neighbour with a similar name, the top itself, and a repository inside that is not set up.
  keepClaude(`${place.root}-web`, 'c3')
  keepClaude(place.root, 'c4')
  keepClaude(inner, 'c5')
  keepGemini([place.root, web, join(place.folder, 'elsewhere')])
  await place.event('claude', 'Stop', { session_id: 'recorded', cwd: place.root })

  const status = JSON.parse((await place.verb(['status', '--json'])).output)
  expect(status.missed).toEqual([
    { tool: 'claude', folder: join('apps', 'web'), count: 2 },
    { tool: 'claude', folder: 'inner', count: 1 },
    { tool: 'gemini', folder: join('apps', 'web'), count: 1 },
  ])
  const { output } = await place.verb(['status'])
  expect(output).toContain(
    'missed   claude: 2 sessions were started in the subfolder apps/web and not recorded',
  )
  expect(output).toContain(
    'missed   gemini: 1 session was started in the subfolder apps/web and not recorded',
  )
})

describe('with hooks in the user settings too', () => {
  const settings = '{\n  "theme": "dark"\n}\n'
  let own: WorkPlace
  let other = ''
  const files = () => [join(own.home, '.claude', 'settings.json'), join(own.home, '.gemini', 'settings.json')]
  const read = () => files().map(path => readFileSync(path, 'utf8'))
  const run = async (folder: string, ...words: string[]) => {
    const result = await runVerb(words, { ...own, folder })
    expect(result.code).toBe(0)
    return result.output
  }
  const init = (folder: string) => run(folder, 'init', '--yes', '--subfolders', '--tools', 'claude,gemini')

  /** Runs the hook that `root` put into the user's settings, for a session that was started in `project`. */
  async function callHook(
    root: string,
    project: string,
    payload: object = {},
    variables = {},
  ): Promise<void> {
    const [text = ''] = read()
    const command = text.split('"').find(part => part.startsWith(root) && part.endsWith('UserPromptSubmit'))
    expect(command).toBeDefined()
    const result = await runProgram(['sh', '-c', command ?? ''], {
      folder: project,
      variables: { ...own.variables, CLAUDE_PROJECT_DIR: project, ...variables },
      input: JSON.stringify({ session_id: 's', cwd: project, prompt: `in ${project}`, ...payload }),
    })
    expect(result).toEqual({ code: 0, output: '', errors: '' })
  }

  beforeAll(async () => {
    own = await createWorkPlace()
    other = join(own.folder, 'other')
    await own.git(['init', '-q', other], own.folder)
    await own.git(['remote', 'add', 'origin', 'https://host/team/other.git'], other)
    for (const path of files()) own.write(path, settings)
    await init(own.root)
    await init(other)
  })
  afterAll(() => own.remove())

  test('each repository has its hooks there, and init again changes nothing', async () => {
    const before = read()
    for (const text of before)
      for (const root of [own.root, other]) expect(text).toContain(join(root, '.git', 'fairgate'))
    expect(await init(own.root)).toContain('nothing to change')
    // Without the flag it does not either: both files must contain the same command.
    expect(await run(own.root, 'init', '--yes', '--tools', 'claude,gemini')).toContain('nothing to change')
    expect(read()).toEqual(before)
  })

  test('a session in a subfolder is recorded once, by its own repository; one of another project is not recorded', async () => {
    const below = join(own.root, 'src')
    mkdirSync(below)
    for (const project of [below, own.folder, join(own.folder, 'library')]) {
      mkdirSync(project, { recursive: true })
      for (const root of [own.root, other]) await callHook(root, project)
    }
    // The session moved from its own project into the other one, which is set up.
    await callHook(other, own.root, { cwd: other })
    expect(own.pending().map(({ prompt }) => prompt)).toEqual([`in ${below}`])
    for (const folder of [own.root, other]) {
      const { pending, skipped } = JSON.parse(await run(folder, 'status', '--json'))
      expect([pending, skipped]).toEqual([folder === own.root ? 1 : 0, []])
    }
  })

  test('Cursor, which runs the hooks of both files, leaves one entry', async () => {
    const before = own.pending().length
    const guest = {
      conversation_id: 'c',
      cursor_version: '2.6.20',
      hook_event_name: 'beforeSubmitPrompt',
      workspace_roots: [own.root],
      generation_id: 'g',
    }
    for (const _ of [1, 2]) await callHook(own.root, own.root, guest)
    expect(own.pending().slice(before)).toMatchObject([{ tool: 'cursor', event: 'beforeSubmitPrompt' }])
  })

  test('uninstall keeps the hooks of the other repository; after the last uninstall every byte is as before', async () => {
    await run(own.root, 'uninstall')
    for (const text of read()) {
      expect(text).not.toContain(own.root)
      expect(text).toContain(join(other, '.git', 'fairgate'))
    }
    await run(other, 'uninstall')
    expect(read()).toEqual([settings, settings])
  })
})
