// suite: 24 s
// Every error code of the registry, produced over real HTTP on a door that answers with it. A new code does not compile here
// until it has a row; a row fails if its request gets another answer, or a status or header that its route's document lacks.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { type ErrorBody, type ErrorCode, errorRegistry } from '@fairgate/contracts/errors/registry.ts'
import { judgingSetupExample } from '@fairgate/contracts/judging/setup.ts'
import type { NewAdminKeyReply } from '@fairgate/contracts/management/access.ts'
import type { MadeClaims } from '@fairgate/contracts/management/claims.ts'
import type { Video } from '@fairgate/contracts/videos/video.ts'
import { joinKeyPath, loadJoinKey } from '../src/config/join-key.ts'
import { FileParts } from '../src/files/file-parts.ts'
import { ImageAddresses } from '../src/files/image-addresses.ts'
import { createReplyCheck, type ReplyCheck } from './testing/declared-reply.ts'
import { ingest, sampleEntry } from './testing/logbook-client.ts'
import { createVideoClient } from './testing/make-video.ts'
import { openPanel } from './testing/panel-judges.ts'
import { type Fairgate, startFairgate } from './testing/start-fairgate.ts'
import { runStored } from './testing/stored-rows.ts'

let fairgate: Fairgate
let check: ReplyCheck
/** A server that loses its tables while it runs. */
let broken: Fairgate
/** Embeddings are given up soon, no other call is, however slow the machine; a key has room for one large body. */
const settings = `upstream: { timeouts: { embeddings: 1 }, max_retries: 0 }
files: { team_files: 1 }
limits: { bodies: { key_mebibytes: 1, waiting_per_key: 0 } }`
beforeAll(async () => {
  ;[fairgate, broken] = await Promise.all([startFairgate({ settings }), startFairgate()])
  check = await createReplyCheck(fairgate, broken)
})
afterAll(() => Promise.all([fairgate.stop(), broken.stop()]))

type Headers = Readonly<Record<string, string>>

const post = (url: string, secret: string, body: unknown, headers: Headers = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
const get = (url: string, secret: string) => fetch(url, { headers: { authorization: `Bearer ${secret}` } })

const chatBody = (content = 'Hello', model = 'mm-2.5-flash') => ({
  model,
  messages: [{ role: 'user', content }],
  max_tokens: 16,
})
const chat = (key: string, content?: string, model?: string, headers?: Headers) =>
  post(`${fairgate.gatewayUrl}/v1/chat/completions`, key, chatBody(content, model), headers)
const uploadFile = (key: string) => {
  const body = new FormData()
  body.set('purpose', 'user_data')
  body.set('file', new File(['Notes'], 'notes.txt'))
  return fetch(`${fairgate.gatewayUrl}/v1/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body,
  })
}
/** Each song has a fixed price of 0.04 USD. */
const song = (key: string, switches = '') =>
  post(`${fairgate.gatewayUrl}/v1/audio/speech`, key, {
    model: 'music-3-clip-preview',
    voice: 'default',
    input: `Jazz ${switches}`,
  })

let teams = 0
const nextTeam = () => {
  teams += 1
  return `team-${teams}`
}
/** A key of a new team. */
const keyOf = (teamFields: object = {}, keyFields: object = {}) =>
  fairgate.manage.team(nextTeam(), { max_budget: 1, ...teamFields }, keyFields)
const tokenOf = async (teamId: string) => {
  await fairgate.manage.team(teamId)
  return (await fairgate.manage.token(teamId)).token
}

let judges = 0
const judgeKey = async (): Promise<string> => {
  judges += 1
  const body = { name: `Judge ${judges}`, role: 'judge' }
  return (await fairgate.manage.post<NewAdminKeyReply>('/admin_keys', body)).key
}

/** The ticket of a setup line for a member of this new team. */
const ticketOf = async (teamId: string): Promise<string> => {
  await fairgate.manage.team(teamId)
  const { items } = await fairgate.manage.post<MadeClaims>('/claims', { teams: [teamId], seats: 1 })
  const form = new FormData()
  for (const [name, value] of Object.entries({ member: 'other', name: 'Ada', want: 'line' }))
    form.set(name, value)
  const page = await fetch(items[0]?.url ?? '', { method: 'POST', body: form })
  return /jt_\w+/.exec(await page.text())?.[0] ?? ''
}
const useTicket = (ticket: string, laptop = 'a') =>
  fetch(`${fairgate.gatewayUrl}/join/t/${ticket}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ laptop: laptop.repeat(32) }),
  })

/** Repeats the request until it is refused: for changes that take effect later. */
async function until(ask: () => Promise<Response>): Promise<Response> {
  for (;;) {
    const response = await ask()
    if (!response.ok) return response
    await response.body?.cancel()
    await Bun.sleep(20)
  }
}

/** Returns the answer of `ask` while `running`, which is `slow`, is at the upstream. */
async function during(running: () => Promise<Response>, ask: () => Promise<Response>): Promise<Response> {
  const release = fairgate.holdUpstream()
  const { calls } = fairgate.sandbox.counters()
  const first = running()
  while (fairgate.sandbox.counters().calls === calls) await Bun.sleep(2)
  const response = await ask()
  release()
  expect((await first).status).toBe(200)
  return response
}

/** Returns the answer of `ask` while a table is missing. */
async function without(table: string, ask: () => Promise<Response>): Promise<Response> {
  await runStored(broken.place, `alter table ${table} rename to taken_away`, [])
  try {
    return await ask()
  } finally {
    await runStored(broken.place, `alter table taken_away rename to ${table}`, [])
  }
}

const video = { model: 'video-3.1-lite-generate-001', seconds: '4' }
const videosOf = (key: string) => createVideoClient(fairgate.gatewayUrl, key)

const slow = '[[sandbox: firstByteDelayMs=1]]'

const over = { name: 'over', from: '2020-01-01T00:00:00Z', until: '2020-01-02T00:00:00Z' }

/** Returns the answer of `ask` after this change, which is then undone. */
async function duringEvent(
  method: 'POST' | 'PUT',
  path: string,
  body: object,
  ask: () => Promise<Response>,
): Promise<Response> {
  const { change } = fairgate.manage
  await change(method, path, body)
  try {
    return await ask()
  } finally {
    await change('POST', '/event/resume')
    await change('PUT', '/event/phases', { phases: [] })
  }
}

/** The end of an address that a server with this key gave two hours ago. */
const endTwoHoursAgo = (joinKey: Uint8Array) =>
  new ImageAddresses({
    clock: () => Date.now() - 2 * 3_600_000,
    store: {
      read: { countFiles: async () => ({ files: 0, bytes: 0 }) },
      write: { startFile: async () => null },
    },
    parts: new FileParts({
      copies: { save: async () => 0, read: async () => null, remove: async () => undefined },
      reportFailure: () => undefined,
    }),
    newName: () => '0'.repeat(24),
    joinKey,
    maxTeamBytes: 1,
  }).keep({ teamId: 'team', keyHash: '', bytes: new Uint8Array(1) }, 'image/png')

/** Error code → a request that gets it. */
const producers: Readonly<Record<ErrorCode, () => Promise<Response>>> = {
  invalid_api_key: () => chat('sk-nobody'),
  key_blocked: async () => {
    const key = await keyOf()
    await fairgate.manage.post('/key/block', { key })
    return chat(key)
  },
  key_expired: async () => {
    const key = await keyOf({}, { duration: '1s' })
    return until(() => get(`${fairgate.gatewayUrl}/key/info`, key))
  },
  team_blocked: async () => {
    const key = await keyOf({ blocked: true })
    return chat(key)
  },
  unauthorized: () => ingest(fairgate.logbookUrl, 'aitc_nobody', [sampleEntry]),
  admin_unauthorized: () => get(`${fairgate.adminUrl}/team/list`, 'nobody'),
  admin_forbidden: async () =>
    post(`${fairgate.adminUrl}/team/new`, await judgeKey(), { team_id: nextTeam() }),
  cross_site: async () => {
    const signedIn = await fetch(`${fairgate.adminUrl}/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key: await judgeKey() }),
    })
    const [cookie = ''] = (signedIn.headers.get('set-cookie') ?? '').split(';')
    return fetch(`${fairgate.adminUrl}/session`, {
      method: 'DELETE',
      headers: { cookie, 'sec-fetch-site': 'cross-site' },
    })
  },
  model_not_allowed: async () => chat(await keyOf({}, { models: ['mm-2.5-pro'] })),
  route_not_allowed: async () => chat(await keyOf({}, { allowed_routes: ['/key/info'] })),
  other_team: async () => get(`${fairgate.gatewayUrl}/team/info?team_id=other`, await keyOf()),
  contest_closed: async () => {
    const key = await keyOf()
    return duringEvent('PUT', '/event/phases', { phases: [over] }, () => chat(key))
  },
  event_paused: async () => {
    const key = await keyOf()
    return duringEvent('POST', '/event/pause', {}, () => chat(key))
  },
  preview_outdated: async () =>
    fairgate.manage.call('POST', '/event/pause', { preview_id: `pv_${'0'.repeat(32)}` }),
  locked: async () => {
    const teamId = nextTeam()
    const token = await tokenOf(teamId)
    await fairgate.manage.post('/team/lock', { team_id: teamId })
    return ingest(fairgate.logbookUrl, token, [sampleEntry])
  },
  not_found: async () => get(`${fairgate.gatewayUrl}/v1/nothing`, await keyOf()),
  not_offered: async () => post(`${fairgate.gatewayUrl}/v1/batches`, await keyOf(), {}),
  model_not_found: async () => chat(await keyOf(), 'Hello', 'nothing'),
  file_not_found: async () => get(`${fairgate.gatewayUrl}/v1/files/file-none`, await keyOf()),
  files_exceeded: async () => {
    const key = await keyOf()
    await uploadFile(key)
    return uploadFile(key)
  },
  video_not_found: async () => videosOf(await keyOf()).get('/video_none'),
  video_not_ready: async () => {
    const { order, get: read } = videosOf(await keyOf())
    const { id } = (await (
      await order({ ...video, prompt: 'Waves [[sandbox: videoMs=60000]]' })
    ).json()) as Video
    return read(`/${id}/content`)
  },
  video_failed: async () => {
    const { make, get: read } = videosOf(await keyOf())
    const { id } = await make({ prompt: 'Waves [[sandbox: videoMs=0; videoError=13]]' })
    return read(`/${id}/content`)
  },
  video_expired: async () => {
    const { make, get: read } = videosOf(await keyOf())
    const { id } = await make()
    await runStored(fairgate.place, 'update video_tasks set expires_at = 1 where task_id = ?', [id])
    return read(`/${id}/content`)
  },
  image_expired: async () => {
    const joinKey = loadJoinKey(joinKeyPath(fairgate.place.dataFolder), randomBytes)
    const end = await endTwoHoursAgo(joinKey)
    return fetch(`${fairgate.gatewayUrl}/v1/images/${end}`)
  },
  team_not_found: () => fairgate.manage.call('GET', '/team/info?team_id=nobody'),
  entry_not_found: async () => {
    const teamId = nextTeam()
    await fairgate.manage.team(teamId)
    return fairgate.manage.call('GET', `/logs/entry?team_id=${teamId}&entry=1`)
  },
  session_not_found: async () => {
    const teamId = nextTeam()
    await fairgate.manage.team(teamId)
    return fairgate.manage.call('GET', `/sessions/${teamId}/nothing`)
  },
  call_not_found: async () => get(`${fairgate.gatewayUrl}/spend/logs/nothing`, await keyOf()),
  key_not_found: () => fairgate.manage.call('POST', '/key/block', { key: 'sk-nobody' }),
  question_not_found: () =>
    fairgate.manage.call('POST', '/questions/q_none/answer', { text: 'Yes.', audience: 'team' }),
  announcement_not_found: () => fairgate.manage.call('DELETE', '/announcements/an_none'),
  webhook_not_found: () => fairgate.manage.call('DELETE', '/webhooks/wh_none'),
  admin_key_not_found: () => fairgate.manage.call('DELETE', '/admin_keys/ak_none'),
  wall_token_not_found: () => fairgate.manage.call('DELETE', '/wall_tokens/wt_none'),
  case_not_found: () => fairgate.manage.call('GET', '/cases/case_none'),
  results_not_published: () => fetch(`${fairgate.gatewayUrl}/results.json`),
  submission_not_found: async () => get(`${fairgate.gatewayUrl}/self/submission`, await keyOf()),
  submissions_closed: async () =>
    fetch(`${fairgate.gatewayUrl}/self/submission`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${await keyOf()}`, 'content-type': 'application/json' },
      body: JSON.stringify({ based_on: 0, title: 'Tides' }),
    }),
  scores_closed: async () => {
    const team = nextTeam()
    await fairgate.manage.team(team)
    const setup = { ...judgingSetupExample, calibration_team: team, closes_at: '2026-01-01T00:00:00Z' }
    const [judge] = await openPanel(fairgate, setup, ['Judge who is late'])
    if (judge === undefined) throw new Error('There is no judge.')
    return judge.ask('PUT', `/judging/scores/${team}`, { scores: {}, revision: 0 })
  },
  note_not_found: () => fairgate.manage.call('DELETE', '/notes/nt_none'),
  member_not_found: () => fairgate.manage.call('GET', '/people/mb_nobody'),
  judge_not_found: () => fairgate.manage.call('POST', '/judging/judges/jdg_nobody', {}),
  log_token_not_found: () => fairgate.manage.call('POST', '/log_token/revoke', { token_id: 'lt_nobody' }),
  claim_not_found: () => fairgate.manage.call('DELETE', '/claims/cl_nobody'),
  join_not_found: () => useTicket('jt_nobody'),
  join_ended: async () => {
    const ticket = await ticketOf(nextTeam())
    await useTicket(ticket, 'a')
    return useTicket(ticket, 'b')
  },
  join_refused: async () => {
    const teamId = nextTeam()
    const ticket = await ticketOf(teamId)
    await fairgate.manage.post('/team/block', { team_id: teamId })
    return useTicket(ticket)
  },
  host_not_allowed: () => fetch(`${fairgate.adminUrl}/team/list`, { headers: { host: 'evil.example' } }),
  too_many_streams: async () => {
    const key = await keyOf()
    const follow = () => get(`${fairgate.gatewayUrl}/self/stream`, key)
    const open: Response[] = []
    for (let streams = 0; streams < 16; streams += 1) open.push(await follow())
    const refused = await follow()
    await Promise.all(open.map(response => response.body?.cancel()))
    return refused
  },
  method_not_allowed: async () => get(`${fairgate.gatewayUrl}/v1/chat/completions`, await keyOf()),
  conflict: async () => {
    const teamId = nextTeam()
    await fairgate.manage.team(teamId)
    return fairgate.manage.call('POST', '/team/new', { team_id: teamId })
  },
  idempotency_running: async () => {
    const key = await keyOf()
    const ask = () => chat(key, slow, undefined, { 'idempotency-key': 'one' })
    return during(ask, ask)
  },
  idempotency_lost: async () => {
    const key = await keyOf()
    const ask = () => chat(key, 'Hello', undefined, { 'idempotency-key': 'lost' })
    await (await ask()).text()
    // The state after a crash between the charge and the answer.
    const unanswered = "update idempotent_calls set status = null where idempotency_key = 'lost'"
    await runStored(fairgate.place, unanswered, [])
    return ask()
  },
  idempotency_conflict: async () => {
    const key = await keyOf()
    const ask = (content: string) => chat(key, content, undefined, { 'idempotency-key': 'one' })
    await (await ask('Hello')).text()
    return ask('Good-bye')
  },
  invalid_request: async () =>
    post(`${fairgate.gatewayUrl}/v1/chat/completions`, await keyOf(), { model: 'mm-2.5-flash' }),
  invalid_json: async () => post(`${fairgate.gatewayUrl}/v1/chat/completions`, await keyOf(), '{"model":'),
  unsupported_media_type: async () =>
    chat(await keyOf(), 'Hello', undefined, { 'content-type': 'text/plain' }),
  payload_too_large: () => fairgate.manage.call('POST', '/team/new', { team_alias: 'x'.repeat(1024 * 1024) }),
  too_many_entries: async () =>
    ingest(fairgate.logbookUrl, await tokenOf(nextTeam()), Array(501).fill(sampleEntry)),
  rpm_exceeded: async () => {
    const key = await keyOf({ rpm_limit: 1 })
    await (await chat(key)).text()
    return chat(key)
  },
  tpm_exceeded: async () => chat(await keyOf({ tpm_limit: 1 })),
  parallel_exceeded: async () => {
    const key = await keyOf({}, { max_parallel_requests: 1 })
    return during(
      () => chat(key, slow),
      () => get(`${fairgate.gatewayUrl}/key/info`, key),
    )
  },
  body_bytes_exceeded: async () => {
    const key = await keyOf({ max_budget: 100 })
    const large = 'large '.repeat(120_000)
    return during(
      () => chat(key, large),
      () => chat(key, large),
    )
  },
  budget_exceeded: async () => song(await keyOf({ max_budget: 0.03 })),
  budget_held: async () => {
    const key = await keyOf({ max_budget: 0.05 })
    return during(
      () => song(key, slow),
      () => song(key),
    )
  },
  upstream_rate_limited: async () => chat(await keyOf(), '[[sandbox: error=429]]'),
  upstream_rejected: async () => chat(await keyOf(), '[[sandbox: error=400]]'),
  content_policy_violation: async () =>
    post(`${fairgate.gatewayUrl}/v1/images/generations`, await keyOf(), {
      model: 'mm-2.5-flash-image',
      prompt: 'A [[sandbox: blockPrompt=SAFETY]]',
    }),
  upstream_error: async () => chat(await keyOf(), '[[sandbox: error=500]]'),
  upstream_auth: async () => chat(await keyOf(), '[[sandbox: error=403]]'),
  upstream_overloaded: async () => chat(await keyOf(), '[[sandbox: error=503]]'),
  upstream_timeout: async () =>
    post(`${fairgate.gatewayUrl}/v1/embeddings`, await keyOf(), {
      model: 'mm-embedding-001',
      input: '[[sandbox: hang]]',
    }),
  unavailable: async () => {
    const key = await broken.manage.team('broken', { max_budget: 1 })
    return without('charges', () => post(`${broken.gatewayUrl}/v1/chat/completions`, key, chatBody()))
  },
  internal: () => without('audit', () => broken.manage.call('GET', '/audit')),
}

/** No operation of a document answers with these. */
const ofNoOperation: readonly ErrorCode[] = [
  'not_found',
  'not_offered',
  'method_not_allowed',
  'host_not_allowed',
]

for (const code of Object.keys(errorRegistry) as ErrorCode[]) {
  test(`${code}: its status and type, with a message and the id of the call`, async () => {
    const { status, type } = errorRegistry[code]
    const response = await producers[code]()
    const text = await response.text()
    if (!ofNoOperation.includes(code)) expect(check.find(response, text)).toEqual([])
    const { error } = JSON.parse(text) as ErrorBody
    const said = { status: response.status, code: error.code, type: error.type }
    expect({ ...said, message: error.message }).toEqual({ status, code, type, message: expect.any(String) })
    expect(error.message.trim()).not.toBe('')
    expect(Object.keys(error).sort()).toEqual(['code', 'message', 'param', 'type'])
    expect(response.headers.get('x-gateway-call-id')).toBeTruthy()
  })
}
