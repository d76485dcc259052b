// suite: 41 s
// The whole way of a participant: install from the logbook's address, set up a repository, work, push, and read the entries back.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { readAllEntries } from '../../server/journeys/testing/logbook-client.ts'
import { createManagement } from '../../server/journeys/testing/management.ts'
import { type SpawnedFairgate, spawnFairgate } from '../../server/journeys/testing/spawn-fairgate.ts'
import {
  adminKey,
  createSurroundings,
  type Surroundings,
} from '../../server/journeys/testing/start-fairgate.ts'
import { findOwnTarget, findRuntimes } from '../build/executables.ts'
import { type ProgramResult, runProgram } from './testing/recorder-program.ts'
import { createWorkPlace, type WorkPlace } from './testing/work-place.ts'

let surroundings: Surroundings
let fairgate: SpawnedFairgate
const places: WorkPlace[] = []
const tokens: Record<string, string> = {}

/** Where participants find the logbook. The scripts contain this address, so it must be known before the server starts. */
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

/** Sets up, works with a tool and pushes, all with the installed program. */
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
    await expectWorking(place, command, 'shell')
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
    expect(result).toMatchObject({ code: 1, errors: expect.stringContaining('not what it should be') })
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
  await expectWorking(place, command, 'npm')
})

/** The line for this platform's program, once it has been built. */
async function readProgram(): Promise<string> {
  for (;;) {
    const [first = ''] = (await (await fetch(`${logbookUrl}/recorder/programs.txt`)).text()).split('\n')
    if (first !== '') return first
  }
}

describe('the program that needs no Node', () => {
  test('is served with its digest, installed where it runs, and works end to end without Node', async () => {
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
    await expectWorking(without, command, 'alone')
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

  test('one that does not run here gives way to the script; one that is not what was meant installs nothing', async () => {
    const broken = '#!/bin/sh\nexit 1\n'
    const sha256 = createHash('sha256').update(broken).digest('hex')
    const [useless, forged] = [await serveProgram(broken, sha256), await serveProgram(broken, '0'.repeat(64))]
    try {
      const place = await workPlace()
      const bad = await run(place, ['sh', '-c', line(forged.url.origin)])
      expect(bad).toMatchObject({ code: 1, errors: expect.stringContaining('not what it should be') })
      expect((await run(place, ['find', '.local', '-type', 'f'], '', place.home)).output).toBe('')
      const taken = await run(place, ['sh', '-c', line(useless.url.origin)])
      expect(taken).toMatchObject({ code: 0, errors: '' })
      expect(taken.output).toContain('does not run on this machine; the script for Node is taken')
      expect(taken.output).toContain('fairgate-recorder.cjs\n')
    } finally {
      await Promise.all([useless.stop(true), forged.stop(true)])
    }
  })
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
