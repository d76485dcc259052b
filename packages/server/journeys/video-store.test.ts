// suite: test on sqlite; full on postgres; 23 s
// Copies of videos shared by multiple machines: in an object store or a folder; and a machine with a different folder.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServer } from '../src/main.ts'
import { findTestPostgres } from '../src/store/testing/create-test-postgres.ts'
import {
  type Credentials,
  startObjectStore,
  type TestObjectStore,
} from '../src/videos/testing/start-object-store.ts'
import { createVideoClient } from './testing/make-video.ts'
import { createManagement } from './testing/management.ts'
import {
  adminKey,
  createSurroundings,
  type Surroundings,
  startFairgate,
  writeSettings,
} from './testing/start-fairgate.ts'

const credentials: Credentials = {
  accessKeyId: 'access-of-the-journeys',
  secretAccessKey: 'secret-of-the-journeys',
  region: 'eu-central-1',
  bucket: 'event',
}

let objects: TestObjectStore
let variables: Record<string, string>
let settings: string
beforeEach(() => {
  objects = startObjectStore(credentials)
  settings = `videos: { store: { kind: s3, endpoint: "${objects.url}", region: eu-central-1, bucket: event, prefix: copies/ } }`
  variables = {
    FAIRGATE_S3_ACCESS_KEY_ID: credentials.accessKeyId,
    FAIRGATE_S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  }
})
afterEach(() => objects.stop())

const headersOf = ({ headers }: Response) =>
  [
    'content-type',
    'content-length',
    'content-range',
    'accept-ranges',
    'cache-control',
    'transfer-encoding',
  ].map(name => headers.get(name))

test('an object store serves a video like a folder, whole and in ranges, until it is deleted', async () => {
  const stored = await startFairgate({ settings, variables })
  const kept = await startFairgate()
  try {
    const inStore = createVideoClient(stored.gatewayUrl, await stored.manage.team('store'))
    const inFolder = createVideoClient(kept.gatewayUrl, await kept.manage.team('folder'))
    const [{ id }, { id: other }] = [await inStore.make(), await inFolder.make()]
    while (objects.list().length === 0) await Bun.sleep(20)
    const folder = join(kept.place.dataFolder, 'videos')
    while (!existsSync(join(folder, `${other}.mp4`))) await Bun.sleep(20)
    // The record of the copy follows the copy.
    await stored.sandbox.stop()
    await kept.sandbox.stop()
    while ((await inStore.get(`/${id}/content`)).status !== 200) await Bun.sleep(20)
    while ((await inFolder.get(`/${other}/content`)).status !== 200) await Bun.sleep(20)
    expect(objects.list()).toEqual([`copies/${id}.mp4`])
    expect(readdirSync(join(stored.place.dataFolder, 'videos'))).toEqual([])
    for (const range of [undefined, 'bytes=10-19', 'bytes=-5', 'bytes=99999999-']) {
      const headers: Record<string, string> = range === undefined ? {} : { range }
      const [one, two] = [
        await inStore.get(`/${id}/content`, headers),
        await inFolder.get(`/${other}/content`, headers),
      ]
      expect([one.status, headersOf(one), await one.bytes()]).toEqual([
        two.status,
        headersOf(two),
        await two.bytes(),
      ])
    }
    expect((await inStore.remove(id)).status).toBe(200)
    expect(objects.list()).toEqual([])
  } finally {
    await stored.stop()
    await kept.stop()
  }
})

test('while the object store fails, the upstream serves a video as long as it has it, then 503 with retry-after; then the store again', async () => {
  let later = 0
  const fairgate = await startFairgate({ settings, variables }, () => Date.now() + later)
  try {
    const { make, get } = createVideoClient(fairgate.gatewayUrl, await fairgate.manage.team('team'))
    const { id } = await make()
    const whole = await (await get(`/${id}/content`)).bytes()
    // The upstream serves until the copy is recorded.
    while (objects.countReads() === 0) await (await get(`/${id}/content`)).bytes()
    objects.meet(503)
    const relayed = await get(`/${id}/content`)
    expect([relayed.status, await relayed.bytes()]).toEqual([200, whole])
    later = 49 * 3_600_000
    const refused = await get(`/${id}/content`)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10'])
    objects.meet('serve')
    const again = await get(`/${id}/content`)
    expect([again.status, await again.bytes()]).toEqual([200, whole])
  } finally {
    await fairgate.stop()
  }
})

const testOnPostgres = findTestPostgres() === null ? () => undefined : test

for (const kind of ['an object store', 'a shared folder'] as const)
  testOnPostgres(
    `two servers with ${kind}: one serves and deletes what the other made and copied, while that is being requested`,
    async () => {
      const place = await createSurroundings({
        variables: { ...variables, FAIRGATE_JOIN_KEY: 'ab'.repeat(32) },
      })
      const shared = join(place.folder, 'shared')
      const {
        FAIRGATE_S3_ACCESS_KEY_ID: _,
        FAIRGATE_S3_SECRET_ACCESS_KEY: __,
        ...withoutKeys
      } = place.variables
      const isStore = kind === 'an object store'
      writeSettings(
        place.folder,
        isStore ? settings : `videos: { store: { kind: folder, folder: "${shared}" } }`,
      )
      const start = (name: string) =>
        startServer({
          ...(isStore ? place.variables : withoutKeys),
          FAIRGATE_DATA_DIR: join(place.folder, name),
        })
      const listCopies = () =>
        isStore
          ? objects.list()
          : existsSync(shared)
            ? readdirSync(shared).filter(name => name.endsWith('.mp4'))
            : []
      const [one, two] = [await start('one'), await start('two')]
      try {
        const key = await createManagement(one.adminUrl, adminKey).team('team')
        const [first, second] = [
          createVideoClient(one.gatewayUrl, key),
          createVideoClient(two.gatewayUrl, key),
        ]
        const [{ id }, { id: other }] = [await first.make(), await second.make()]
        while (listCopies().length < 2) await Bun.sleep(20)
        // The record of a copy follows the copy; the provider no longer has the video.
        await place.sandbox.stop()
        for (const client of [first, second])
          for (const video of [id, other])
            while ((await client.get(`/${video}/content`)).status !== 200) await Bun.sleep(20)
        const whole = await (await first.get(`/${id}/content`)).bytes()
        expect(await (await second.get(`/${id}/content`)).bytes()).toEqual(whole)
        const part = await second.get(`/${id}/content`, { range: 'bytes=10-19' })
        expect([part.status, await part.bytes()]).toEqual([206, whole.slice(10, 20)])

        let isDeleted = false
        const read = async () => {
          const answers: string[] = []
          while (!isDeleted || answers.length < 5) {
            const answer = await first.get(`/${id}/content`)
            const bytes = await answer.bytes()
            answers.push(answer.status === 200 ? `200 ${bytes.length}` : String(answer.status))
          }
          return answers
        }
        const readers = Array.from({ length: 8 }, read)
        await Promise.race([Bun.sleep(1), ...readers])
        expect((await second.remove(id)).status).toBe(200)
        isDeleted = true
        const answers = new Set((await Promise.all(readers)).flat())
        // If the copy is deleted between reading the record and finding the copy, the provider is asked, which is gone.
        for (const answer of answers) expect([`200 ${whole.length}`, '404', '410', '502']).toContain(answer)
        expect((await first.get(`/${id}/content`)).status).toBe(404)
        expect(listCopies()).toHaveLength(1)
        expect((await first.remove(other)).status).toBe(200)
        expect((await second.get(`/${other}/content`)).status).toBe(404)
        expect(listCopies()).toEqual([])
      } finally {
        await one.stop()
        await two.stop()
        await place.remove()
      }
    },
  )

/** Starts a server, makes a video, and waits until its copy is recorded. */
async function makeCopy(place: Surroundings, clock: () => number) {
  const server = await startServer(place.variables, { clock })
  const manage = createManagement(server.adminUrl, adminKey)
  const client = createVideoClient(server.gatewayUrl, await manage.team('team'))
  const { id } = await client.make()
  const path = join(place.dataFolder, 'videos', `${id}.mp4`)
  while (!existsSync(path)) await Bun.sleep(20)
  return { server, client, id, path }
}

test('a recorded copy missing from the folder: the upstream serves the video while it has it, then the error says that it is gone', async () => {
  const place = await createSurroundings()
  let later = 0
  const { server, client, id, path } = await makeCopy(place, () => Date.now() + later)
  try {
    const whole = await (await client.get(`/${id}/content`)).bytes()
    for (const spoil of [() => writeFileSync(path, 'half'), () => rmSync(path)]) {
      spoil()
      const relayed = await client.get(`/${id}/content`)
      expect([relayed.status, await relayed.bytes()]).toEqual([200, whole])
    }
    later = 49 * 3_600_000
    const gone = await client.get(`/${id}/content`)
    expect([gone.status, await gone.text()]).toEqual([410, expect.stringContaining('video_expired')])
  } finally {
    await server.stop()
    await place.remove()
  }
})

test.each([
  ['videos: { store: { kind: s3, bucket: b } }', {}, /videos.store needs an endpoint/],
  ['videos: { store: { bucket: b } }', {}, /videos.store.bucket is for an object store/],
  [
    'videos: { store: { kind: s3, endpoint: "ftp://x", bucket: event } }',
    {},
    /videos.store.endpoint must be an http or https address/,
  ],
  [
    'videos: { max_file_mebibytes: 6000, store: { kind: s3, endpoint: "http://x", bucket: event } }',
    {},
    /videos.max_file_mebibytes must be at most 5120/,
  ],
  [
    'videos: { store: { kind: s3, endpoint: "http://x", bucket: event } }',
    { FAIRGATE_S3_ACCESS_KEY_ID: '', FAIRGATE_S3_SECRET_ACCESS_KEY: '' },
    /set FAIRGATE_S3_ACCESS_KEY_ID, and/,
  ],
  ['', {}, /FAIRGATE_S3_SECRET_ACCESS_KEY have no effect/],
])('refused with the faulty setting: %s', async (text, changes, message) => {
  const place = await createSurroundings({ settings: text, variables: { ...variables, ...changes } })
  try {
    const started = await startServer(place.variables).catch((error: Error) => error)
    expect(started).toBeInstanceOf(Error)
    expect(String(started)).toMatch(message)
    expect(String(started)).not.toContain(credentials.secretAccessKey)
  } finally {
    await place.remove()
  }
})
