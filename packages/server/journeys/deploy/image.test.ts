// The shipped image and compose file, without an engine: build steps run in a chroot, services as processes.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { startPostgres, type TestPostgres } from '../../../../scripts/testing/start-postgres.ts'
import { createTestPostgres } from '../../src/store/testing/create-test-postgres.ts'
import { readCharges } from '../testing/stored-rows.ts'
import type { Image } from './testing/build-image.ts'

/** Written by scripts/test-deploy.ts when it has built the image. */
const image: Image = JSON.parse(readFileSync(process.env.TEST_IMAGE ?? '', 'utf8'))
const compose = parse(
  readFileSync(fileURLToPath(new URL('../../../../deploy/compose.yaml', import.meta.url)), 'utf8'),
)
const service = compose.services.fairgate

let volume: string
let postgres: TestPostgres | null
beforeAll(() => {
  volume = mkdtempSync(join(tmpdir(), 'fairgate-volume-'))
  postgres = startPostgres()
})
afterAll(() => {
  postgres?.stop()
  rmSync(volume, { recursive: true, force: true })
})

/** Runs it as the engine does: its user, no capabilities, a read-only root, the volume, its own /tmp. */
const contained = `
mount --bind "$IMAGE" "$IMAGE"
chown --reference="$IMAGE/data" "$VOLUME"
chmod --reference="$IMAGE/data" "$VOLUME"
mount --bind "$VOLUME" "$IMAGE/data"
mount -t tmpfs tmpfs "$IMAGE/tmp"
mount -t proc proc "$IMAGE/proc"
mount --bind /dev "$IMAGE/dev"
mount -o remount,bind,ro "$IMAGE"
exec chroot "$IMAGE" setpriv --reuid "$OWNER" --regid "$OWNER" --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs \\
  env --ignore-environment --chdir="$FOLDER" "$@"
`

function contain(environment: Readonly<Record<string, string>>, command: readonly string[]) {
  const variables = Object.entries({
    PATH: '/usr/local/bin:/usr/bin:/bin',
    ...image.environment,
    ...environment,
  })
  return Bun.spawn(
    [
      'unshare',
      '--mount',
      'sh',
      '-euc',
      contained,
      'sh',
      ...variables.map(([name, value]) => `${name}=${value}`),
      ...command,
    ],
    {
      env: {
        PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
        IMAGE: image.root,
        VOLUME: volume,
        OWNER: image.user,
        FOLDER: image.workingFolder,
      },
      stdout: 'pipe',
      stderr: 'pipe',
    },
  )
}

test('the image contains only what the server needs', () => {
  const top = readdirSync(join(image.root, image.workingFolder)).sort()
  expect(top).toEqual([
    'LICENSE',
    'config',
    'deploy',
    'node_modules',
    'package-lock.json',
    'package.json',
    'packages',
    'scripts',
  ])
  const packages = join(image.root, image.workingFolder, 'packages')
  for (const folder of ['journeys', 'mutations'])
    expect(readdirSync(join(packages, 'server'))).not.toContain(folder)
  expect(readdirSync(join(packages, 'sandbox'))).not.toContain('hostile')
  expect(readdirSync(join(image.root, image.workingFolder, 'node_modules'))).not.toContain('typescript')
})

test('the image provides what the compose file expects', () => {
  expect(service.build).toEqual({ context: '..', dockerfile: 'deploy/Dockerfile' })
  expect(image.user).toBe('fairgate')
  expect(service.volumes).toEqual([`data:${image.environment.FAIRGATE_DATA_DIR}`])
  for (const name of ['data', 'postgres']) expect(Object.keys(compose.volumes)).toContain(name)
})

test('the compose services run: healthy, a call is charged in PostgreSQL, replaced, stopped', async () => {
  if (postgres === null) throw new Error('There is no PostgreSQL. Debian: apt-get install postgresql')
  const database = await createTestPostgres(postgres.url)
  // As `docker compose` fills the file in, without a vendor key; the service `postgres` is ours.
  const environment = Object.fromEntries(
    Object.entries<string>(service.environment).map(([name, value]) => [
      name,
      name === 'DATABASE_URL' ? database.url : value.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1'),
    ]),
  )
  const server = contain(environment, image.command)
  let output = ''
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    for await (const bytes of stream) output += new TextDecoder().decode(bytes)
  }
  void collect(server.stdout)
  void collect(server.stderr)
  const started = async (times: number) => {
    while (output.split('Fairgate is ready.').length <= times) {
      if (server.exitCode !== null) throw new Error(output)
      await Bun.sleep(20)
    }
  }
  try {
    await started(1)
    expect(await contain({}, image.healthCheck).exited).toBe(0)
    while (!/gateway key {2}sk-\S+/.test(output)) await Bun.sleep(10)
    const key = /gateway key {2}(sk-\S+)/.exec(output)?.[1]
    const chat = () =>
      fetch('http://127.0.0.1:4000/v1/chat/completions', {
        method: 'POST',
        keepalive: false,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'mm-2.5-flash', messages: [{ role: 'user', content: 'Hello.' }] }),
      })
    expect((await chat()).status).toBe(200)
    expect((await fetch('http://127.0.0.1:4001/recorder')).status).toBe(200)
    // As `docker compose exec fairgate node scripts/fairgate.mjs team list`.
    const list = contain({}, ['node', 'scripts/fairgate.mjs', 'team', 'list', '--json'])
    expect(await list.exited).toBe(0)
    expect(await new Response(list.stdout).text()).toContain('demo')
    // `unshare`, `chroot`, `setpriv` and `env` each become the next: this is the launcher, as process 1 of a container is.
    process.kill(server.pid, 'SIGUSR2')
    await started(2)
    expect((await chat()).status).toBe(200)
    process.kill(server.pid, 'SIGTERM')
    expect(await server.exited).toBe(0)
    const charges = await readCharges({ dataFolder: volume, databaseUrl: database.url }, 'demo')
    expect(charges.map(({ outcome }) => outcome)).toEqual(['completed', 'completed'])
    expect(await contain({}, image.healthCheck).exited).toBe(1)
  } finally {
    server.kill('SIGKILL')
    await server.exited
    await database.drop()
  }
})
