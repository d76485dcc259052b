// Claim links of judges through the admin door: created, used to sign in, replaced and revoked, and what a session with one opens.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type JudgeCodesReply, judgeCodesReplySchema } from '@fairgate/contracts/judging/codes.ts'
import { judgeListSchema } from '@fairgate/contracts/judging/panel.ts'
import { judgingSetupExample } from '@fairgate/contracts/judging/setup.ts'
import {
  type AdminSession,
  adminSessionSchema,
  newAdminKeyReplySchema,
} from '@fairgate/contracts/management/access.ts'
import { auditPageSchema } from '@fairgate/contracts/management/audit.ts'
import { previewReplySchema } from '@fairgate/contracts/management/planned-action.ts'
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { openAdminDoor, type Reply } from './testing/open-admin-door.ts'

let door: Awaited<ReturnType<typeof openAdminDoor>>
beforeEach(async () => {
  door = await openAdminDoor()
  await door.post('/judging/judges', { judges: [{ name: 'Ada' }, { name: 'Ben' }, { name: 'Cem' }] })
})
afterEach(() => door.close())

function readBody<Schema extends TSchema>(schema: Schema, { status, body }: Reply): Static<Schema> {
  expect({ status, body }).toMatchObject({ status: 200 })
  if (Value.Check(schema, body)) return body
  throw new Error(`The reply does not keep to its schema: ${JSON.stringify(body)}`)
}
const messageOf = ({ status, body }: Reply) => [status, Object(Object(body).error).message]
const judges = async () => readBody(judgeListSchema, await door.get('/judging/judges')).items
const idOf = async (name: string) => (await judges()).find(judge => judge.name === name)?.judge_id ?? ''
const make = async (body: object) =>
  readBody(judgeCodesReplySchema, await door.post('/judging/codes', body)).items
const makeFor = async (name: string) => {
  const [made] = await make({ judges: [await idOf(name)] })
  if (made === undefined) throw new Error('No link was made.')
  return made
}
const send = (method: string, path: string, headers: Readonly<Record<string, string>>, body?: object) =>
  door.send(
    new Request(`http://door.test${path}`, {
      method,
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  )
const signIn = (code: string) => send('POST', '/judging/sign-in', {}, { code })
async function enter(code: string) {
  const reply = await signIn(code)
  const session: AdminSession = readBody(adminSessionSchema, reply)
  return { session, cookie: reply.headers.get('set-cookie')?.split(';')[0] ?? '' }
}
const look = (cookie: string, path = '/session') => send('GET', path, { cookie })
const putSetup = async (changes: object) =>
  expect(
    await door.post('/judging/setup', { setup: { ...judgingSetupExample, ...changes } }, 'PUT'),
  ).toMatchObject({ status: 200 })
const audited = async () => {
  const { items } = readBody(auditPageSchema, await door.get('/audit?limit=10'))
  return items.map(({ action }) => action)
}
const newest = (items: JudgeCodesReply['items']) => items.map(({ name }) => name)

describe('claim links', () => {
  test('are previewed, created for those without one, listed without their codes, and audited', async () => {
    const preview = readBody(
      previewReplySchema,
      await door.post('/judging/codes', { judges: 'all', duration: '2d', dry_run: true }),
    )
    expect(preview.changes.map(({ subject, from, to }) => [subject, from, to])).toEqual([
      ['Ada', 'none', 'works for 2d'],
      ['Ben', 'none', 'works for 2d'],
      ['Cem', 'none', 'works for 2d'],
    ])
    const ben = await makeFor('Ben')
    expect(ben.code).toMatch(/^\w{4}-\w{4}-\w{4}$/)
    expect(ben.url).toBe(`https://judging.example/judging#code=${ben.code}`)
    expect(
      messageOf(
        await door.post('/judging/codes', {
          judges: 'all',
          duration: '2d',
          preview_id: preview.preview_id,
        }),
      )[0],
    ).toBe(409)
    expect(newest(await make({ judges: 'all' }))).toEqual(['Ada', 'Cem'])
    expect(await make({ judges: 'all' })).toEqual([])
    const listed = await door.get('/judging/judges')
    expect(JSON.stringify(listed.body)).not.toContain(ben.code)
    expect((await judges())[1]?.link).toEqual({
      state: 'works',
      code_name: ben.code.slice(-4),
      expires_at: new Date(door.time.now + 7 * 86_400_000).toISOString(),
      first_used_at: null,
    })
  })

  test('are refused for judges who do not exist or are absent', async () => {
    await putSetup({})
    await door.post('/judging/deal', { replace: await idOf('Ada') })
    expect(await door.post('/judging/codes', { judges: ['jdg_none'] })).toMatchObject({ status: 404 })
    expect(messageOf(await door.post('/judging/codes', { judges: [await idOf('Ada')] }))).toEqual([
      409,
      '"Ada" is marked as absent and gets no claim link.',
    ])
    expect(newest(await make({ judges: 'all' }))).toEqual(['Ben', 'Cem'])
    expect(await door.post('/judging/codes', { judges: 'all', duration: 'soon' })).toMatchObject({
      status: 400,
    })
  })
})

describe('a sign-in', () => {
  test('accepts the code as it is typed, on several devices, and is recorded once', async () => {
    const { code, judge_id } = await makeFor('Ada')
    const first = await enter(code.toLowerCase().replaceAll('-', ' '))
    expect(first.session).toMatchObject({ name: 'judge:Ada', role: 'panel_judge', judge_id, blind: false })
    const usedAt = new Date(door.time.now).toISOString()
    door.time.now += 60_000
    const second = await enter(code)
    expect((await judges())[0]?.link.first_used_at).toBe(usedAt)
    for (const { cookie } of [first, second]) expect(await look(cookie)).toMatchObject({ status: 200 })
    const out = await send('DELETE', '/session?everywhere=true', { cookie: first.cookie })
    expect(out.body).toEqual({ ended: 2 })
    for (const { cookie } of [first, second]) expect(await look(cookie)).toMatchObject({ status: 401 })
  })

  test('says whether a code is mistyped, unknown, replaced, revoked or expired', async () => {
    const { code, judge_id } = await makeFor('Ada')
    const other = (await makeFor('Ben')).code
    const swapped = `${code.slice(0, -1)}${code.endsWith('A') ? 'B' : 'A'}`
    const mistyped =
      'This code is mistyped or cut off: its last character does not match the others. Check it again.'
    for (const wrong of [swapped, code.slice(0, -1), 'nonsense'])
      expect(messageOf(await signIn(wrong))).toEqual([401, mistyped])
    expect(messageOf(await signIn('AAAA-AAAA-AAAA'))).toEqual([
      401,
      'No judge has this code. Ask the organisers for yours.',
    ])
    const { cookie } = await enter(code)
    const renewed = await makeFor('Ada')
    const replaced = 'This claim link was replaced: there is a newer one. Ask the organisers.'
    expect(messageOf(await signIn(code))).toEqual([401, replaced])
    expect(messageOf(await look(cookie))).toEqual([401, replaced])
    const again = await enter(renewed.code)
    await door.remove(`/judging/codes/${judge_id}?reason=lost`)
    const revoked = 'This claim link was revoked. Ask the organisers.'
    expect(messageOf(await signIn(renewed.code))).toEqual([401, revoked])
    expect(messageOf(await look(again.cookie))).toEqual([401, revoked])
    const ben = await enter(other)
    expect(await look(ben.cookie)).toMatchObject({ status: 200 })
    door.time.now += 7 * 86_400_000
    expect(messageOf(await signIn(other))).toEqual([401, 'This claim link has expired. Ask the organisers.'])
  })

  test('ends with the judge being absent', async () => {
    await putSetup({})
    const { code } = await makeFor('Ada')
    const { cookie } = await enter(code)
    await door.post('/judging/deal', { replace: await idOf('Ada') })
    const absent = 'You are marked as absent, and your teams went to other judges. Ask the organisers.'
    expect(messageOf(await look(cookie))).toEqual([401, absent])
    expect(messageOf(await signIn(code))).toEqual([401, absent])
  })

  test('from a page of another site is refused', async () => {
    const { code } = await makeFor('Ada')
    expect(
      await send('POST', '/judging/sign-in', { 'sec-fetch-site': 'cross-site' }, { code }),
    ).toMatchObject({
      status: 403,
    })
  })
})

test('revoking is previewed, audited, and changes nothing the second time', async () => {
  const { judge_id } = await makeFor('Ada')
  const path = `/judging/codes/${judge_id}`
  const preview = readBody(previewReplySchema, await door.remove(`${path}?dry_run=true`))
  expect(preview.changes).toMatchObject([{ what: 'link', subject: 'Ada', to: 'revoked' }])
  expect(await door.remove(path)).toMatchObject({ body: { link: { state: 'revoked' } } })
  const before = await audited()
  expect(before.slice(0, 2)).toEqual(['judging.code_revoke', 'judging.code'])
  await door.remove(path)
  expect(await audited()).toEqual(before)
})

test('names of admin keys cannot be taken for those of judges', async () => {
  expect(await door.post('/admin_keys', { name: 'Judge: Ada', role: 'judge' })).toMatchObject({ status: 400 })
})

describe('while judging is blind', () => {
  test('the key of a judge opens only its session, and switching it off is an audit row of its own', async () => {
    const { key } = readBody(
      newAdminKeyReplySchema,
      await door.post('/admin_keys', { name: 'Jiwoo Han', role: 'judge' }),
    )
    const cookie =
      (await send('POST', '/session', {}, { key })).headers.get('set-cookie')?.split(';')[0] ?? ''
    const { code } = await makeFor('Ada')
    const panel = await enter(code)
    await putSetup({ blind: true })
    for (const headers of [{ authorization: `Bearer ${key}` }, { cookie }]) {
      for (const path of ['/teams', '/overview', '/event', '/judging/setup'])
        expect(messageOf(await send('GET', path, headers))).toEqual([
          403,
          'Judging is blind, and this page would show names to the key of a judge. Read and score at /judging: ask the organisers for a claim link.',
        ])
      expect(await send('GET', '/session', headers)).toMatchObject({ body: { role: 'judge', blind: true } })
    }
    expect(await look(panel.cookie)).toMatchObject({ body: { role: 'panel_judge', blind: true } })
    await putSetup({ blind: true, seed: 'another' })
    expect(await audited()).not.toContain('judging.unblind')
    await putSetup({})
    expect((await audited()).slice(0, 2).toSorted()).toEqual(['judging.setup', 'judging.unblind'])
    expect(await send('GET', '/teams', { cookie })).toMatchObject({ status: 200 })
  })
})
