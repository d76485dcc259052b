// The whole way of a participant: install from the logbook's address, set up a repository, work, push, and read the entries back.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { readAllEntries } from '../../server/journeys/testing/logbook-client.ts'
import { createManagement } from '../../server/journeys/testing/management.ts'
import { type SpawnedFairgate, spawnFairgate } from '../../server/journeys/testing/spawn-fairgate.ts'
import {
  adminKey,
  createSurroundings,
  type Surroundings,
} from '../../server/journeys/testing/start-fairgate.ts'
import { buildExecutable, findOwnTarget } from '../build/executables.ts'
import { type ProgramResult, runProgram } from './testing/recorder-program.ts'
import { createWorkPlace, type WorkPlace } from './testing/work-place.ts'

let surroundings: Surroundings
let fairgate: SpawnedFairgate
const places: WorkPlace[] = []
const tokens: Record<string, string> = {}

/** Where participants find the logbook. The scripts name this address, so it must be there before the server is. */
const front = createServer(socket => {
  const inner = connect(Number(new URL(fairgate.logbookUrl).port), '127.0.0.1')
  for (const [from, to] of [
    [socket, inner],
    [inner, socket],
  ] as const) {
    from.on('error', () => to.destroy())
    from.pipe(to)
  }
})
let logbookUrl = ''

beforeAll(async () => {
  surroundings = await createSurroundings()
  const address = await new Promise<ReturnType<typeof front.address>>(resolve => {
    front.listen(0, '127.0.0.1', () => resolve(front.address()))
  })
  if (typeof address !== 'object' || address === null) throw new Error('unreachable')
  logbookUrl = `http://127.0.0.1:${address.port}`
  fairgate = await spawnFairgate({
    variables: { ...surroundings.variables, FAIRGATE_LOGBOOK_URL: logbookUrl },
  })
  const manage = createManagement(fairgate.adminUrl, adminKey)
  for (const team of ['shell', 'npm', 'alone']) {
    await manage.post('/team/new', { team_id: team })
    tokens[team] = (await manage.token(team)).token
  }
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

/** Sets up, works with a tool, pushes: by the program that was installed. */
async function expectWorking(place: WorkPlace, recorder: string, team: string): Promise<void> {
  const token = tokens[team] ?? ''
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

describe('curl … | sh', () => {
  const line = (url: string) => `set -e; curl -fsSL ${url}/recorder/install.sh | sh`

  test('installs into the home folder alone, and what it installs works end to end', async () => {
    const place = await workPlace()
    const installed = await run(place, ['sh', '-c', line(logbookUrl)])
    expect(installed).toMatchObject({ code: 0, errors: '' })
    expect(installed.output).toContain(`init --url ${logbookUrl}`)
    const command = join(place.home, '.local', 'bin', 'fairgate-recorder')
    expect(statSync(command).mode & 0o777).toBe(0o755)
    await expectWorking(place, command, 'shell')
    // An update in place.
    expect((await run(place, ['sh', '-c', line(logbookUrl)])).code).toBe(0)
  })

  test('installs nothing when the file is not the one that was meant', async () => {
    const place = await workPlace()
    const script = await (await fetch(`${logbookUrl}/recorder/install.sh`)).text()
    const forged = script.replaceAll(/[0-9a-f]{64}/g, '0'.repeat(64))
    const result = await run(place, ['sh'], forged)
    expect(result).toMatchObject({ code: 1, errors: expect.stringContaining('not what it should be') })
    expect((await run(place, ['find', '.local', '-type', 'f'], '', place.home)).output).toBe('')
    // A download that broke off anywhere does nothing either.
    for (const length of [200, 900, script.length - 6]) await run(place, ['sh'], script.slice(0, length))
    expect((await run(place, ['find', '.local', '-type', 'f'], '', place.home)).output).toBe('')
  })

  test('says what is missing when Node is too old', async () => {
    const place = await workPlace()
    place.write(join(place.folder, 'bin', 'node'), '#!/bin/sh\nexit 1\n')
    await run(place, ['chmod', '755', join(place.folder, 'bin', 'node')])
    const variables = { ...place.variables, PATH: `${join(place.folder, 'bin')}:${place.variables.PATH}` }
    const result = await runProgram(['sh', '-c', line(logbookUrl)], {
      folder: place.root,
      variables,
    })
    expect(result).toMatchObject({ code: 1, errors: expect.stringContaining('needs Node 18') })
  })
})

test('npm installs the package from the address, and what it installs works end to end', async () => {
  const place = await workPlace()
  const prefix = join(place.folder, 'prefix')
  mkdirSync(prefix)
  const address = `${logbookUrl}/recorder/fairgate-recorder.tgz`
  const flags = [
    '--global',
    '--prefix',
    prefix,
    '--no-audit',
    '--no-fund',
    // Asks the registry of the world.
    '--no-update-notifier',
    '--cache',
    join(place.folder, 'cache'),
  ]
  const installed = await run(place, ['npm', 'install', ...flags, address])
  expect(installed).toMatchObject({ code: 0 })
  const command = join(prefix, 'bin', 'fairgate-recorder')
  expect((await run(place, [command, '--version'])).output).toMatch(/^\d+\.\d+\.\d+\n$/)
  await expectWorking(place, command, 'npm')
})

test('the stand-alone program needs no Node', async () => {
  const place = await workPlace()
  const target = findOwnTarget(process.platform, process.arch)
  if (target === null) throw new Error(`There is no target for ${process.platform}-${process.arch}.`)
  const program = await buildExecutable(target, join(place.folder, 'programs'))
  await expectWorking(place, program, 'alone')
  const launcher = readFileSync(join(place.root, '.git', 'fairgate', 'fairgate-recorder'), 'utf8')
  expect(launcher).not.toContain('node')
})

test('the package is the same bytes at every start', async () => {
  const read = async () =>
    createHash('sha256')
      .update(await (await fetch(`${logbookUrl}/recorder/fairgate-recorder.tgz`)).bytes())
      .digest('hex')
  const { buildProgram } = await import('../build/build-program.ts')
  const served = await (await fetch(`${logbookUrl}/recorder/fairgate-recorder.cjs`)).bytes()
  expect(Buffer.from(served).equals(Buffer.from(await buildProgram()))).toBe(true)
  expect(await read()).toBe(await read())
})
