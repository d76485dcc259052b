// Sessions that a tool was started for in a subfolder run no hooks there: `init` says so before, and `status` afterwards.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createWorkPlace, type WorkPlace } from './testing/work-place.ts'

let place: WorkPlace
let said = ''

beforeAll(async () => {
  place = await createWorkPlace()
  said = (await place.recorder(['init', '--yes', '--tools', 'claude,codex,gemini'])).output
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

test('init tells where to start the tools that need it', () => {
  expect(said).toContain('Claude Code: start it at the top of the repository.')
  expect(said).toContain('Gemini CLI: start it at the top of the repository.')
  expect(said).not.toContain('Codex: start it at the top')
})

test('status counts the sessions that were not recorded, by tool and folder, and no others', async () => {
  const web = join(place.root, 'apps', 'web')
  const inner = join(place.root, 'inner')
  await place.git(['init', '-q', inner])
  keepClaude(web, 'c1')
  keepClaude(web, 'c2')
  keepClaude(join(place.root, 'lib'), 'recorded')
  // A neighbour whose name begins alike, the top itself, and a repository within that is not set up.
  keepClaude(`${place.root}-web`, 'c3')
  keepClaude(place.root, 'c4')
  keepClaude(inner, 'c5')
  keepGemini([place.root, web, join(place.folder, 'elsewhere')])
  await place.hook('claude', 'Stop', { session_id: 'recorded', cwd: place.root })

  const status = JSON.parse((await place.recorder(['status', '--json'])).output)
  expect(status.missed).toEqual([
    { tool: 'claude', folder: join('apps', 'web'), count: 2 },
    { tool: 'claude', folder: 'inner', count: 1 },
    { tool: 'gemini', folder: join('apps', 'web'), count: 1 },
  ])
  const { output } = await place.recorder(['status'])
  expect(output).toContain(
    'missed   claude: 2 sessions were started in the subfolder apps/web and not recorded',
  )
  expect(output).toContain(
    'missed   gemini: 1 session was started in the subfolder apps/web and not recorded',
  )
})
