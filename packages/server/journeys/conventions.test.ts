// suite: 9 s
// Conventions of every route of every door, including future ones: values that mean nothing, and HEAD.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { validateWith } from '../src/http/validate.ts'
import { withoutNulls, writtenWithNulls } from './testing/absent-members.ts'
import {
  buildWorkingRequest,
  credentialFor,
  type DoorRoute,
  isEndless,
  isPassThrough,
  listDoorRoutes,
  longPhase,
  type NamedValues,
  namesMember,
  needsEntry,
  needsJudging,
  prepareMember,
  type RoutedRequest,
  readReply,
  sendRouted,
} from './testing/door-routes.ts'
import { readHostileSeed } from './testing/hostile-seed.ts'
import { ingest, sampleEntry } from './testing/logbook-client.ts'
import { makeCall } from './testing/make-call.ts'
import { createVideoClient } from './testing/make-video.ts'
import { orderVideo } from './testing/order-video.ts'
import { prepareOwner } from './testing/prepare-owner.ts'
import { adminKey, type Fairgate, startFairgate } from './testing/start-fairgate.ts'

const seed = readHostileSeed()

let fairgate: Fairgate
let listed: DoorRoute[]
let reads: Promise<readonly Prepared[]> | null = null
const prepareReads = () => {
  reads ??= Promise.all(listed.filter(({ method }) => method === 'GET').map(prepare))
  return reads
}
beforeAll(async () => {
  fairgate = await startFairgate()
  // One path per route, because all its paths lead to the same handler.
  listed = (await listDoorRoutes(fairgate)).filter(route => !route.isAlias && !needsJudging(route))
  await fairgate.manage.change('PUT', '/event/phases', { phases: [longPhase] })
})
afterAll(() => fairgate.stop())

const nameOf = ({ door, method, path }: DoorRoute) => `${door} ${method} ${path}`
const hashOf = (secret: string) => new Bun.CryptoHasher('sha256').update(secret).digest('hex')

type Prepared = {
  readonly route: DoorRoute
  readonly request: RoutedRequest
  readonly headers: Readonly<Record<string, string>>
}

let teams = 0
async function makeTeam() {
  teams += 1
  const team_id = `team-${teams}`
  const key = await fairgate.manage.team(team_id, { max_budget: 100 })
  const { token, token_id } = await fairgate.manage.token(team_id)
  return { team_id, key, token, token_id }
}

let readTeam: ReturnType<typeof makeTeam> | null = null
/** A valid request. Reading routes share a team; each other route has its own, so that changes do not affect another. */
async function prepare(route: DoorRoute): Promise<Prepared> {
  const isShared = route.method === 'GET' && !namesMember(route)
  if (isShared) readTeam ??= makeTeam()
  const { team_id, key, token, token_id } = await (isShared && readTeam !== null ? readTeam : makeTeam())
  const values: NamedValues = {
    team_id,
    key: hashOf(key),
    keys: [hashOf(key)],
    token_id,
    id: 'mm-2.5-flash',
    entries: [sampleEntry],
    teams: [team_id],
    team_ids: [team_id],
    ...(route.path.includes('{video_id}')
      ? { video_id: (await createVideoClient(fairgate.gatewayUrl, key).make()).id }
      : {}),
    ...(route.path.includes('{call_id}') ? { call_id: await makeCall(fairgate.gatewayUrl, key) } : {}),
    ...(needsEntry(route) ? await storeEntry(token) : {}),
    ...(/\{(operation|file)\}/.test(route.path) ? await orderVideo(fairgate.gatewayUrl, key) : {}),
    ...(await prepareMember(route, team_id, fairgate.manage.post)),
    ...(await prepareOwner(route, { ...fairgate, post: fairgate.manage.post, team_id, key })),
  }
  const secret = { gateway: key, logbook: token, admin: adminKey }[route.door]
  return {
    route,
    request: buildWorkingRequest(fairgate, route, values),
    headers: credentialFor(route, secret),
  }
}

async function storeEntry(token: string): Promise<NamedValues> {
  expect((await ingest(fairgate.logbookUrl, token, [sampleEntry])).status).toBe(202)
  return { entry: 1 }
}

const membersOf = (schema: unknown): Readonly<Record<string, unknown>> =>
  typeof schema === 'object' && schema !== null && !Array.isArray(schema) ? { ...schema } : {}

/** Null for each optional member that is missing in the body and in the objects within it. */
function addNulls(schema: unknown, value: unknown): unknown {
  const { properties, required, items } = membersOf(schema)
  if (Array.isArray(value)) return value.map(item => addNulls(items, item))
  if (typeof value !== 'object' || value === null) return value
  const known = membersOf(properties)
  const optional = Object.keys(known).filter(name => !Array.isArray(required) || !required.includes(name))
  return {
    ...Object.fromEntries(optional.map(name => [name, null])),
    ...Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, addNulls(known[name], member)]),
    ),
  }
}

describe('values that mean nothing', () => {
  // Shown to fail: without `dropAbsent` every route with an optional member that takes no null is 400.
  test('null for an optional member changes no answer, on any route', async () => {
    const routes = listed.filter(({ body, isForm }) => body !== null && !isForm)
    const refused: unknown[] = []
    for (const { route, request, headers } of await Promise.all(routes.map(prepare))) {
      const body = JSON.stringify(addNulls(route.body, JSON.parse(String(request.body))))
      const { status, code, text } = await sendRouted({ ...request, body }, headers)
      // Pass-through bodies are relayed unchanged: an upstream error about a null is not our refusal.
      const isOfUpstream = isPassThrough(route) && code === null
      if (!route.successes.includes(status) && !isOfUpstream) refused.push([nameOf(route), status, text])
    }
    expect(routes.length).toBeGreaterThan(20)
    expect(refused).toEqual([])
  })

  test('at any depth of any body, null means the same as leaving the member out', () => {
    for (const route of listed) {
      if (route.body === null || route.isForm) continue
      const validate = validateWith(route.body)
      fc.assert(
        fc.property(writtenWithNulls(route.body), ({ given, meant }) => {
          expect<unknown>(withoutNulls(validate(given))).toEqual(withoutNulls(meant))
        }),
        { seed, numRuns: 6 },
      )
    }
  })

  test('empty form fields mean the same as missing ones, on every route that takes a form', async () => {
    const routes = listed.filter(({ isForm }) => isForm)
    const replies = await Promise.all(
      routes.map(async route => {
        const { request, headers } = await prepare(route)
        if (!(request.body instanceof FormData)) throw new Error(`${route.path} has no form.`)
        for (const name of Object.keys(membersOf(route.body?.properties)))
          if (!request.body.has(name)) request.body.append(name, '')
        const { status } = await sendRouted(request, headers)
        return [nameOf(route), status]
      }),
    )
    expect(replies).toEqual(routes.map(route => [nameOf(route), 200]))
  })

  // Shown to fail: `limit=` was 400 on every list.
  test('empty query parameters mean their defaults, on every route', async () => {
    const routes = (await prepareReads()).filter(({ route }) => route.parameters.length > 0)
    const refused: unknown[] = []
    for (const { route, request, headers } of routes) {
      const address = new URL(request.url)
      for (const { in: place, name, required } of route.parameters)
        if (place === 'query' && !required) address.searchParams.set(name, '')
      const { status, text } = await sendRouted({ ...request, url: address.href }, headers)
      if (!route.successes.includes(status)) refused.push([nameOf(route), status, text])
    }
    expect(routes.length).toBeGreaterThan(6)
    expect(refused).toEqual([])
  })
})

/** Pages of a door besides its routes; they need no credential. */
const pages = ['/', '/docs', '/docs/docs.css', '/openapi.json', '/health/live', '/health/ready']
const pagesOfLogbook = ['/recorder', '/recorder/install.sh', '/recorder/fairgate-recorder.cjs']

const streamed = /^(text\/event-stream|application\/x-ndjson|text\/csv)\b/

describe('HEAD', () => {
  // Shown to fail: every path but the fixed ones had `content-length: 0`, downloads had none.
  test('has the status and length of GET, on every route and page of every door', async () => {
    const routes = await prepareReads()
    const asked = [
      ...routes.map(({ request: { url }, headers }) => ({ url, headers })),
      ...[fairgate.gatewayUrl, fairgate.logbookUrl, fairgate.adminUrl].flatMap(door =>
        [...pages, '/nothing'].map(path => ({ url: `${door}${path}`, headers: {} })),
      ),
      ...pagesOfLogbook.map(path => ({ url: `${fairgate.logbookUrl}${path}`, headers: {} })),
    ]
    const wrong: unknown[] = []
    for (const { url, headers } of asked) {
      const [get, head] = await Promise.all(
        ['GET', 'HEAD'].map(async method => {
          const reply = await fetch(url, { method, headers, redirect: 'manual' })
          const { byteLength } = isEndless(reply) ? Buffer.from(await readReply(reply)) : await reply.bytes()
          const type = reply.headers.get('content-type') ?? ''
          return { status: reply.status, type, byteLength, length: reply.headers.get('content-length') }
        }),
      )
      // Content generated while it is sent has no length beforehand.
      const length = streamed.test(get?.type ?? '') ? null : String(get?.byteLength)
      const expected = { ...get, byteLength: 0, length }
      if (!Bun.deepEquals(head, expected)) wrong.push({ url, expected, head })
    }
    expect(asked.length).toBeGreaterThan(35)
    expect(wrong).toEqual([])
  })
})
