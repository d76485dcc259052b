// The secrets of a first start: many processes that start at once on one folder share them.
import { afterAll, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadSecrets } from './secrets.ts'

const root = mkdtempSync(join(tmpdir(), 'fairgate-secrets-'))
afterAll(() => rmSync(root, { recursive: true }))

const placeOf = (dataFolder: string) => ({
  dataFolder,
  videoStore: { kind: 'folder', folder: join(dataFolder, 'videos') } as const,
})

// Fails on the previous version: some processes ended with EEXIST, or with a file that held no admin key yet.
test('six processes started at once on an empty folder share one admin key and one join key', async () => {
  const dataFolder = join(root, 'race')
  // Each reports that it is ready, then waits until its input ends.
  const program = `
    import { loadSecrets } from ${JSON.stringify(join(import.meta.dir, 'secrets.ts'))}
    import { randomBytes } from 'node:crypto'
    import { readFileSync } from 'node:fs'
    process.stderr.write('ready')
    readFileSync(0)
    const { adminKey, joinKey } = loadSecrets({}, ${JSON.stringify(placeOf(dataFolder))}, randomBytes)
    console.log(adminKey, Buffer.from(joinKey).toString('hex'))
  `
  const children = Array.from({ length: 6 }, () =>
    Bun.spawn([process.execPath, '-e', program], { stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' }),
  )
  await Promise.all(children.map(({ stderr }) => stderr.getReader().read()))
  for (const { stdin } of children) stdin.end()
  const said = await Promise.all(
    children.map(async ({ stdout }) => (await new Response(stdout).text()).trim()),
  )
  expect(new Set(said).size).toBe(1)
  expect(said[0]).toMatch(/^admin-\S{32} [0-9a-f]{64}$/)
  expect(readdirSync(dataFolder).sort()).toEqual(['admin-key', 'join-key'])
  expect(statSync(join(dataFolder, 'admin-key')).mode & 0o777).toBe(0o600)
}, 300_000)

test('a join key from the environment is used, and none is made', () => {
  const dataFolder = join(root, 'given')
  const environment = { FAIRGATE_JOIN_KEY: 'ab'.repeat(32), FAIRGATE_ADMIN_KEY: 'an-admin-key-of-tests' }
  const secrets = loadSecrets(environment, placeOf(dataFolder), randomBytes)
  expect(Buffer.from(secrets.joinKey).toString('hex')).toBe('ab'.repeat(32))
  expect(readdirSync(root)).not.toContain('given')
})

test.each([
  [{ FAIRGATE_JOIN_KEY: 'abab' }, 'FAIRGATE_JOIN_KEY must be 64 lower-case hex digits'],
  [{ FAIRGATE_JOIN_KEY: 'ab'.repeat(32), FAIRGATE_JOIN_KEY_FILE: '/x' }, 'not both'],
  [{ FAIRGATE_ACCEPT_JOIN_KEY: 'yes' }, 'FAIRGATE_ACCEPT_JOIN_KEY must be the 16 hex digits'],
])('refused: %p', (environment, message) => {
  const started = () => loadSecrets(environment, placeOf(join(root, 'refused')), randomBytes)
  expect(started).toThrow(message)
})
