// suite: test on sqlite and postgres; 15 s
// Submissions end to end: a team hands in and edits, files, the deadline, two members at once, other teams, organisers, and a killed server.
//
// "Two members at once" was shown to fail without the comparison of versions in `insertSubmission`, and "a lock by hand" without its check of the
// board.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import type {
  HandInBody,
  OwnSubmission,
  SubmissionList,
  TeamSubmission,
  UploadedFile,
} from '@fairgate/contracts/console/submissions.ts'
import { isSubmissionSealed, readSubmissionBody } from '../src/evidence/seal-submission.ts'
import { codeOf } from './testing/door-routes.ts'
import { ingest, sampleEntry } from './testing/logbook-client.ts'
import { createManagement, type Management } from './testing/management.ts'
import { spawnFairgate } from './testing/spawn-fairgate.ts'
import { adminKey, createSurroundings, type Fairgate, startFairgate } from './testing/start-fairgate.ts'
import { runStored } from './testing/stored-rows.ts'

let fairgate: Fairgate
let manage: Management
let [jiwoo, mina, blue] = ['', '', '']

const dayMs = 86_400_000
const at = (fromNow: number) => new Date(Date.now() + fromNow).toISOString()
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })

/** One phase, with the deadline so many ms from now. */
const setDeadline = (fromNow: number) =>
  manage.change('PUT', '/event/phases', {
    phases: [{ name: 'contest', from: at(-2 * dayMs), until: at(2 * dayMs), submissions_until: at(fromNow) }],
  })
const setAsked = (submission: object | null) => manage.change('PUT', '/event', { submission })

async function ask(path: string, key: string, method = 'GET', body?: object) {
  const response = await fetch(`${fairgate.gatewayUrl}${path}`, {
    method,
    headers: { ...bearer(key), 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, code: codeOf(text), text }
}
const handIn = (key: string, body: Partial<HandInBody>) => ask('/self/submission', key, 'PUT', body)
const read = async (key: string): Promise<OwnSubmission> =>
  JSON.parse((await ask('/self/submission', key)).text)
const upload = (key: string, filename: string, content: string | Uint8Array<ArrayBuffer>) =>
  fetch(`${fairgate.gatewayUrl}/self/submission/files?filename=${encodeURIComponent(filename)}`, {
    method: 'POST',
    headers: { ...bearer(key), 'content-type': 'application/octet-stream' },
    body: content,
  })
async function list(): Promise<SubmissionList> {
  return (await (await manage.call('GET', '/submissions')).json()) as SubmissionList
}

beforeAll(async () => {
  fairgate = await startFairgate({ settings: 'files: { team_files: 4 }' })
  manage = fairgate.manage
  await manage.post('/team/new', { team_id: 'red', team_alias: 'Red Pandas' })
  const keyOf = async (name: string) => {
    const { member_id } = await manage.post<{ member_id: string }>('/people', { team_id: 'red', name })
    return manage.key('red', { member_id })
  }
  jiwoo = await keyOf('Jiwoo Han')
  mina = await keyOf('Mina Park')
  blue = await manage.team('blue')
})
afterAll(() => fairgate.stop())

test('without a request of the organisers nothing can be handed in', async () => {
  expect(await ask('/self/submission', jiwoo)).toMatchObject({ status: 404, code: 'submission_not_found' })
  expect(await handIn(jiwoo, { based_on: 0, title: 'Tides' })).toMatchObject({
    status: 403,
    code: 'submissions_closed',
  })
  expect(JSON.parse((await ask('/self', jiwoo)).text)).toMatchObject({ submission: null })
  expect(await list()).toMatchObject({ asked: false, due_at: null })
})

describe('a team', () => {
  test('hands in, edits, and keeps every version', async () => {
    await setAsked({ disclosure: 'Which AI tools did you use?', max_files: 2 })
    await setDeadline(dayMs)
    expect(await read(jiwoo)).toMatchObject({ open: true, closed_by: null, current: null, versions: [] })
    const refused = await handIn(jiwoo, { based_on: 0, title: 'Tides' })
    expect(refused).toMatchObject({ status: 400, code: 'invalid_request' })
    expect(refused.text).toContain('Which AI tools did you use?')
    const first = { based_on: 0, title: ' Tide\ntables ', disclosure: 'Codex', summary: 'Line 1\r\n=2\u0000' }
    expect((await handIn(jiwoo, first)).status).toBe(200)
    expect(await handIn(jiwoo, { ...first, based_on: 1, title: 'Tides', commit: 'ABC1234F' })).toMatchObject({
      status: 200,
    })
    const own = await read(mina)
    expect(own.current).toMatchObject({
      ...{ version: 2, late: false, person: 'Jiwoo Han', title: 'Tides', commit: 'abc1234f' },
      ...{ summary: 'Line 1\n=2\u0000', disclosure: 'Codex', files: [] },
    })
    expect(own.versions.map(({ version }) => version)).toEqual([2, 1])
    expect(JSON.parse((await ask('/self/submission/versions/1', mina)).text)).toMatchObject({
      title: 'Tide tables',
    })
    expect(await ask('/self/submission/versions/9', mina)).toMatchObject({ status: 404 })
  })

  test('gets one version for a request that it repeats', async () => {
    const again = { based_on: 2, title: 'Tides', disclosure: 'Codex', repository: 'red/project' }
    const replies = [await handIn(jiwoo, again), await handIn(jiwoo, again)]
    expect(replies.map(({ status }) => status)).toEqual([200, 200])
    expect((await read(jiwoo)).current?.version).toBe(3)
  })

  test('of two members who edit at once: one is told who came first, and nothing is lost', async () => {
    const edit = (key: string, title: string) =>
      handIn(key, { based_on: 3, title, disclosure: 'Codex', repository: 'red/project' })
    const replies = await Promise.all([edit(jiwoo, 'By Jiwoo'), edit(mina, 'By Mina')])
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409])
    const refused = replies.find(({ status }) => status === 409)
    const { current, versions } = await read(mina)
    expect(versions).toHaveLength(4)
    expect(refused).toMatchObject({ code: 'conflict' })
    expect(refused?.text).toContain(`${current?.person} handed in version 4 at `)
  })

  test('sees whether its log names the repository and the commit', async () => {
    const { token } = await manage.token('red')
    const entry = { ...sampleEntry, repo: 'Project', commit: 'abc1234' }
    const entries = [
      { ...entry, tool_input: { commit: 'fff0000', repo: 'other' }, prompt: '"commit":"fff0000" \u0000' },
      { ...entry, commit: 'fff9999' },
      { ...entry, repo: 'another', commit: 'abc1234' },
      { ...entry, repo: 'team/project', ts: '2026-11-21T12:00:00+09:00' },
    ]
    expect((await ingest(fairgate.logbookUrl, token, entries)).status).toBe(202)
    const hand = (based_on: number, fields: object) =>
      handIn(jiwoo, { based_on, title: 'Tides', disclosure: 'Codex', ...fields })
    await hand(4, { repository: 'git@github.com:red/Project.git', commit: 'abc1234fffffffff' })
    expect((await read(jiwoo)).named_in_log).toEqual({
      repository_entries: 3,
      commit_entries: 2,
      commit_last_at: '2026-11-21T03:00:00.000Z',
      looked_at: 4,
    })
    await hand(5, { repository: 'https://github.com/red/elsewhere', commit: 'fff0000' })
    expect((await read(jiwoo)).named_in_log).toMatchObject({ repository_entries: 0, commit_entries: 0 })
    await hand(6, { repository: null })
    expect((await read(jiwoo)).named_in_log).toBeNull()
  })

  test('hands in files, within bounds and by their content', async () => {
    const pdf = '%PDF-1.7 slides'
    const sent = await upload(jiwoo, 'Folien "ß".pdf', pdf)
    expect(sent.status).toBe(201)
    const file = (await sent.json()) as UploadedFile
    expect(file).toMatchObject({
      mime_type: 'application/pdf',
      bytes: pdf.length,
      sha256: createHash('sha256').update(pdf).digest('hex'),
    })
    const { file_id: id } = file
    expect((await upload(jiwoo, 'notes.md', 'Grüße')).status).toBe(201)
    const program = await upload(jiwoo, 'notes.txt', Uint8Array.from([0x7f, 0x45, 0x4c, 0x46, 0]))
    expect(program.status).toBe(415)
    const given = { based_on: 7, title: 'Tides', disclosure: 'Codex', files: [id] }
    expect((await handIn(jiwoo, given)).status).toBe(200)
    const missing = await handIn(jiwoo, { ...given, based_on: 8, files: ['submitted-none'] })
    expect(missing).toMatchObject({ status: 404, code: 'file_not_found' })
    expect(await handIn(jiwoo, { ...given, based_on: 8, files: ['a', 'b', 'c'] })).toMatchObject({
      status: 400,
    })
    // Neither a file of a model's input, nor listed or deleted as one, nor within reach of another team.
    expect((await ask(`/v1/files/${id}`, jiwoo, 'DELETE')).status).toBe(404)
    expect(JSON.parse((await ask('/v1/files', jiwoo)).text)).toMatchObject({ data: [] })
    expect((await ask(`/self/submission/files/${id}`, blue)).status).toBe(404)
    const download = await fetch(`${fairgate.gatewayUrl}/self/submission/files/${id}`, {
      headers: bearer(mina),
    })
    expect(await download.text()).toBe(pdf)
    expect(download.headers.get('x-content-type-options')).toBe('nosniff')
    expect(download.headers.get('content-type')).toBe('application/octet-stream')
    expect(download.headers.get('content-disposition')).toBe(
      `attachment; filename="Folien ___.pdf"; filename*=UTF-8''Folien%20%22%C3%9F%22.pdf`,
    )
    await upload(jiwoo, '3', 'x')
    await upload(jiwoo, '4', 'x')
    expect((await upload(jiwoo, '5', 'x')).status).toBe(403)
    const kept = await runStored<{ expires_at: number }>(
      fairgate.place,
      'select expires_at from files where file_id = ?',
      [id],
    )
    expect(Number(kept[0]?.expires_at)).toBeGreaterThan(Date.now() + 365 * dayMs)
  })

  test('reaches nothing of another team', async () => {
    const other = await read(blue)
    expect(other).toMatchObject({ current: null, versions: [] })
    expect(await ask('/self/submission/versions/1', blue)).toMatchObject({ status: 404 })
  })
})

test('every version matches its commitment, and not after a change', async () => {
  const rows = await runStored<{ body: string; salt: Uint8Array; commitment: Uint8Array }>(
    fairgate.place,
    'select body, salt, commitment from submissions where team_id = ?',
    ['red'],
  )
  expect(rows.length).toBeGreaterThanOrEqual(8)
  for (const { body, ...seal } of rows) {
    const record = readSubmissionBody(body)
    expect(isSubmissionSealed(record, body, seal)).toBe(true)
    expect(isSubmissionSealed(record, body.replace('Codex', 'codex'), seal)).toBe(false)
    expect(isSubmissionSealed({ ...record, version: 99 }, body, seal)).toBe(false)
  }
})

describe('after the deadline', () => {
  test('a version is late; a deadline that moves on excuses it, and one that moves back accuses no one', async () => {
    await setDeadline(-60_000)
    const fields = { title: 'Late tides', disclosure: 'Codex' }
    expect((await handIn(jiwoo, { based_on: 8, ...fields })).status).toBe(200)
    const isLate = async () => (await read(jiwoo)).versions.slice(0, 2).map(({ late }) => late)
    expect(await isLate()).toEqual([true, false])
    expect(await list()).toMatchObject({ total: { handed_in: 0, late: 1, missing: 1 } })
    await setDeadline(dayMs)
    expect(await isLate()).toEqual([false, false])
    await setDeadline(-2 * 60_000)
    expect(await isLate()).toEqual([true, false])
  })

  test('a lock by hand closes it, and before the deadline it does not', async () => {
    await manage.post('/team/lock', { team_id: 'red' })
    const fields = { title: 'Later tides', disclosure: 'Codex' }
    const refused = await handIn(jiwoo, { based_on: 9, ...fields })
    expect(refused).toMatchObject({ status: 403, code: 'submissions_closed' })
    expect(await read(jiwoo)).toMatchObject({ open: false, closed_by: 'organisers' })
    expect((await upload(jiwoo, 'x', 'x')).status).toBe(403)
    await setDeadline(dayMs)
    expect((await handIn(jiwoo, { based_on: 9, ...fields })).status).toBe(200)
    await manage.post('/team/unlock', { team_id: 'red' })
  })

  test('it is refused if the event says so, and what was handed in stays', async () => {
    await setAsked({ late: 'refused' })
    await setDeadline(-60_000)
    const refused = await handIn(jiwoo, { based_on: 10, title: 'Too late' })
    expect(refused).toMatchObject({ status: 403, code: 'submissions_closed' })
    expect(refused.text).toContain('The deadline has passed')
    expect(await read(jiwoo)).toMatchObject({ closed_by: 'deadline', current: { title: 'Later tides' } })
    await setAsked({})
  })
})

describe('organisers', () => {
  test('see who has not handed in, every version, and the files', async () => {
    const listed = await list()
    expect(listed.items.map(({ team_id, state, version }) => [team_id, state, version])).toEqual([
      ['blue', 'missing', 0],
      ['red', 'handed_in', 10],
    ])
    const old = (await (await manage.call('GET', '/submissions/red?version=8')).json()) as TeamSubmission
    expect(old).toMatchObject({ team_alias: 'Red Pandas', shown: { version: 8 } })
    const [file] = old.shown?.files ?? []
    const path = `/submissions/red/files/${file?.file_id}`
    expect(await (await manage.call('GET', path)).text()).toBe('%PDF-1.7 slides')
    expect((await manage.call('GET', path.replace('red', 'blue'))).status).toBe(404)
    const none = await (await manage.call('GET', '/submissions/blue')).json()
    expect(none).toMatchObject({ shown: null, versions: [], named_in_log: null })
    expect((await manage.call('GET', '/submissions/blue?version=1')).status).toBe(404)
  })

  test('export them', async () => {
    const csv = await (await manage.call('GET', '/submissions/export.csv')).text()
    expect(csv.split('\r\n')).toHaveLength(4)
    expect(csv).toContain('"red","Red Pandas","handed_in","10"')
    const lines = await (await manage.call('GET', '/submissions/export.ndjson')).text()
    expect(JSON.parse(lines.split('\n')[1] ?? '')).toMatchObject({ team_id: 'red', disclosure: 'Codex' })
  })

  test('find each one in the audit', async () => {
    const rows = (await (await manage.call('GET', '/audit?team_id=red')).json()) as {
      readonly items: readonly { readonly action: string; readonly actor: string; readonly after: unknown }[]
    }
    const handedIn = rows.items.filter(({ action }) => action === 'submission.hand_in')
    expect(handedIn).toHaveLength(10)
    expect(handedIn[0]?.actor).toStartWith('member mb_')
    expect(handedIn[0]).toMatchObject({ after: { version: 10, title: 'Later tides' } })
  })
})

test('a killed server has every version that it has acknowledged', async () => {
  const place = await createSurroundings()
  const first = await spawnFairgate({ variables: place.variables })
  const organiser = createManagement(first.adminUrl, adminKey)
  const key = await organiser.team('red')
  await organiser.change('PUT', '/event', { submission: {} })
  const send = (url: string, version: number) =>
    fetch(`${url}/self/submission`, {
      method: 'PUT',
      headers: { ...bearer(key), 'content-type': 'application/json' },
      body: JSON.stringify({ based_on: version, title: `Title ${version + 1}` }),
    })
  let acknowledged = 0
  while (acknowledged < 20 && (await send(first.gatewayUrl, acknowledged)).status === 200) acknowledged += 1
  const last = send(first.gatewayUrl, acknowledged).catch(() => null)
  first.kill('SIGKILL')
  await Promise.all([first.exited, last])
  const second = await spawnFairgate({ variables: place.variables })
  const reply = await fetch(`${second.gatewayUrl}/self/submission`, { headers: bearer(key) })
  const { versions } = (await reply.json()) as OwnSubmission
  expect(acknowledged).toBe(20)
  expect([20, 21]).toContain(versions.length)
  expect(versions.map(({ version }) => version).toReversed()).toEqual(versions.map((_, index) => index + 1))
  second.kill('SIGTERM')
  await second.exited
  await place.remove()
}, 60_000)
