// Acts on a key, a log token, a call or a budget: a dry run says what would change and changes nothing; its preview_id guards the act.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import type { AuditPage } from '@fairgate/contracts/management/audit.ts'
import type { PreviewReply } from '@fairgate/contracts/management/planned-act.ts'
import { type Fairgate, startFairgate } from './testing/start-fairgate.ts'

let fairgate: Fairgate
beforeAll(async () => {
  fairgate = await startFairgate()
})
afterAll(() => fairgate.stop())

type Team = {
  readonly team: string
  readonly key: string
  readonly keyHash: string
  readonly tokenId: string
  readonly callId: string
}

let teams = 0
/** With a key, a log token and a call that was charged. */
async function openTeam(): Promise<Team> {
  const { manage, gatewayUrl } = fairgate
  teams += 1
  const team = `planned-${teams}`
  const key = await manage.team(team, { max_budget: 20 })
  const { token_id: tokenId } = await manage.token(team)
  const reply = await fetch(`${gatewayUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'mm-2.5-flash', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  expect(reply.status).toBe(200)
  const keyHash = createHash('sha256').update(key).digest('hex')
  return { team, key, keyHash, tokenId, callId: reply.headers.get('x-gateway-call-id') ?? '' }
}

type Act = {
  readonly path: (given: Team) => string
  readonly body: (given: Team) => object
  /** Undoes none of it, but makes the plan another. */
  readonly disturb: (given: Team) => readonly [path: string, body: object]
  readonly what: string
  readonly action: string
}

const touchKey = ({ keyHash }: Team) => ['/key/update', { key: keyHash, rpm_limit: 7 }] as const
const refundPart = ({ callId }: Team) =>
  [`/calls/${callId}/refund`, { amount_nano: 1, reason: 'a part' }] as const
const acts: Readonly<Record<string, Act>> = {
  'a key is blocked': {
    path: () => '/key/block',
    body: ({ keyHash }) => ({ key: keyHash }),
    disturb: touchKey,
    what: 'key.blocked',
    action: 'key.block',
  },
  'a key gets a new secret': {
    path: ({ keyHash }) => `/key/${keyHash}/regenerate`,
    body: () => ({ grace: '15m' }),
    disturb: touchKey,
    what: 'key.key_name',
    action: 'key.regenerate',
  },
  'a key is deleted': {
    path: () => '/key/delete',
    body: ({ keyHash }) => ({ keys: [keyHash] }),
    disturb: touchKey,
    what: 'key.deleted',
    action: 'key.delete',
  },
  'a log token is revoked': {
    path: () => '/log_token/revoke',
    body: ({ tokenId }) => ({ token_id: tokenId }),
    disturb: ({ tokenId }) => ['/log_token/revoke', { token_id: tokenId }],
    what: 'log_token.revoked',
    action: 'log_token.revoke',
  },
  'a call is given back': {
    path: ({ callId }) => `/calls/${callId}/refund`,
    body: () => ({}),
    disturb: refundPart,
    what: 'call.left_nano',
    action: 'call.refund',
  },
  'a call is corrected': {
    path: ({ callId }) => `/calls/${callId}/adjust`,
    body: () => ({ amount_nano: 5000 }),
    disturb: refundPart,
    what: 'call.left_nano',
    action: 'call.adjust',
  },
  'a budget is raised': {
    path: ({ team }) => `/team/${team}/grant`,
    body: () => ({ amount_nano: 1_000_000_000 }),
    disturb: ({ team }) => [`/team/${team}/grant`, { amount_nano: 1, reason: 'another' }],
    what: 'granted_nano',
    action: 'team.grant',
  },
}

const reason = 'asked for by the team'
const post = async (path: string, body: object) => {
  const response = await fairgate.manage.call('POST', path, body)
  return { status: response.status, body: (await response.json()) as { error?: { code: string } } }
}
/** All that the acts could change. */
const stateOf = async ({ team }: Team) => {
  const { manage } = fairgate
  const read = async (path: string): Promise<unknown> => (await manage.call('GET', path)).json()
  const audit = (await read(`/audit?team_id=${team}`)) as AuditPage
  const grant = await post(`/team/${team}/grant`, { amount_nano: 1, reason, dry_run: true })
  return {
    info: await manage.teamInfo(team),
    granted: (grant.body as PreviewReply).changes[0]?.from,
    tokens: await read(`/log_token/list?team_id=${team}`),
    audit: audit.items.map(({ action, reason: why }) => [action, why]),
  }
}

// Shown to fail on a build whose acts do not look at `dry_run`, and on one that does not compare the plan.
describe.each(Object.entries(acts))('%s', (_, { path, body, disturb, what, action }) => {
  test('the dry run tells it and changes nothing; the act does it, with its reason in the audit', async () => {
    const given = await openTeam()
    const before = await stateOf(given)
    const act = (more: object) => post(path(given), { ...body(given), reason, ...more })
    const { status, body: preview } = await act({ dry_run: true })
    expect({ status, preview }).toMatchObject({ status: 200, preview: { applied: false, warnings: [] } })
    const { changes, preview_id } = preview as PreviewReply
    expect(preview_id).toStartWith('pv_')
    expect(changes.map(change => change.what)).toContain(what)
    expect(JSON.stringify(preview)).not.toContain(given.key)
    expect(await stateOf(given)).toEqual(before)
    // The same question again, also with the id, has the same answer.
    expect((await act({ dry_run: true, preview_id })).body).toMatchObject({ preview_id, changes })
    expect(await stateOf(given)).toEqual(before)
    expect(await act({ preview_id })).toMatchObject({ status: 200 })
    const after = await stateOf(given)
    expect(after.audit).toEqual([[action, reason], ...before.audit])
    expect({ ...after, audit: [] }).not.toEqual({ ...before, audit: [] })
  })

  test('when something has changed since the dry run, the act is refused and nothing is done', async () => {
    const given = await openTeam()
    const act = (more: object) => post(path(given), { ...body(given), reason, ...more })
    const { preview_id } = (await act({ dry_run: true })).body as PreviewReply
    expect(await post(...disturb(given))).toMatchObject({ status: 200 })
    const before = await stateOf(given)
    for (const more of [{}, { dry_run: true }])
      expect(await act({ preview_id, ...more })).toMatchObject({
        status: 409,
        body: { error: { code: 'preview_outdated' } },
      })
    expect(await stateOf(given)).toEqual(before)
    // Without a preview it is made of what there is now.
    expect(await act({})).toMatchObject({ status: 200 })
  })

  test('what cannot be done is refused in the dry run too', async () => {
    const given = await openTeam()
    const nothing = { ...given, keyHash: 'f'.repeat(64), tokenId: 'lt_none', callId: 'none', team: 'none' }
    const dry = await post(path(nothing), { ...body(nothing), reason, dry_run: true })
    expect([dry.status, dry.body.error?.code]).toEqual([404, expect.stringMatching(/_not_found$/)])
    expect(await post(path(given), { ...body(given), reason, dry_run: 'yes' })).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request' } },
    })
  })
})

test('unblocking a key and revoking a revoked token that stay as they are change nothing', async () => {
  const given = await openTeam()
  const { tokenId, keyHash } = given
  await fairgate.manage.post('/log_token/revoke', { token_id: tokenId })
  for (const [path, body] of [
    ['/key/unblock', { key: keyHash }],
    ['/log_token/revoke', { token_id: tokenId }],
  ] as const)
    expect(await post(path, { ...body, dry_run: true })).toMatchObject({ status: 200, body: { changes: [] } })
})

test('a correction sent again after a lost answer is known by its id, also with its old preview', async () => {
  const given = await openTeam()
  const path = `/calls/${given.callId}/adjust`
  const body = { amount_nano: 5000, reason, adjustment_id: 'one' }
  const { preview_id } = (await post(path, { ...body, dry_run: true })).body as PreviewReply
  expect(await post(path, { ...body, preview_id })).toMatchObject({ status: 200 })
  const { info } = await stateOf(given)
  for (const more of [{ preview_id }, { dry_run: true }, {}])
    expect(await post(path, { ...body, ...more })).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict', param: 'adjustment_id' } },
    })
  expect((await stateOf(given)).info).toEqual(info)
})

test('two organisers with one preview: one act is made, the other is told', async () => {
  const given = await openTeam()
  const path = `/calls/${given.callId}/adjust`
  const body = { amount_nano: 5000, reason }
  const { preview_id } = (await post(path, { ...body, dry_run: true })).body as PreviewReply
  const replies = await Promise.all(Array.from({ length: 8 }, () => post(path, { ...body, preview_id })))
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(replies.filter(reply => reply.body.error?.code === 'preview_outdated')).toHaveLength(7)
})
