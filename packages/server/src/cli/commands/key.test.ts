// Key commands: a new key is shown once, afterwards only hashes are sent; the list has every page.
import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { buildKeyRecord, buildKeyRow, testHash } from '../testing/build-replies.ts'
import { runCli } from '../testing/run-cli.ts'

const secret = 'sk-a-key-of-a-team'
const generated = { key: secret, ...buildKeyRow() }
const secretHash = createHash('sha256').update(secret).digest('hex')

describe('key generate', () => {
  test('sends every option and prints the key once', async () => {
    const options = [
      ...['--alias', 'laptop', '--budget', '5', '--budget-duration', '1w', '--rpm', '6', '--tpm', '7'],
      ...['--models', 'flash', '--max-parallel', '3', '--duration', '30d', '--model-rpm', 'flash=2'],
    ]
    const reply = { key: secret, ...buildKeyRow(testHash, { metadata: { model_rpm_limit: { flash: 2 } } }) }
    const { exitCode, stdout, requests } = await runCli(['key', 'generate', 'team-01', ...options], [reply])
    expect(exitCode).toBe(0)
    expect(requests).toMatchObject([{ method: 'POST', address: 'http://127.0.0.1:4002/key/generate' }])
    expect(requests[0]?.body).toEqual({
      team_id: 'team-01',
      key_alias: 'laptop',
      max_budget: 5,
      budget_duration: '1w',
      rpm_limit: 6,
      tpm_limit: 7,
      models: ['flash'],
      max_parallel_requests: 3,
      duration: '30d',
      model_rpm_limit: { flash: 2 },
    })
    expect(stdout.split(secret)).toHaveLength(2)
    expect(stdout).toContain(testHash)
    expect(stdout).toContain('0.0000005 of unlimited USD')
    expect(stdout).toMatch(/rpm of flash +2\n/)
  })

  test('--json prints the reply', async () => {
    const reply = { key: secret, ...buildKeyRow() }
    const { stdout, requests } = await runCli(['key', 'generate', 'team-01', '--json'], [reply])
    expect(JSON.parse(stdout)).toEqual(reply)
    expect(requests[0]?.body).toEqual({ team_id: 'team-01' })
  })
})

describe('key list', () => {
  const row = (number: number) =>
    buildKeyRow(String(number).padStart(64, '0'), { key_alias: `key-${number}` })
  const page = (current: number, rows: readonly ReturnType<typeof row>[]) => ({
    keys: rows,
    total_count: 3,
    current_page: current,
    total_pages: 2,
  })

  test('reads every page', async () => {
    const pages = [page(1, [row(1), row(2)]), page(2, [row(3)])]
    const { stdout, requests } = await runCli(['key', 'list', '--team', 'team-01'], pages)
    expect(requests.map(request => request.address)).toEqual([
      'http://127.0.0.1:4002/key/list?page=1&size=100&team_id=team-01&return_full_object=true',
      'http://127.0.0.1:4002/key/list?page=2&size=100&team_id=team-01&return_full_object=true',
    ])
    expect(stdout.match(/key-\d/g)).toEqual(['key-1', 'key-2', 'key-3'])
    expect(stdout).toContain(row(3).token)
  })

  // Fails on the previous build, which took the team as an option here, and as an argument everywhere else.
  test('takes the team like the other commands', async () => {
    const pages = [page(1, [row(1)]), page(2, [row(2)])]
    const { requests } = await runCli(['key', 'list', 'team-01'], pages)
    expect(requests[0]?.address).toContain('team_id=team-01')
    const both = await runCli(['key', 'list', 'team-01', '--team', 'team-01'], pages)
    expect(both.exitCode).toBe(0)
  })

  test('--json prints all of them as one page', async () => {
    const { stdout } = await runCli(['key', 'list', '--json'], [page(1, [row(1), row(2)]), page(2, [row(3)])])
    expect(JSON.parse(stdout)).toEqual({ items: [row(1), row(2), row(3)], next: null })
  })

  test('no keys', async () => {
    const empty = { keys: [], total_count: 0, current_page: 1, total_pages: 0 }
    expect((await runCli(['key', 'list'], [empty])).stdout).toContain('No keys.')
    expect(JSON.parse((await runCli(['key', 'list', '--json'], [empty])).stdout)).toEqual({
      items: [],
      next: null,
    })
  })
})

describe('a key given as its secret', () => {
  test('show sends its hash and prints its permissions and limits', async () => {
    const info = { key: secretHash, info: buildKeyRecord({ rpm_limit: 6, models: ['flash', 'pro'] }) }
    const { stdout, requests } = await runCli(['key', 'show', secret], [info])
    expect(requests[0]?.address).toBe(`http://127.0.0.1:4002/key/info?key=${secretHash}`)
    expect(stdout).toContain('flash, pro')
    expect(stdout).not.toContain(secret)
  })

  test.each(['block', 'unblock'])('%s sends its hash', async verb => {
    const reply = buildKeyRow(secretHash, { blocked: verb === 'block' })
    const { stdout, requests } = await runCli(['key', verb, secret], [reply])
    expect(requests).toMatchObject([
      { method: 'POST', address: `http://127.0.0.1:4002/key/${verb}`, body: { key: secretHash } },
    ])
    expect(stdout).toContain(verb === 'block' ? 'is blocked.' : 'is not blocked.')
  })

  test('update sends its hash, and none removes limits', async () => {
    const reply = { key: secretHash, ...buildKeyRow(secretHash) }
    const limits = ['--max-parallel', 'none', '--duration', 'none', '--budget', 'none', '--rpm', '0']
    const { requests, stdout } = await runCli(['key', 'update', secret, ...limits], [reply])
    expect(requests[0]?.address).toBe('http://127.0.0.1:4002/key/update')
    expect(requests[0]?.body).toEqual({
      key: secretHash,
      max_parallel_requests: null,
      duration: null,
      max_budget: null,
      rpm_limit: 0,
    })
    expect(stdout).toMatch(/expires +never\n/)
  })

  test('delete takes several, by hash or secret', async () => {
    const reply = { deleted_keys: [secretHash, testHash] }
    const { stdout, requests } = await runCli(['key', 'delete', secret, testHash], [reply])
    expect(requests).toMatchObject([
      { address: 'http://127.0.0.1:4002/key/delete', body: { keys: [secretHash, testHash] } },
    ])
    expect(stdout).toBe(`Key ${secretHash} is deleted.\nKey ${testHash} is deleted.\n`)
  })
})

describe('key regenerate', () => {
  test('sends the hash of a key given as its secret, and prints the new secret once', async () => {
    const reply = { ...generated, old_key_until: '2026-11-21T12:15:00.000Z' }
    const { requests, stdout } = await runCli(['key', 'regenerate', 'sk-old', '--grace', '15m'], [reply])
    const hash = Bun.SHA256.hash('sk-old', 'hex')
    expect(requests).toMatchObject([
      { method: 'POST', address: `http://127.0.0.1:4002/key/${hash}/regenerate`, body: { grace: '15m' } },
    ])
    expect(stdout).toContain(generated.key)
    expect(stdout).toContain('The old secret works until 2026-11-21T12:15:00.000Z.')
  })

  test('a name with a slash stays one part of the path', async () => {
    const reply = { ...generated, old_key_until: null }
    const { requests, stdout } = await runCli(['key', 'regenerate', 'team-01/laptop'], [reply])
    expect(requests).toMatchObject([
      { address: 'http://127.0.0.1:4002/key/team-01%2Flaptop/regenerate', body: {} },
    ])
    expect(stdout).toContain('The old secret no longer works.')
  })
})

test('key list --deleted reads every page', async () => {
  const item = {
    key: 'a'.repeat(64),
    key_name: 'sk-...wxyz',
    key_alias: 'laptop',
    team_id: 'team-01',
    user_id: '',
    deleted_at: '2026-11-21T12:00:00.000Z',
    deleted_by: 'admin',
  }
  const page = { as_of: '2026-11-21T12:00:00.000Z', version: 3 }
  const replies = [
    { ...page, items: [item], next: 'next' },
    { ...page, items: [{ ...item, key_alias: 'tower' }], next: null },
  ]
  const { requests, stdout } = await runCli(['key', 'list', 'team-01', '--deleted'], replies)
  expect(requests.map(({ address }) => address)).toEqual([
    'http://127.0.0.1:4002/key/deleted?team_id=team-01&limit=500',
    'http://127.0.0.1:4002/key/deleted?team_id=team-01&limit=500&after=next',
  ])
  expect(stdout).toMatch(/laptop .*\n.*tower /)
})
