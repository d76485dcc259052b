// Scoring through the admin door: judges who are signed in, the head judge with papers, and what organisers see of it.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { judgeCodesReplySchema } from '@fairgate/contracts/judging/codes.ts'
import { assignmentListSchema, judgeListSchema } from '@fairgate/contracts/judging/panel.ts'
import { queueReplySchema } from '@fairgate/contracts/judging/reading.ts'
import {
  type JudgementReply,
  judgementListSchema,
  judgementReplySchema,
  judgementRowReplySchema,
  judgingVerificationSchema,
  orderReplySchema,
  progressReplySchema,
} from '@fairgate/contracts/judging/scores.ts'
import type { JudgingSetup } from '@fairgate/contracts/judging/setup.ts'
import { sql } from 'kysely'
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { buildPackedEntries, sender } from '../../store/testing/build-entry-to-append.ts'
import { openAdminDoor, type Reply } from '../testing/open-admin-door.ts'

let door: Awaited<ReturnType<typeof openAdminDoor>>
const teams = ['sample', 'team-1', 'team-2', 'team-3', 'team-4', 'team-5', 'team-6']
const names = ['Ada', 'Ben', 'Cem', 'Dana']
let judges: Readonly<Record<string, { readonly id: string; readonly cookie: string }>>
let headJudge: string

const setup: JudgingSetup = {
  criteria: [
    { id: 'direction', name: 'Direction', weight: 2, max: 5 },
    { id: 'checking', name: 'Checking', weight: 1, max: 3 },
  ],
  gates: [{ id: 'rules', name: 'Keeps to the rules' }],
  ranking: 'mean',
  ties: [{ by: 'head_judge' }],
  judges_per_team: 2,
  minutes_per_team: 10,
  minutes_per_judge: 90,
  calibration_team: 'sample',
  seed: '4 2 6 1',
}

beforeEach(async () => {
  door = await openAdminDoor()
  for (const team_id of teams) await door.post('/team/new', { team_id, team_alias: `The ${team_id}` })
  await putSetup()
  await door.post('/judging/judges', { judges: names.map(name => ({ name })) })
  await door.post('/judging/deal', {})
  const codes = read(judgeCodesReplySchema, await door.post('/judging/codes', { judges: 'all' }))
  const signedIn = await Promise.all(
    codes.items.map(
      async ({ judge_id: id, name, code }) => [name, { id, cookie: await signIn(code) }] as const,
    ),
  )
  judges = Object.fromEntries(signedIn)
  const made = await door.post('/admin_keys', { name: 'Hana', role: 'head_judge' })
  headJudge = String(Object(made.body).key)
})
afterEach(() => door.close())

const putSetup = (changes: Partial<JudgingSetup> = {}) =>
  door.post('/judging/setup', { setup: { ...setup, ...changes } }, 'PUT')

async function signIn(code: string): Promise<string> {
  const request = new Request('http://door.test/judging/sign-in', {
    method: 'POST',
    body: JSON.stringify({ code }),
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
  })
  const { headers } = await door.send(request)
  return headers.get('set-cookie')?.split(';')[0] ?? ''
}

function as(headers: Readonly<Record<string, string>>) {
  return (method: 'GET' | 'POST' | 'PUT', path: string, body?: object): Promise<Reply> =>
    door.send(
      new Request(`http://door.test${path}`, {
        method,
        headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    )
}
const by = (name: string) => as({ cookie: judges[name]?.cookie ?? '' })

function read<Schema extends TSchema>(schema: Schema, { status, body }: Reply): Static<Schema> {
  expect({ status, body }).toMatchObject({ status: 200 })
  if (Value.Check(schema, body)) return body
  throw new Error(`The reply does not keep to its schema: ${JSON.stringify(body)}`)
}
const refusalOf = ({ status, body }: Reply) => {
  const { code, param, message } = Object(Object(body).error)
  return [status, code, param, message]
}
const judgement = (reply: Reply) => read(judgementReplySchema, reply)
const queueOf = async (name: string) => read(queueReplySchema, await by(name)('GET', '/judging/queue'))
const teamsOf = async (name: string) => (await queueOf(name)).items.map(({ team }) => team)
const firstOf = async (name: string) => (await teamsOf(name))[1] ?? ''

const whole = {
  scores: { direction: { score: 4, why: 'Plans first' }, checking: { score: 3 } },
  gates: { rules: true },
}
/** A whole judgement with these scores, saved and finished. */
async function finish(name: string, team: string, direction = 4, checking = 3): Promise<JudgementReply> {
  const ask = by(name)
  const { own } = judgement(await ask('GET', `/judging/scores/${team}`))
  const scores = { direction: { score: direction }, checking: { score: checking } }
  const saved = judgement(
    await ask('PUT', `/judging/scores/${team}`, { ...whole, scores, revision: own.revision }),
  )
  return judgement(await ask('POST', `/judging/scores/${team}/done`, { revision: saved.own.revision }))
}

describe('a judgement', () => {
  test('is begun, saved, finished and reopened, and its page knows each revision', async () => {
    const team = await firstOf('Ada')
    const ask = by('Ada')
    expect(judgement(await ask('GET', `/judging/scores/${team}`))).toMatchObject({
      team,
      own: { scores: {}, revision: 0, state: 'to_read', saved_at: null, device: null },
      others: null,
    })
    for (let time = 0; time < 2; time += 1)
      expect(judgement(await ask('POST', `/judging/teams/${team}/begin`, {})).own.state).toBe('begun')
    const saved = judgement(
      await ask('PUT', `/judging/scores/${team}`, {
        ...whole,
        comment_team: 'Well done',
        revision: 0,
        device: 'a',
      }),
    )
    expect(saved.own).toMatchObject({
      ...whole,
      comment_team: 'Well done',
      revision: 1,
      state: 'begun',
      device: 'a',
    })
    expect(judgement(await ask('GET', `/judging/scores/${team}`))).toMatchObject(saved)
    const done = judgement(await ask('POST', `/judging/scores/${team}/done`, { revision: 1, device: 'a' }))
    expect(done.own).toMatchObject({
      ...whole,
      comment_team: 'Well done',
      revision: 2,
      state: 'done',
      paper: false,
    })
    expect(done.others).toEqual([])
    // A lost reply: the same again changes nothing.
    expect(judgement(await ask('POST', `/judging/scores/${team}/done`, { revision: 1 }))).toMatchObject(done)
    expect(refusalOf(await ask('PUT', `/judging/scores/${team}`, { ...whole, revision: 2 }))).toEqual([
      409,
      'conflict',
      null,
      'This judgement is finished. Reopen it first, with a reason.',
    ])
    const again = judgement(
      await ask('POST', `/judging/scores/${team}/reopen`, { reason: 'Misread the log' }),
    )
    expect(again.own).toMatchObject({ ...whole, revision: 3, state: 'begun', reason: 'Misread the log' })
    expect(again.others).toBeNull()
    await ask('PUT', `/judging/scores/${team}`, { ...whole, revision: 3 })
    await ask('POST', `/judging/scores/${team}/done`, { revision: 4 })
    const rows = (await door.readAudit()).filter(({ action }) => /judging.(done|reopened|begun)/.test(action))
    expect(
      rows.map(({ action, actor, team_id, target, reason }) => [action, actor, team_id, target, reason]),
    ).toEqual([
      ['judging.done', 'judge:Ada', team, judges.Ada?.id ?? '', null],
      ['judging.reopened', 'judge:Ada', team, judges.Ada?.id ?? '', 'Misread the log'],
      ['judging.done', 'judge:Ada', team, judges.Ada?.id ?? '', null],
    ])
  })

  test('is finished only if it is whole, and the refusal names what is missing', async () => {
    const team = await firstOf('Ada')
    const ask = by('Ada')
    const tryDone = async (content: object, revision: number) => {
      await ask('PUT', `/judging/scores/${team}`, { ...content, revision })
      return refusalOf(await ask('POST', `/judging/scores/${team}/done`, { revision: revision + 1 }))
    }
    expect(await tryDone({ scores: {} }, 0)).toEqual([
      400,
      'invalid_request',
      'scores',
      'To finish, add a score for "Direction" and "Checking", and an answer for "Keeps to the rules". If you could not judge the team, say so instead.',
    ])
    const unanswered = await tryDone({ ...whole, gates: { rules: null } }, 1)
    expect(unanswered.slice(0, 3)).toEqual([400, 'invalid_request', 'gates'])
    const cited = { direction: { score: 1, cites: [{ seq: 3 }] }, checking: { score: 0 } }
    expect(await tryDone({ ...whole, scores: cited }, 2)).toEqual([
      400,
      'invalid_request',
      'scores.direction.cites',
      "Invalid value for 'scores.direction.cites': this team has no entry 3; its newest is 0. Remove that one.",
    ])
    const entries = buildPackedEntries('one', 'two', 'three')
    await door.store.write.appendEntries({ requests: [{ teamId: team, sender, entries }], now: null })
    expect(judgement(await ask('POST', `/judging/scores/${team}/done`, { revision: 3 })).own.state).toBe(
      'done',
    )
  })

  test('takes what the set-up has: other criteria are left out, and a score above the max is refused', async () => {
    const team = await firstOf('Ada')
    const save = (body: object) => by('Ada')('PUT', `/judging/scores/${team}`, { revision: 0, ...body })
    expect(refusalOf(await save({ scores: { checking: { score: 4 } } }))).toEqual([
      400,
      'invalid_request',
      'scores.checking.score',
      `Invalid value for 'scores.checking.score': "Checking" goes from 0 to 3, and 4 was sent.`,
    ])
    const kept = judgement(
      await save({ scores: { beauty: { score: 9 }, checking: { score: 1 } }, gates: { old: true } }),
    )
    expect(kept.own).toMatchObject({ scores: { checking: { score: 1 } }, gates: {} })
    expect(Object.keys(kept.own.scores)).toEqual(['checking'])
  })

  test('of two devices the stale one is refused, the same save again is not, and a race loses nothing', async () => {
    const team = await firstOf('Ada')
    const save = (revision: number, device: string, why: string) =>
      by('Ada')('PUT', `/judging/scores/${team}`, {
        scores: { direction: { score: 1, why } },
        revision,
        device,
      })
    expect(judgement(await save(0, 'laptop', 'one')).own.revision).toBe(1)
    expect(judgement(await save(0, 'laptop', 'one')).own.revision).toBe(1)
    expect(refusalOf(await save(0, 'phone', 'one'))).toEqual([
      409,
      'conflict',
      'revision',
      'This judgement has the revision 1 by now, saved elsewhere. Read it, and join both.',
    ])
    // Each device writes until its text is in, joined with what was there. On a build that ignores the revision, words are lost.
    const write = async (device: string) => {
      for (let tried = 0; tried < 50; tried += 1) {
        const { own } = judgement(await by('Ada')('GET', `/judging/scores/${team}`))
        const before = own.scores.direction?.why ?? ''
        const { status } = await save(own.revision, device, `${before} ${device}`)
        if (status === 200) return
      }
      throw new Error(`${device} never got through.`)
    }
    const devices = Array.from({ length: 8 }, (_, at) => `device-${at}`)
    await Promise.all(devices.map(write))
    const { own } = judgement(await by('Ada')('GET', `/judging/scores/${team}`))
    expect(own.scores.direction?.why?.split(' ').toSorted()).toEqual([...devices, 'one'].toSorted())
    expect(own.revision).toBe(9)
  })

  test('of "done" and a save at the same moment only one happens', async () => {
    for (const team of (await teamsOf('Ada')).slice(1)) {
      const path = `/judging/scores/${team}`
      await by('Ada')('PUT', path, { ...whole, revision: 0 })
      const ended = await Promise.all([
        by('Ada')('POST', `${path}/done`, { revision: 1 }),
        by('Ada')('PUT', path, { ...whole, comment_team: 'late', revision: 1 }),
      ])
      expect(ended.map(({ status }) => status).toSorted()).toEqual([200, 409])
      const { own } = judgement(await by('Ada')('GET', path))
      expect([own.state, own.comment_team]).toEqual(
        ended[0]?.status === 200 ? ['done', ''] : ['begun', 'late'],
      )
    }
  })

  test('can be given up with a reason, and the team goes to another judge with the next deal', async () => {
    const team = await firstOf('Ada')
    const given = judgement(
      await by('Ada')('POST', `/judging/scores/${team}/unable`, { reason: 'Left early' }),
    )
    expect(given.own).toMatchObject({ state: 'unable', reason: 'Left early', revision: 1 })
    expect(given.others).toBeNull()
    const assigned = async () =>
      read(assignmentListSchema, await door.get('/judging/assignments')).items.find(
        ({ team_id }) => team_id === team,
      )
    expect(await assigned()).toMatchObject({ short: 1 })
    await door.post('/judging/deal', {})
    expect(await assigned()).toMatchObject({ short: 0 })
    expect((await assigned())?.judges).toHaveLength(3)
    expect((await queueOf('Ada')).items.find(item => item.team === team)?.state).toBe('unable')
    const again = judgement(
      await by('Ada')('POST', `/judging/scores/${team}/reopen`, { reason: 'Found the log' }),
    )
    expect(again.own.state).toBe('begun')
  })

  test('shows those of the others only while it is finished', async () => {
    const [team] = await teamsOf('Ada')
    expect(team).toBe('sample')
    await finish('Ben', 'sample', 1, 0)
    await finish('Cem', 'sample', 2, 1)
    await by('Cem')('POST', '/judging/scores/sample/reopen', { reason: 'Again' })
    const { others } = await finish('Ada', 'sample')
    expect(others?.map(({ judge, scores }) => [judge, scores.direction?.score])).toEqual([['Ben', 1]])
    expect(JSON.stringify(others)).not.toContain('comment_team')
  })

  test('of a team of other judges is refused, and an unknown team is not found', async () => {
    const own = await teamsOf('Ada')
    const other = teams.find(team => !own.includes(team)) ?? ''
    for (const [method, path, body] of [
      ['GET', `/judging/scores/${other}`, undefined],
      ['PUT', `/judging/scores/${other}`, { ...whole, revision: 0 }],
      ['POST', `/judging/teams/${other}/begin`, {}],
    ] as const)
      expect(refusalOf(await by('Ada')(method, path, body)).slice(0, 2)).toEqual([403, 'admin_forbidden'])
    expect(refusalOf(await by('Ada')('GET', '/judging/scores/nobody')).slice(0, 2)).toEqual([
      404,
      'team_not_found',
    ])
    await door.post(`/team/block`, { team_id: own[1] })
    expect(refusalOf(await by('Ada')('GET', `/judging/scores/${own[1]}`)).slice(0, 2)).toEqual([
      404,
      'team_not_found',
    ])
  })

  test('is written only in its time, by the clock of the server, and the refusal names the time', async () => {
    const team = await firstOf('Ada')
    await putSetup({ opens_at: '2026-11-21T14:00:00+01:00', closes_at: '2026-11-21T15:00:00+01:00' })
    const save = (revision: number) => by('Ada')('PUT', `/judging/scores/${team}`, { ...whole, revision })
    expect((await queueOf('Ada')).open).toBe(false)
    expect(refusalOf(await save(0))).toEqual([
      403,
      'scores_closed',
      null,
      'Scores can be written from 2026-11-21 13:00:00 +00:00 (UTC) on. Reading is possible before.',
    ])
    expect(judgement(await by('Ada')('POST', `/judging/teams/${team}/begin`, {})).own.state).toBe('begun')
    door.time.now = Date.parse('2026-11-21T13:00:00Z')
    expect((await queueOf('Ada')).open).toBe(true)
    expect(judgement(await save(0)).own.revision).toBe(1)
    door.time.now = Date.parse('2026-11-21T14:00:00Z')
    for (const [path, body] of [
      [`scores/${team}/done`, { revision: 1 }],
      [`scores/${team}/unable`, { reason: 'x' }],
      [`scores/${team}/reopen`, { reason: 'x' }],
    ] as const)
      expect(refusalOf(await by('Ada')('POST', `/judging/${path}`, body)).slice(0, 2)).toEqual([
        403,
        'scores_closed',
      ])
    expect(refusalOf(await by('Ada')('PUT', '/judging/order', { teams: [], revision: 0 }))[1]).toBe(
      'scores_closed',
    )
    const paper = { judge_id: judges.Ada?.id, team_id: team, ...whole, reason: 'Too late' }
    read(judgementRowReplySchema, await byHeadJudge('POST', '/judging/papers', paper))
  })
})

const byHeadJudge: ReturnType<typeof as> = (method, path, body) =>
  as({ authorization: `Bearer ${headJudge}` })(method, path, body)

describe('the queue', () => {
  test('begins with the calibration team, goes on with what was begun, and asks for the order at the end', async () => {
    const own = await teamsOf('Ada')
    const first = await queueOf('Ada')
    expect(first).toMatchObject({ next: 'sample', done: 0, open: true, order: { due: false, saved: false } })
    expect(first.items.map(({ why }) => why).slice(0, 3)).toEqual([
      'Every judge reads this team first, so that all use the same scale.',
      'Later in your order. The orders of judges differ on purpose.',
      'Later in your order. The orders of judges differ on purpose.',
    ])
    await by('Ada')('POST', `/judging/teams/${own[2]}/begin`, {})
    expect((await queueOf('Ada')).next).toBe(own[2] ?? '')
    for (const team of own) await finish('Ada', team)
    const last = await queueOf('Ada')
    expect(last).toMatchObject({ next: null, done: own.length, order: { due: true, saved: false } })
    const order = read(orderReplySchema, await by('Ada')('GET', '/judging/order'))
    const teams = order.items.map(({ team }) => team)
    read(orderReplySchema, await by('Ada')('PUT', '/judging/order', { teams, revision: order.revision }))
    expect((await queueOf('Ada')).order).toEqual({ due: false, saved: true })
  })
})

describe('the order', () => {
  const order = async () => read(orderReplySchema, await by('Ada')('GET', '/judging/order'))
  const save = (teams: readonly string[], revision: number) =>
    by('Ada')('PUT', '/judging/order', { teams, revision })

  test('is seeded from the weighted mean, ties are broken by hand, and it has exactly the finished teams', async () => {
    const [a = '', b = '', c = '', d = ''] = await teamsOf('Ada')
    await finish('Ada', a, 0, 0)
    await finish('Ada', b, 5, 3)
    await finish('Ada', c, 5, 3)
    const seeded = await order()
    expect(seeded.items.map(({ team, mean, tied }) => [team, mean, tied])).toEqual([
      [b, 1, true],
      [c, 1, true],
      [a, 0, false],
    ])
    expect(seeded).toMatchObject({ revision: 0, saved: false, saved_at: null })
    expect(refusalOf(await save([b, d, b], 0))).toEqual([
      400,
      'invalid_request',
      'teams',
      `The order must have all your finished teams, each once: "The ${a}", "The ${c}" missing; "The ${d}" not finished by you; "The ${b}" there twice.`,
    ])
    expect(read(orderReplySchema, await save([c, b, a], 0))).toMatchObject({ revision: 1, saved: true })
    // The same again, for example because the reply was lost, changes nothing; another order from before is refused.
    expect(read(orderReplySchema, await save([c, b, a], 0)).revision).toBe(1)
    expect(refusalOf(await save([b, c, a], 0)).slice(0, 3)).toEqual([409, 'conflict', 'revision'])
    await finish('Ada', d, 3, 0)
    const later = await order()
    expect(later.items.map(({ team }) => team)).toEqual([c, b, d, a])
    expect(later.saved).toBe(false)
    // A team that is no longer judged is not asked for, and the rest stays in order.
    read(orderReplySchema, await save([c, b, d, a], 1))
    await door.post('/team/block', { team_id: d })
    expect(await order()).toMatchObject({ saved: true, items: [{ team: c }, { team: b }, { team: a }] })
    expect(read(orderReplySchema, await save([b, c, a], 2)).saved).toBe(true)
    expect((await door.readAudit()).filter(({ action }) => action === 'judging.order')).toMatchObject([
      { actor: 'judge:Ada', after: { teams: [c, b, a] } },
      {},
      {},
    ])
  })
})

describe('papers', () => {
  test('are entered by the head judge only, are finished at once and marked, and replace only with a reason', async () => {
    const team = await firstOf('Ada')
    const paper = { judge_id: judges.Ada?.id, team_id: team, ...whole }
    expect(refusalOf(await door.post('/judging/papers', paper)).slice(0, 2)).toEqual([403, 'admin_forbidden'])
    expect(refusalOf(await by('Ada')('POST', '/judging/papers', paper)).slice(0, 2)).toEqual([
      403,
      'admin_forbidden',
    ])
    const enter = (changes: object = {}) => byHeadJudge('POST', '/judging/papers', { ...paper, ...changes })
    expect(refusalOf(await enter({ judge_id: 'jdg_none' })).slice(0, 2)).toEqual([404, 'judge_not_found'])
    expect(refusalOf(await enter({ team_id: 'nobody' })).slice(0, 2)).toEqual([404, 'team_not_found'])
    expect(refusalOf(await enter({ gates: {} })).slice(0, 3)).toEqual([400, 'invalid_request', 'gates'])
    const own = await teamsOf('Ada')
    const other = teams.find(name => !own.includes(name))
    expect(refusalOf(await enter({ team_id: other })).slice(0, 2)).toEqual([409, 'conflict'])
    expect(read(judgementRowReplySchema, await enter())).toMatchObject({
      judge: 'Ada',
      team: `The ${team}`,
      state: 'done',
      mean: 0.866666667,
      paper: true,
      entered_by: 'Hana',
    })
    expect(judgement(await by('Ada')('GET', `/judging/scores/${team}`)).own).toMatchObject({
      ...whole,
      state: 'done',
      paper: true,
      revision: 1,
    })
    expect(refusalOf(await enter({ scores: { ...whole.scores, checking: { score: 0 } } }))).toEqual([
      400,
      'invalid_request',
      'reason',
      'Ada has already written about this team. Give the reason why paper replaces it.',
    ])
    read(judgementRowReplySchema, await enter({ reason: 'Second sheet' }))
    expect(judgement(await by('Ada')('GET', `/judging/scores/${team}`)).own).toMatchObject({
      reason: 'Second sheet',
    })
    // A draft that paper replaces stays in the audit.
    const draft = own[2] ?? ''
    await by('Ada')('PUT', `/judging/scores/${draft}`, { scores: {}, comment_team: 'My text', revision: 0 })
    expect(refusalOf(await enter({ team_id: draft }))[2]).toBe('reason')
    read(judgementRowReplySchema, await enter({ team_id: draft, reason: 'No laptop' }))
    expect((await door.readAudit()).at(-1)).toMatchObject({
      action: 'judging.paper',
      actor: 'Hana',
      reason: 'No laptop',
      before: { state: 'begun', draft: { comment_team: 'My text' } },
    })
  })
})

describe('organisers', () => {
  test('see how far everybody is, and scores of what is finished only', async () => {
    const [, a = '', b = ''] = await teamsOf('Ada')
    await finish('Ada', a, 5, 3)
    await by('Ada')('PUT', `/judging/scores/${b}`, { ...whole, revision: 0 })
    const progress = read(progressReplySchema, await door.get('/judging/progress'))
    expect(progress).toMatchObject({ assigned: 4 + 12, begun: 1, done: 1, unable: 0 })
    expect(progress.judges[0]).toMatchObject({ name: 'Ada', assigned: 4, begun: 1, done: 1, ordered: false })
    expect(progress.judges[0]?.last_at).not.toBeNull()
    expect(progress.teams.find(({ team_id }) => team_id === a)).toMatchObject({
      wanted: 2,
      assigned: 2,
      done: 1,
    })
    expect(progress.teams.find(({ team_id }) => team_id === 'sample')).toMatchObject({
      wanted: 4,
      assigned: 4,
    })
    const { items } = read(judgementListSchema, await byHeadJudge('GET', '/judging/judgements'))
    expect(items).toHaveLength(16)
    const rows = items.filter(({ judge }) => judge === 'Ada')
    expect(rows.find(({ team_id }) => team_id === a)).toMatchObject({ state: 'done', mean: 1, paper: false })
    expect(rows.find(({ team_id }) => team_id === b)).toMatchObject({
      state: 'begun',
      mean: null,
      scores: {},
    })
    for (const path of ['/judging/progress', '/judging/judgements'])
      expect(refusalOf(await by('Ada')('GET', path)).slice(0, 2)).toEqual([403, 'admin_forbidden'])
  })

  test('find a record that was changed in the database, or removed', async () => {
    await finish('Ada', await firstOf('Ada'), 5, 3)
    const verify = async () => read(judgingVerificationSchema, await door.get('/judging/verify'))
    const { records } = await verify()
    expect(await verify()).toEqual({ ok: true, records, problem: null })
    await sql`update judging_records set body = replace(body, '"score":5', '"score":4') where seq = ${records}`.execute(
      door.db,
    )
    expect(await verify()).toEqual({
      ok: false,
      records: records - 1,
      problem: { seq: records, kind: 'altered' },
    })
    await sql`delete from judging_records where seq = 2`.execute(door.db)
    expect(await verify()).toEqual({ ok: false, records: 1, problem: { seq: 2, kind: 'missing' } })
  })

  test('can no longer change what was scored once a judgement is finished, and everything else still', async () => {
    await by('Ada')('PUT', '/judging/scores/sample', { ...whole, revision: 0 })
    expect((await putSetup({ gates: [] })).status).toBe(200)
    expect((await putSetup()).status).toBe(200)
    await finish('Ada', 'sample')
    const [direction, checking] = setup.criteria
    if (direction === undefined || checking === undefined) throw new Error('There are two criteria.')
    for (const [param, changes] of [
      ['setup.criteria', { criteria: [direction] }],
      ['setup.criteria', { criteria: [...setup.criteria, { ...checking, id: 'new' }] }],
      ['setup.criteria', { criteria: [direction, { ...checking, weight: 3 }] }],
      ['setup.criteria', { criteria: [direction, { ...checking, max: 4 }] }],
      ['setup.gates', { gates: [] }],
      ['setup.ranking', { ranking: 'order' }],
      ['setup.ties', { ties: [{ by: 'order' }, { by: 'head_judge' }] }],
      ['setup.calibration_team', { calibration_team: null }],
      ['setup.seed', { seed: '1' }],
    ] as const)
      expect(refusalOf(await putSetup(changes as Partial<JudgingSetup>)).slice(0, 3)).toEqual([
        409,
        'conflict',
        param,
      ])
    expect(refusalOf(await putSetup({ ranking: 'order' }))[3]).toBe(
      'Judgements are finished already, so the ranking can no longer change. Texts, times, tracks, tags and the size of the panel can.',
    )
    const reworded = { criteria: [checking, { ...direction, name: 'Lead', help: 'Who decides?' }] }
    const resized = { judges_per_team: 3, minutes_per_judge: 100, closes_at: '2030-01-01T00:00:00Z' }
    expect((await putSetup({ ...reworded, ...resized })).status).toBe(200)
    await by('Ada')('POST', '/judging/scores/sample/reopen', { reason: 'Again' })
    expect(refusalOf(await putSetup({ gates: [] }))[1]).toBe('conflict')
  })
})

describe('teams move', () => {
  const panel = async () => read(judgeListSchema, await door.get('/judging/judges')).items
  const panelTeams = async (name: string) => (await panel()).find(judge => judge.name === name)?.teams ?? []

  test('only if they were not begun, whatever changes', async () => {
    const [, a = '', b = '', c = ''] = await teamsOf('Ada')
    await finish('Ada', a)
    await by('Ada')('POST', `/judging/teams/${b}/begin`, {})
    await by('Ada')('POST', `/judging/scores/${c}/unable`, { reason: 'x' })
    await door.post('/judging/judges', { judges: [{ name: 'Eli' }, { name: 'Fay' }, { name: 'Gil' }] })
    const preview = await door.post('/judging/deal', { dry_run: true })
    const { preview_id } = Object(preview.body)
    await door.post('/judging/deal', { preview_id })
    expect((await panelTeams('Ada')).slice(0, 4)).toEqual(['sample', a, b, c])
    expect((await panelTeams('Eli')).length).toBeGreaterThan(1)
  })

  test('from a judge who is absent, except for what is done', async () => {
    const [, a = '', b = '', c = ''] = await teamsOf('Ada')
    await finish('Ada', a)
    await by('Ada')('PUT', `/judging/scores/${b}`, { ...whole, revision: 0 })
    const before = await panel()
    const { preview_id } = Object(
      (await door.post('/judging/deal', { replace: judges.Ada?.id, dry_run: true })).body,
    )
    await door.post('/judging/deal', { replace: judges.Ada?.id, preview_id })
    expect(await panelTeams('Ada')).toEqual([a])
    for (const { name, teams: own } of before.filter(judge => judge.name !== 'Ada'))
      expect((await panelTeams(name)).slice(0, own.length)).toEqual(own)
    const { items } = read(judgementListSchema, await door.get('/judging/judgements'))
    expect(items.filter(({ team_id }) => team_id === a)).toHaveLength(2)
    for (const team of [b, c])
      expect(items.filter(({ team_id, judge }) => team_id === team && judge !== 'Ada')).toHaveLength(2)
  })

  test('with a conflict found late, even if they are done: the record stays, and the judgement no longer counts', async () => {
    const [, a = ''] = await teamsOf('Ada')
    await finish('Ada', a)
    const { status } = await by('Ada')('POST', `/judging/teams/${a}/conflict`, { reason: 'My neighbour' })
    expect(status).toBe(200)
    expect(await teamsOf('Ada')).not.toContain(a)
    expect(refusalOf(await by('Ada')('GET', `/judging/scores/${a}`)).slice(0, 2)).toEqual([
      403,
      'admin_forbidden',
    ])
    const { items } = read(judgementListSchema, await door.get('/judging/judgements'))
    const rows = items.filter(({ team_id }) => team_id === a)
    expect(rows.map(({ state }) => state)).toEqual(['to_read', 'to_read'])
    expect(rows.map(({ judge }) => judge)).not.toContain('Ada')
    const conflict = (await panel()).find(({ name }) => name === 'Ada')?.conflicts
    expect(conflict).toMatchObject([{ team_id: a, reason: 'My neighbour', declared_by: 'judge:Ada' }])
    for (const { judge } of rows) {
      const { others } = await finish(judge, a)
      expect(others?.map(other => other.judge)).not.toContain('Ada')
    }
  })
})
