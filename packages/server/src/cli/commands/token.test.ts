// Token commands: a token is shown once, listed without its secret, and revoked by its id.
import { expect, test } from 'bun:test'
import { buildToken } from '../testing/build-replies.ts'
import { runCli } from '../testing/run-cli.ts'

test('token generate prints the token', async () => {
  const reply = { token: 'aitc_secret', token_id: 'lt_1', team_id: 'team-01' }
  const { stdout, requests } = await runCli(['token', 'generate', 'team-01'], [reply])
  expect(requests).toMatchObject([
    { method: 'POST', address: 'http://127.0.0.1:4002/log_token/generate', body: { team_id: 'team-01' } },
  ])
  expect(stdout.split('aitc_secret')).toHaveLength(2)
  expect(stdout).toContain('Token id: lt_1')
  const json = await runCli(['token', 'generate', 'team-01', '--json'], [reply])
  expect(JSON.parse(json.stdout)).toEqual(reply)
})

test('token list shows active and revoked tokens', async () => {
  const revoked = buildToken({ token_id: 'lt_2', revoked_at: '2026-11-03T00:00:00.000Z' })
  const reply = { log_tokens: [buildToken(), revoked] }
  const { stdout, requests } = await runCli(['token', 'list', '--team', 'team-01'], [reply])
  expect(requests[0]?.address).toBe('http://127.0.0.1:4002/log_token/list?team_id=team-01')
  expect(stdout).toMatch(/lt_1 .* works\n/)
  expect(stdout).toMatch(/lt_2 .* revoked 2026-11-03T00:00:00.000Z\n/)
  const all = await runCli(['token', 'list', '--json'], [reply])
  expect(all.requests[0]?.address).toBe('http://127.0.0.1:4002/log_token/list')
  expect(JSON.parse(all.stdout)).toEqual({ items: reply.log_tokens, next: null })
})

test('token revoke names the token by its id', async () => {
  const reply = buildToken({ revoked_at: '2026-11-03T00:00:00.000Z' })
  const { stdout, requests } = await runCli(['token', 'revoke', 'lt_1'], [reply])
  expect(requests).toMatchObject([
    { method: 'POST', address: 'http://127.0.0.1:4002/log_token/revoke', body: { token_id: 'lt_1' } },
  ])
  expect(stdout).toBe('Log token lt_1 of team team-01 is revoked.\n')
})

test('token revoke sends a full token as its hash, and a masked name unchanged', async () => {
  const reply = buildToken({ revoked_at: '2026-11-03T00:00:00.000Z' })
  for (const [given, sent] of [
    ['aitc_secret', Bun.SHA256.hash('aitc_secret', 'hex')],
    ['aitc_...abcd', 'aitc_...abcd'],
    ['team-01/abcd', 'team-01/abcd'],
  ] as const) {
    const { requests } = await runCli(['token', 'revoke', given], [reply])
    expect(requests[0]?.body).toEqual({ token_id: sent })
  }
})
