// suite: 8 s
// The whole way of a participant: install from the logbook's address, set up a repository, work, push, and read the entries back.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { readAllEntries } from '../../server/journeys/testing/logbook-client.ts'
import { type Fairgate, startFairgate } from '../../server/journeys/testing/start-fairgate.ts'
import { findOwnTarget, findRuntimes } from '../build/executables.ts'
import { type FrontDoor, openFrontDoor } from './testing/front-door.ts'
import { recorderFile, runProgram } from './testing/recorder-program.ts'
import { createWorkPlace, type WorkPlace } from './testing/work-place.ts'

let front: FrontDoor
let fairgate: Fairgate
const places: WorkPlace[] = []
let token = ''
let logbookUrl = ''

beforeAll(async () => {
  front = await openFrontDoor()
  logbookUrl = front.url
  fairgate = await startFairgate({ variables: { FAIRGATE_LOGBOOK_URL: logbookUrl } })
  front.leadTo(fairgate.logbookUrl)
  await fairgate.manage.post('/team/new', { team_id: 'shell' })
  token = (await fairgate.manage.token('shell')).token
})
afterAll(async () => {
  front.close()
  await fairgate.stop()
  for (const place of places) place.remove()
})

async function workPlace(): Promise<WorkPlace> {
  const place = await createWorkPlace({ hook: false })
  places.push(place)
  return place
}

const run = (place: WorkPlace, command: readonly string[], input = '', folder = place.root) =>
  runProgram(command, { folder, variables: place.variables, input })

const json = (text: string) => JSON.parse(text)

/** Sets up and works with a tool, all with the installed program. */
async function expectRecording(place: WorkPlace, recorder: string): Promise<void> {
  const words = ['init', '--tools', 'claude', '--url', logbookUrl, '--token-stdin']
  const init = await run(place, [recorder, ...words], token)
  expect(init).toMatchObject({ code: 0, errors: '' })
  expect(init.output).toContain('the log token is accepted')
  const settings = json(readFileSync(join(place.root, '.claude', 'settings.local.json'), 'utf8'))
  const command: string = settings.hooks.UserPromptSubmit[0].hooks[0].command
  const payload = {
    session_id: 's',
    hook_event_name: 'UserPromptSubmit',
    cwd: place.root,
    prompt: 'Build it.',
  }
  const hooked = await run(place, ['sh', '-c', command], JSON.stringify(payload))
  expect(hooked).toEqual({ code: 0, output: '', errors: '' })
  expect(place.pending()).toMatchObject([{ tool: 'claude', prompt: 'Build it.' }])
}

const line = (url: string) => `set -e; curl -fsSL ${url}/recorder/install.sh | sh`
const installScript = (place: WorkPlace, url: string) =>
  runProgram(['sh', '-c', line(url)], {
    folder: place.root,
    variables: { ...place.variables, FAIRGATE_RECORDER: 'script' },
  })

describe('curl … | sh', () => {
  test('installs into the home folder alone, and what it installs works end to end', async () => {
    const place = await workPlace()
    const installed = await installScript(place, logbookUrl)
    expect(installed).toMatchObject({ code: 0, errors: '' })
    expect(installed.output).toContain(`init --url ${logbookUrl}`)
    const command = join(place.home, '.local', 'bin', 'fairgate-recorder')
    expect(statSync(command).mode & 0o777).toBe(0o755)
    await expectRecording(place, command)
    const pushed = await place.git(['push', 'origin', 'HEAD:refs/heads/work'])
    expect(pushed.errors).toContain('fairgate-recorder: 1 entry sent')
    expect(await readAllEntries(logbookUrl, token)).toMatchObject([{ tool: 'claude', prompt: 'Build it.' }])
    expect(await run(place, [command, 'doctor', '--test'])).toMatchObject({ code: 0 })
    // An update in place.
    expect((await installScript(place, logbookUrl)).code).toBe(0)
    const found = await run(place, [command, 'doctor'])
    expect(found.output).toMatch(/program .* starts .*fairgate-recorder\.cjs with \S*node\n/)
  })

  test('installs nothing when the file is not the one that was meant', async () => {
    const place = await workPlace()
    const script = await (await fetch(`${logbookUrl}/recorder/install.sh`)).text()
    const forged = script.replaceAll(/[0-9a-f]{64}/g, '0'.repeat(64))
    const variables = { ...place.variables, FAIRGATE_RECORDER: 'script' }
    const result = await runProgram(['sh'], { folder: place.root, variables, input: forged })
    expect(result).toMatchObject({ code: 1, errors: expect.stringContaining('has the wrong checksum') })
    expect((await run(place, ['find', '.local', '-type', 'f'], '', place.home)).output).toBe('')
    // A download that broke off at any point does nothing either.
    for (const length of [200, 900, 3000, script.length - 6])
      await run(place, ['sh'], script.slice(0, length))
    expect((await run(place, ['find', '.local', '-type', 'f'], '', place.home)).output).toBe('')
  })

  test('says what is missing when Node is too old', async () => {
    const place = await workPlace()
    place.write(join(place.folder, 'bin', 'node'), '#!/bin/sh\nexit 1\n')
    await run(place, ['chmod', '755', join(place.folder, 'bin', 'node')])
    const PATH = `${join(place.folder, 'bin')}:${place.variables.PATH}`
    const variables = { ...place.variables, PATH, FAIRGATE_RECORDER: 'script' }
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
    // This part asks the public npm registry.
    '--no-update-notifier',
    '--cache',
    join(place.folder, 'cache'),
  ]
  const installed = await run(place, ['npm', 'install', ...flags, address])
  expect(installed).toMatchObject({ code: 0 })
  const command = join(prefix, 'bin', 'fairgate-recorder')
  expect((await run(place, [command, '--version'])).output).toMatch(/^\d+\.\d+\.\d+\n$/)
  await expectRecording(place, command)
})

// The real program is built, installed and used in `full/download-program.test.ts`, because its build takes seconds.
describe('the program that needs no Node', () => {
  test('other platforms are built where Bun has kept their runtime, and only there', async () => {
    const place = await workPlace()
    const cache = join(place.home, '.bun', 'install', 'cache')
    place.write(join(cache, 'bun-linux-arm64-v1.2.3'), '')
    place.write(join(cache, 'bun-darwin-arm64-v1.2.2'), '')
    const own = { target: 'bun-linux-x64', path: '/bun' } as const
    expect(findRuntimes(own, '1.2.3', { HOME: place.home })).toEqual([
      own,
      { target: 'bun-linux-arm64', path: join(cache, 'bun-linux-arm64-v1.2.3') },
    ])
    expect(findRuntimes({ ...own, target: null }, '1.2.3', {})).toEqual([])
  })

  /** A logbook whose program for this platform is a small file. */
  async function serveProgram(text: string, sha256: string) {
    const platform = (findOwnTarget(process.platform, process.arch) ?? '').replace('bun-', '')
    const script = await (await fetch(`${logbookUrl}/recorder/install.sh`)).text()
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: request => {
        const { origin, pathname } = new URL(request.url)
        if (pathname.endsWith('.sh')) return new Response(script.replaceAll(logbookUrl, origin))
        if (pathname.endsWith('.txt')) return new Response(`${platform} ${sha256} 1 small.gz\n`)
        if (pathname.endsWith('small.gz')) return new Response(gzipSync(text))
        return fetch(`${logbookUrl}${pathname}`)
      },
    })
    return server
  }

  const digest = (text: string) => createHash('sha256').update(text).digest('hex')

  test('is taken where it runs, and in the end one that does not run gives way to the script', async () => {
    const working = `#!/bin/sh\nexec node '${recorderFile}' "$@"\n`
    const broken = '#!/bin/sh\nexit 1\n'
    const servers = await Promise.all([
      serveProgram(working, '0'.repeat(64)),
      serveProgram(working, digest(working)),
      serveProgram(broken, digest(broken)),
    ])
    const [forged, good, useless] = servers.map(server => server.url.origin)
    try {
      const place = await workPlace()
      const bad = await run(place, ['sh', '-c', line(forged ?? '')])
      expect(bad).toMatchObject({ code: 1, errors: expect.stringContaining('has the wrong checksum') })
      expect((await run(place, ['find', '.local', '-type', 'f'], '', place.home)).output).toBe('')
      const program = join(place.home, '.local', 'share', 'fairgate-recorder', 'fairgate-recorder')
      expect((await run(place, ['sh', '-c', line(good ?? '')])).output).toContain(`  ${program}\n`)
      const command = join(place.home, '.local', 'bin', 'fairgate-recorder')
      expect((await run(place, [command, '--version'])).output).toMatch(/^\d+\.\d+\.\d+\n$/)
      const taken = await run(place, ['sh', '-c', line(useless ?? '')])
      expect(taken).toMatchObject({ code: 0, errors: '' })
      expect(taken.output).toContain('does not run on this machine; using the script for Node instead')
      expect(taken.output).toContain('fairgate-recorder.cjs\n')
      expect(existsSync(program)).toBe(false)
    } finally {
      await Promise.all(servers.map(server => server.stop(true)))
    }
  })
})
