// suite: test on sqlite; 12 s
// Every example of the reference pages works as printed, run by a shell on an event that has what the examples name.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NewWallTokenReply } from '@fairgate/contracts/console/wall.ts'
import type { MadeClaims } from '@fairgate/contracts/management/claims.ts'
import {
  doorNames,
  listDoorRoutes,
  longPhase,
  type NamedValues,
  needsJudging,
} from './testing/door-routes.ts'
import { ingest, sampleEntry } from './testing/logbook-client.ts'
import { createVideoClient } from './testing/make-video.ts'
import { createPreparer } from './testing/prepare-route.ts'
import { sampleFiles } from './testing/sample-files.ts'
import { adminKey, type Fairgate, startFairgate } from './testing/start-fairgate.ts'

let fairgate: Fairgate
let key: string
let folder: string
let prepare: Awaited<ReturnType<typeof createPreparer>>
beforeAll(async () => {
  fairgate = await startFairgate()
  await fairgate.manage.change('PUT', '/event/phases', { phases: [longPhase] })
  key = await fairgate.manage.team('reader', { max_budget: 100, rpm_limit: 1000, tpm_limit: 10_000_000 })
  const { token } = await fairgate.manage.token('reader')
  await ingest(fairgate.logbookUrl, token, [sampleEntry])
  const videoId = (await createVideoClient(fairgate.gatewayUrl, key).make()).id
  prepare = await createPreparer({ ...fairgate, key, token, videoId })
  folder = mkdtempSync(join(tmpdir(), 'fairgate-examples-'))
  for (const [name, make] of Object.entries({
    'photo.png': sampleFiles.image,
    'speech.mp3': sampleFiles.file,
    'report.pdf': sampleFiles.file,
  }))
    writeFileSync(join(folder, name), new Uint8Array((await make?.().arrayBuffer()) ?? new ArrayBuffer()))
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await fairgate.stop()
})

/** The page's example of each operation, as a reader copies it, by its method and path. */
function readExamples(page: string): ReadonlyMap<string, string> {
  const entities: Readonly<Record<string, string>> = {
    '&lt;': '<',
    '&gt;': '>',
    '&quot;': '"',
    '&#39;': "'",
    '&amp;': '&',
  }
  const articles = page.matchAll(
    /<h3><code><b>(\w+)<\/b> ([^<]+)<\/code><\/h3>.*?<pre><code>(curl .*?)<\/code><\/pre>/gs,
  )
  return new Map(
    [...articles].map(([, method = '', path = '', text = '']) => [
      `${method} ${path}`,
      text.replaceAll(/&(?:lt|gt|quot|amp|#39);/g, entity => entities[entity] ?? entity),
    ]),
  )
}

/** Names in angle brackets that are a text of the reader's own choice, and those that every door has. */
const usual: NamedValues = {
  ...{ name: 'Somebody', text: 'A note', model: 'video-3.0-generate-001' },
  ...{ session_id: sampleEntry.session_id, seq: 1 },
}
/** The page says why these get another status. */
const refused: Readonly<Record<string, number>> = {
  // Only a page of the door may send it.
  'POST /join/t/{ticket}/page': 403,
  // The headers say what is uploaded and in what pieces.
  'POST /vendor/upload/v1beta/files': 400,
}

/** What a team has that joins: one member has taken a line, the other one is still free. */
async function prepareJoining(): Promise<NamedValues> {
  const { manage, gatewayUrl } = fairgate
  await manage.post('/team/new', { team_id: 'joining' })
  const add = (name: string) => manage.post<{ member_id: string }>('/people', { team_id: 'joining', name })
  const [first, second] = [await add('Haeun'), await add('Jun')]
  const { items } = await manage.post<MadeClaims>('/claims', { teams: ['joining'] })
  const form = new FormData()
  form.set('member', first.member_id)
  form.set('want', 'line')
  const code = items[0]?.code
  const page = await (await fetch(`${gatewayUrl}/join/${code}`, { method: 'POST', body: form })).text()
  const { token } = await manage.post<NewWallTokenReply>('/wall_tokens', { name: 'Hall 1' })
  return { code, ticket: /jt_\w+/.exec(page)?.[0], member: second.member_id, token }
}

/** The end of an image's address. */
async function makeImage(): Promise<string | undefined> {
  const reply = await fetch(`${fairgate.gatewayUrl}/v1/images/generations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'imggen-4', prompt: 'A cat', response_format: 'url' }),
  })
  const { data } = (await reply.json()) as { data: { url: string }[] }
  return data[0]?.url.split('/').at(-1)
}

/** Runs it in a shell. Resolves with what is wrong, or null. */
async function tryExample(place: string, text: string, values: NamedValues): Promise<string | null> {
  const missing = [...text.matchAll(/<(\w+)>/g)].filter(([, name = '']) => values[name] === undefined)
  if (missing.length > 0) return `${place}: nothing to put in for ${missing.join(', ')}`
  const command = text.replaceAll(/<(\w+)>/g, (_, name: string) => String(values[name]))
  // An endless stream has sent its status by then.
  const seconds = place.endsWith('/stream') ? 1 : 20
  const child = Bun.spawn(['sh', '-c', `${command} -s -m ${seconds} -w '%{http_code}'`], {
    cwd: folder,
    stdout: 'pipe',
  })
  const answer = await new Response(child.stdout).text()
  const status = Number(answer.slice(-3))
  const isExpected = place in refused ? status === refused[place] : status >= 200 && status < 400
  return isExpected ? null : `${place}: ${command}\n${answer.slice(0, 1000)}`
}

// Shown to fail: `from` and `until` at one instant, an unescaped `q`, an example that its own schema refuses.
test.each(doorNames)(
  '%s: the examples work as printed, with the values that the page asks for',
  async door => {
    const url = fairgate[`${door}Url`]
    const page = await (await fetch(`${url}/docs`)).text()
    const routes = (await listDoorRoutes(fairgate)).filter(each => each.door === door && !each.isAlias)
    const joining = door === 'gateway' ? { ...(await prepareJoining()), image: await makeImage() } : {}
    const failed: (string | null)[] = []
    // What is deleted is needed by others before.
    const examples = [...readExamples(page)].sort(
      ([one], [other]) => Number(one.startsWith('DELETE')) - Number(other.startsWith('DELETE')),
    )
    for (const [place, printed] of examples) {
      if (needsJudging({ path: place.split(' ')[1] ?? '' })) continue
      const route = routes.find(({ method, path }) => `${method} ${path}` === place)
      const { values, secret } =
        route === undefined
          ? { values: { ...joining, key: door === 'admin' ? adminKey : key }, secret: key }
          : await prepare(route)
      // A test's door has no port before it is open.
      const text = printed.replace('http://127.0.0.1:0', url)
      failed.push(await tryExample(place, text, { ...usual, ...values, secret }))
    }
    expect(failed.filter(each => each !== null)).toEqual([])
    expect(examples.length).toBeGreaterThanOrEqual(routes.length)
  },
)
