// suite: test on sqlite; 10 s
// All files of the server and its backups are private to their user, even with the most open umask and in an open folder.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ingest, sampleEntry } from './testing/logbook-client.ts'
import { makeCall } from './testing/make-call.ts'
import { createVideoClient } from './testing/make-video.ts'
import { createManagement } from './testing/management.ts'
import { type SpawnedFairgate, spawnFairgate, spawnProcess } from './testing/spawn-fairgate.ts'
import { adminKey, createSurroundings, type Surroundings } from './testing/start-fairgate.ts'

const entry = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url))
const openly = (...words: readonly string[]) => [
  'sh',
  '-c',
  'umask 000 && exec "$0" "$@"',
  process.execPath,
  entry,
  ...words,
]

let place: Surroundings
let server: SpawnedFairgate
beforeAll(async () => {
  place = await createSurroundings()
  mkdirSync(place.dataFolder)
  chmodSync(place.dataFolder, 0o777)
  server = await spawnFairgate({ variables: place.variables, program: openly('serve') })
})
afterAll(async () => {
  server.kill('SIGTERM')
  await server.exited
  await place.remove()
})

/** Files below a folder that other users of this machine can access. */
const listOpen = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    path => (statSync(join(folder, path)).mode & 0o077) !== 0,
  )

// Shown to fail on the build before: fairgate.db, -wal, -shm, the lock and the folder of videos were open to everyone.
test('the data folder of a running server is private', async () => {
  const manage = createManagement(server.adminUrl, adminKey)
  const key = await manage.team('red', { max_budget: 50 })
  await makeCall(server.gatewayUrl, key)
  await ingest(server.logbookUrl, (await manage.token('red')).token, [sampleEntry])
  const { id } = await createVideoClient(server.gatewayUrl, key).make()
  const video = join(place.dataFolder, 'videos', `${id}.mp4`)
  while (!existsSync(video)) await Bun.sleep(5)
  expect((await fetch(`${server.adminUrl}/console`)).status).toBe(200)
  const files = readdirSync(place.dataFolder)
  expect(files).toEqual(
    expect.arrayContaining([
      'fairgate.db',
      'fairgate.db-wal',
      'fairgate.db-shm',
      'fairgate.lock',
      'join-key',
    ]),
  )
  expect(listOpen(place.dataFolder)).toEqual([])
}, 300_000)

test('a backup is private', async () => {
  const folder = join(place.folder, 'backups', 'first')
  const made = spawnProcess({ variables: place.variables, program: openly('backup', 'create', folder) })
  expect([await made.exited, made.output()]).toEqual([0, expect.stringContaining('first')])
  expect(listOpen(join(place.folder, 'backups'))).toEqual([])
  expect(statSync(join(place.folder, 'backups')).mode & 0o777).toBe(0o700)
}, 300_000)
