// suite: full on sqlite; 40 s
// The real stand-alone program, built by a server of its own: only here it is installed and used on a machine without Node.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readAllEntries } from '../../../server/journeys/testing/logbook-client.ts'
import { createManagement } from '../../../server/journeys/testing/management.ts'
import { type SpawnedFairgate, spawnFairgate } from '../../../server/journeys/testing/spawn-fairgate.ts'
import {
  adminKey,
  createSurroundings,
  type Surroundings,
} from '../../../server/journeys/testing/start-fairgate.ts'
import { findOwnTarget } from '../../build/executables.ts'
import { type FrontDoor, openFrontDoor } from '../testing/front-door.ts'
import { type ProgramResult, runProgram } from '../testing/recorder-program.ts'
import { createWorkPlace, type WorkPlace } from '../testing/work-place.ts'

let surroundings: Surroundings
let fairgate: SpawnedFairgate
const places: WorkPlace[] = []
let token = ''

let front: FrontDoor
let logbookUrl = ''

beforeAll(async () => {
  surroundings = await createSurroundings()
  front = await openFrontDoor()
  logbookUrl = front.url
  fairgate = await spawnFairgate({
    variables: { ...surroundings.variables, FAIRGATE_LOGBOOK_URL: logbookUrl },
  })
  front.leadTo(fairgate.logbookUrl)
  const manage = createManagement(fairgate.adminUrl, adminKey)
  await manage.post('/team/new', { team_id: 'alone' })
  token = (await manage.token('alone')).token
})
afterAll(async () => {
  fairgate.kill('SIGTERM')
  await fairgate.exited
  await surroundings.remove()
  front.close()
  for (const place of places) place.remove()
})

async function workPlace(): Promise<WorkPlace> {
  const place = await createWorkPlace({ hook: false })
  places.push(place)
  return place
}

const run = (place: WorkPlace, command: readonly string[], input = '', folder = place.root) =>
  runProgram(command, { folder, variables: place.variables, input })

/** Sets up, works with a tool and pushes, all with the installed program. */
async function expectWorking(place: WorkPlace, recorder: string): Promise<void> {
  const init = await run(
    place,
    [recorder, 'init', '--tools', 'claude,codex', '--url', logbookUrl, '--token-stdin'],
    token,
  )
  expect(init).toMatchObject({ code: 0, errors: '' })
  expect(init.output).toContain('the log token is accepted')
  const settings = JSON.parse(readFileSync(join(place.root, '.claude', 'settings.local.json'), 'utf8'))
  const command: string = settings.hooks.UserPromptSubmit[0].hooks[0].command
  const payload = {
    session_id: 's',
    hook_event_name: 'UserPromptSubmit',
    cwd: place.root,
    prompt: 'Build it.',
  }
  expect(await run(place, ['sh', '-c', command], JSON.stringify(payload))).toEqual(silent)
  const pushed = await place.git(['push', 'origin', 'HEAD:refs/heads/work'])
  expect(pushed.errors).toContain('fairgate-recorder: 1 entry sent')
  expect(await readAllEntries(logbookUrl, token)).toMatchObject([{ tool: 'claude', prompt: 'Build it.' }])
  expect(await run(place, [recorder, 'doctor', '--test'])).toMatchObject({ code: 0 })
}

const silent: ProgramResult = { code: 0, output: '', errors: '' }

const line = (url: string) => `set -e; curl -fsSL ${url}/recorder/install.sh | sh`
const installScript = (place: WorkPlace, url: string) =>
  runProgram(['sh', '-c', line(url)], {
    folder: place.root,
    variables: { ...place.variables, FAIRGATE_RECORDER: 'script' },
  })

/** The line for this platform's program, once it has been built. */
async function readProgram(): Promise<string> {
  for (;;) {
    const [first = ''] = (await (await fetch(`${logbookUrl}/recorder/programs.txt`)).text()).split('\n')
    if (first !== '') return first
  }
}

test('the program that needs no Node is served with its digest, installed where it runs, and works end to end without Node', async () => {
  const place = await workPlace()
  // No Node here, only what the script and the hooks use.
  const tools = 'sh curl uname grep cut ldd gzip sha256sum chmod mv rm mkdir printf git dirname cat sed'
  for (const tool of tools.split(' ')) {
    const path = Bun.which(tool)
    if (path !== null) place.write(join(place.folder, 'bin', tool), `#!/bin/sh\nexec ${path} "$@"\n`)
  }
  await run(place, ['chmod', '-R', '755', join(place.folder, 'bin')])
  const without = { ...place, variables: { ...place.variables, PATH: join(place.folder, 'bin') } }
  const [platform, sha256, bytes, name] = (await readProgram()).split(' ')
  const installed = await run(without, ['/bin/sh', '-c', line(logbookUrl)])
  expect(installed).toMatchObject({ code: 0, errors: '' })
  const program = join(place.home, '.local', 'share', 'fairgate-recorder', 'fairgate-recorder')
  expect(installed.output).toContain(`  ${program}\n`)
  expect(`bun-${platform}`).toBe(findOwnTarget(process.platform, process.arch) ?? '')
  const file = readFileSync(program)
  expect(createHash('sha256').update(file).digest('hex')).toBe(sha256 ?? '')
  expect(String(file.length)).toBe(bytes ?? '')
  const head = await fetch(`${logbookUrl}/recorder/${name}`, { method: 'HEAD' })
  expect([head.status, head.headers.get('etag')]).toEqual([200, `"${sha256}"`])
  // Files of the repository must not set variables for the program or run code in it.
  place.write(join(place.root, '.env'), 'FAIRGATE_LOGBOOK_URL=http://127.0.0.1:1\n')
  place.write(join(place.root, 'bunfig.toml'), 'preload = ["./preload.ts"]\n')
  place.write(join(place.root, 'preload.ts'), 'require("fs").writeFileSync("was-run", "")\n')
  const command = join(place.home, '.local', 'bin', 'fairgate-recorder')
  await expectWorking(without, command)
  expect(existsSync(join(place.root, 'was-run'))).toBe(false)
  const found = await run(without, [command, 'doctor'])
  expect(found.output).toContain(`starts the stand-alone program ${program}\n`)
  expect(found.output).not.toMatch(/^\S+ +node /m)
  // The hooks continue to work if the script version replaces the program later.
  await installScript(place, logbookUrl)
  expect(existsSync(program)).toBe(false)
  const status = await run(place, [join(place.root, '.git', 'fairgate', 'fairgate-recorder'), 'status'])
  expect(status.code).toBe(0)
}, 300_000)

test('the package is the same bytes at every start', async () => {
  const read = async () =>
    createHash('sha256')
      .update(await (await fetch(`${logbookUrl}/recorder/fairgate-recorder.tgz`)).bytes())
      .digest('hex')
  const { buildProgram } = await import('../../build/build-program.ts')
  const served = await (await fetch(`${logbookUrl}/recorder/fairgate-recorder.cjs`)).bytes()
  expect(Buffer.from(served).equals(Buffer.from(await buildProgram()))).toBe(true)
  expect(await read()).toBe(await read())
})
