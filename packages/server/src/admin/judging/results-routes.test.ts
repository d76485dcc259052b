// Results through the admin door: the ranking, ties, judging again, verification by a second person, publication and corrections.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { judgeCodesReplySchema } from '@fairgate/contracts/judging/codes.ts'
import { queueReplySchema } from '@fairgate/contracts/judging/reading.ts'
import { rejudgingReplySchema, resultsReplySchema } from '@fairgate/contracts/judging/results.ts'
import { judgementReplySchema } from '@fairgate/contracts/judging/scores.ts'
import type { JudgingSetup } from '@fairgate/contracts/judging/setup.ts'
import { previewReplySchema } from '@fairgate/contracts/management/planned-action.ts'
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { openAdminDoor, type Reply } from '../testing/open-admin-door.ts'

let door: Awaited<ReturnType<typeof openAdminDoor>>
let cookies: Readonly<Record<string, string>>
let headJudge: string

const setup: JudgingSetup = {
  criteria: [
    { id: 'direction', name: 'Direction', weight: 2, max: 5 },
    { id: 'checking', name: 'Checking', weight: 1, max: 5 },
  ],
  ranking: 'mean',
  ties: [{ by: 'criterion', criterion: 'direction' }, { by: 'head_judge' }],
  judges_per_team: 2,
  minutes_per_team: 10,
  minutes_per_judge: 90,
  seed: '4 2 6 1',
}

/** Two judges have finished these teams: "red" and "blue" are equal in everything, "green" is behind. */
const scores = { red: [4, 4], blue: [4, 4], green: [3, 3] } as const

beforeEach(async () => {
  door = await openAdminDoor()
  for (const team_id of Object.keys(scores))
    await door.post('/team/new', { team_id, team_alias: `The ${team_id}` })
  await door.post('/judging/setup', { setup }, 'PUT')
  await door.post('/judging/judges', { judges: [{ name: 'Ada' }, { name: 'Ben' }] })
  await door.post('/judging/deal', {})
  const codes = read(judgeCodesReplySchema, await door.post('/judging/codes', { judges: 'all' }))
  cookies = Object.fromEntries(
    await Promise.all(codes.items.map(async ({ name, code }) => [name, await signIn(code)] as const)),
  )
  headJudge = String(Object((await door.post('/admin_keys', { name: 'Hana', role: 'head_judge' })).body).key)
  for (const [team, [direction, checking]] of Object.entries(scores))
    for (const name of ['Ada', 'Ben']) await finish(name, team, direction, checking)
})
afterEach(() => door.close())

function as(headers: Readonly<Record<string, string>>) {
  return (method: string, path: string, body?: object): Promise<Reply> =>
    door.send(
      new Request(`http://door.test${path}`, {
        method,
        headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    )
}
const by = (name: string) => as({ cookie: cookies[name] ?? '' })
const byHeadJudge = (method: string, path: string, body?: object) =>
  as({ authorization: `Bearer ${headJudge}` })(method, path, body)

async function signIn(code: string): Promise<string> {
  const { headers } = await as({})('POST', '/judging/sign-in', { code })
  return headers.get('set-cookie')?.split(';')[0] ?? ''
}

async function finish(name: string, team: string, direction: number, checking: number): Promise<void> {
  const { own } = read(judgementReplySchema, await by(name)('GET', `/judging/scores/${team}`))
  const content = {
    scores: { direction: { score: direction }, checking: { score: checking } },
    comment_team: `${name} on ${team}`,
    revision: own.revision,
  }
  const saved = read(judgementReplySchema, await by(name)('PUT', `/judging/scores/${team}`, content))
  const { revision } = saved.own
  read(judgementReplySchema, await by(name)('POST', `/judging/scores/${team}/done`, { revision }))
}

function read<Schema extends TSchema>(schema: Schema, { status, body }: Reply): Static<Schema> {
  expect({ status, body }).toMatchObject({ status: 200 })
  if (Value.Check(schema, body)) return body
  throw new Error(`The reply does not keep to its schema: ${JSON.stringify(body)}`)
}
const refusalOf = ({ status, body }: Reply) => {
  const { code, message } = Object(Object(body).error)
  return [status, code, message]
}
const results = async () => read(resultsReplySchema, await door.get('/judging/results'))
const ranks = async () => (await results()).teams.map(({ team_id, rank }) => [team_id, rank])
const decideTie = (teams: readonly string[]) =>
  byHeadJudge('POST', '/judging/results/ties', { teams, reason: 'The demo ran.' })
const verify = async () =>
  read(
    resultsReplySchema,
    await byHeadJudge('POST', '/judging/results/verify', {
      digest: (await results()).digest,
      note: 'Added up by hand',
    }),
  )
/** The organiser confirms the warnings of the dry run, such as that orders are missing. */
async function act(path: string, body: object): Promise<Reply> {
  const { preview_id } = read(previewReplySchema, await door.post(path, { ...body, dry_run: true }))
  return await door.post(path, { ...body, preview_id })
}
const publish = async (more: object = {}) =>
  act('/judging/results/publish', { digest: (await results()).digest, ...more })

test('the ranking shows the steps for ties, and leaves what is equal to the head judge', async () => {
  expect(await results()).toMatchObject({
    sampled: false,
    teams: [
      { team_id: 'blue', team: 'The blue', rank: 1, mean: 0.8, criteria: { direction: 4, checking: 4 } },
      { team_id: 'red', rank: 1 },
      { team_id: 'green', rank: 3, mean: 0.6 },
    ],
    ties: [
      { step: { by: 'criterion' }, teams: ['blue', 'red'], values: { blue: 4, red: 4 } },
      { step: { by: 'head_judge' }, values: { blue: null, red: null } },
    ],
    open_ties: [['blue', 'red']],
    missing: ['1 tie is left for the head judge.'],
    judges: [{ name: 'Ada', judgements: 3 }, { name: 'Ben' }],
  })
  expect(
    refusalOf(await door.post('/judging/results/ties', { teams: ['red', 'blue'], reason: 'x' }))[0],
  ).toBe(403)
  expect(refusalOf(await decideTie(['red', 'green']))).toMatchObject([409, 'conflict', expect.any(String)])
  const decided = read(resultsReplySchema, await decideTie(['red', 'blue']))
  expect(decided).toMatchObject({
    open_ties: [],
    missing: [],
    ties: [{}, { values: { red: 1, blue: 2 }, reason: 'The demo ran.' }],
  })
  expect(await ranks()).toEqual([
    ['red', 1],
    ['blue', 2],
    ['green', 3],
  ])
})

test('results are published by another person than the one who verified them, and only as they were verified', async () => {
  await verify()
  const early = { digest: (await results()).digest }
  expect(refusalOf(await door.post('/judging/results/publish', early))[2]).toContain('A tie is left')
  await decideTie(['red', 'blue'])
  const { digest } = await results()
  expect(refusalOf(await door.post('/judging/results/publish', { digest }))[2]).toContain(
    'No one has verified',
  )
  expect((await verify()).verification).toMatchObject({ by: 'Hana', current: true, note: 'Added up by hand' })
  expect(refusalOf(await byHeadJudge('POST', '/judging/results/publish', { digest }))[2]).toContain(
    'yourself',
  )
  await byHeadJudge('POST', '/judging/results/ties', { teams: ['blue', 'red'], reason: 'Counted again.' })
  expect((await results()).verification).toMatchObject({ current: false })
  expect(refusalOf(await door.post('/judging/results/publish', { digest }))[2]).toContain('have changed')
  await verify()
  expect(read(resultsReplySchema, await publish()).publication).toMatchObject({
    published: true,
    corrections: [],
  })
  expect(
    refusalOf(await door.post('/judging/results/publish', { digest: (await results()).digest }))[2],
  ).toContain('are published')
  expect(refusalOf(await by('Ada')('POST', '/judging/scores/red/reopen', { reason: 'Again' }))).toMatchObject(
    [403, 'scores_closed', expect.any(String)],
  )
  const actions = (await door.readAudit()).map(({ action }) => action)
  expect(actions.filter(action => /verify|publish|tie/.test(String(action)))).toEqual([
    'judging.verify',
    'judging.tie',
    'judging.verify',
    'judging.tie',
    'judging.verify',
    'judging.publish',
  ])
})

test('a planned publication can be cancelled before its time, and shows nothing until then', async () => {
  await decideTie(['red', 'blue'])
  await verify()
  expect(read(resultsReplySchema, await publish({ at: '2126-01-01T12:00:00Z' })).publication).toMatchObject({
    published: false,
    at: '2126-01-01T12:00:00.000Z',
  })
  expect(refusalOf(await by('Ada')('POST', '/judging/scores/red/reopen', { reason: 'Again' }))[0]).toBe(403)
  read(resultsReplySchema, await door.remove('/judging/results/publish'))
  expect((await results()).publication).toBeNull()
  read(judgementReplySchema, await by('Ada')('POST', '/judging/scores/red/reopen', { reason: 'Again' }))
  expect(refusalOf(await door.remove('/judging/results/publish'))).toMatchObject([
    409,
    'conflict',
    expect.any(String),
  ])
})

test('a set that is judged again counts as one change, after its effect was seen; discarded, it leaves no trace', async () => {
  const open = (teams: readonly string[]) =>
    door.post('/judging/rejudging', { teams, reason: 'The demo was broken.' })
  expect(read(rejudgingReplySchema, await open(['green']))).toMatchObject({
    items: [{ team_id: 'green', judge: 'Ada', done: false }, { judge: 'Ben' }],
    effect: [],
  })
  expect(refusalOf(await open(['red']))[0]).toBe(409)
  const queue = read(queueReplySchema, await by('Ada')('GET', '/judging/queue'))
  expect(queue.items.find(({ team }) => team === 'green')).toMatchObject({ state: 'begun' })
  await finish('Ada', 'green', 5, 5)
  expect((await results()).teams.at(-1)).toMatchObject({ team_id: 'green', mean: 0.6 })
  const close = (apply: boolean) => act('/judging/rejudging/close', { apply, reason: 'Judged twice.' })
  expect(refusalOf(await door.post('/judging/rejudging/close', { apply: true, reason: 'x' }))[2]).toContain(
    'Ben on green',
  )
  await finish('Ben', 'green', 5, 5)
  expect(read(rejudgingReplySchema, await door.get('/judging/rejudging')).effect).toEqual([
    { team_id: 'blue', team: 'The blue', rank_before: 1, rank_after: 2, mean_before: 0.8, mean_after: 0.8 },
    { team_id: 'red', team: 'The red', rank_before: 1, rank_after: 2, mean_before: 0.8, mean_after: 0.8 },
    { team_id: 'green', team: 'The green', rank_before: 3, rank_after: 1, mean_before: 0.6, mean_after: 1 },
  ])
  read(resultsReplySchema, await close(false))
  expect((await results()).teams.at(-1)).toMatchObject({ team_id: 'green', rank: 3, mean: 0.6 })
  expect(read(judgementReplySchema, await by('Ada')('GET', '/judging/scores/green')).own).toMatchObject({
    state: 'done',
  })
  await open(['green'])
  for (const name of ['Ada', 'Ben']) await finish(name, 'green', 5, 5)
  read(resultsReplySchema, await close(true))
  expect((await results()).teams[0]).toMatchObject({ team_id: 'green', rank: 1, mean: 1 })
  expect((await results()).rejudging).toBeNull()
})

// Shown to fail when the effect kept the earlier judgement, and when a judge who was replaced was waited for.
test('the effect of judging again counts what could not be judged, and waits for no one who was replaced', async () => {
  await door.post('/judging/rejudging', { teams: ['green'], reason: 'The demo was broken.' })
  await by('Ada')('POST', '/judging/scores/green/unable', { reason: 'It did not start.' })
  const { items } = read(rejudgingReplySchema, await door.get('/judging/rejudging'))
  const ben = items.find(({ judge }) => judge === 'Ben')?.judge_id
  await act('/judging/deal', { replace: ben })
  const { effect } = read(rejudgingReplySchema, await door.get('/judging/rejudging'))
  expect(effect).toMatchObject([{ team_id: 'green', rank_before: 3, rank_after: null, mean_after: null }])
  read(resultsReplySchema, await act('/judging/rejudging/close', { apply: true, reason: 'Seen.' }))
  expect((await results()).teams.at(-1)).toMatchObject({ team_id: 'green', unranked: 'not_judged' })
})

test('nothing changes after publication without a numbered correction', async () => {
  await decideTie(['red', 'blue'])
  await verify()
  await publish()
  const correct = async () =>
    act('/judging/results/corrections', {
      digest: (await results()).digest,
      text: 'A judge had mixed up two teams.',
    })
  await door.post('/judging/rejudging', { teams: ['green'], reason: 'Mixed up.' })
  for (const name of ['Ada', 'Ben']) await finish(name, 'green', 5, 5)
  await act('/judging/rejudging/close', { apply: true, reason: 'Judged again.' })
  expect((await results()).teams[0]).toMatchObject({ team_id: 'green' })
  const { digest } = await results()
  expect(refusalOf(await door.post('/judging/results/corrections', { digest, text: 'x' }))[2]).toContain(
    'No one has verified',
  )
  await verify()
  expect(read(resultsReplySchema, await correct()).publication).toMatchObject({
    corrections: [{ number: 1, text: 'A judge had mixed up two teams.', by: 'admin' }],
  })
})
