// `fairgate api`: the request, the output of its reply, and refusals before any request.
import { describe, expect, test } from 'bun:test'
import { refusal, runCli } from '../testing/run-cli.ts'

const door = 'http://127.0.0.1:4002'
const terminal = { layout: { width: 80, height: 24, isColoured: false } }

describe('the request', () => {
  test.each([
    [['GET', '/attention'], 'GET', '/attention', null],
    [['get', '/notes', 'team_id=red', 'limit:=20'], 'GET', '/notes?team_id=red&limit=20', null],
    [['GET', '/logs/search?q=a%20b', 'team_id=red'], 'GET', '/logs/search?q=a%20b&team_id=red', null],
    [
      ['DELETE', '/wall_tokens/wt_1', 'reason=it is over'],
      'DELETE',
      '/wall_tokens/wt_1?reason=it+is+over',
      null,
    ],
    [['POST', '/event/pause'], 'POST', '/event/pause', {}],
    [
      ['POST', '/wall_tokens', 'name=Hall 1', 'shows_budgets:=true', 'freeze_at:=null'],
      'POST',
      '/wall_tokens',
      { name: 'Hall 1', shows_budgets: true, freeze_at: null },
    ],
    [
      ['POST', '/webhooks', 'url=https://h.example/?a:=b=c', 'events:=["budget_spent"]'],
      'POST',
      '/webhooks',
      { url: 'https://h.example/?a:=b=c', events: ['budget_spent'] },
    ],
    [
      ['POST', '/notes', 'subject=entry', 'team_id=007', 'seq:=1204', 'text='],
      'POST',
      '/notes',
      { subject: 'entry', team_id: '007', seq: 1204, text: '' },
    ],
    [['PUT', '/event', 'cap_nano:=900000000000'], 'PUT', '/event', { cap_nano: 900_000_000_000 }],
  ])('%j', async (given, method, path, body) => {
    const { exitCode, requests, stderr } = await runCli(['api', ...given], [{ ok: true }])
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(requests).toMatchObject([
      { method, address: `${door}${path}`, body, authorization: 'Bearer admin-key-of-the-tests' },
    ])
  })

  test('has a body from a file or standard input, and fields override it', async () => {
    const readTextFile = async (path: string) => `{"name":"${path}","budget":1}`
    const file = await runCli(['api', 'PUT', '/event', '--input', 'event.json', 'budget:=2'], [{}], {
      readTextFile,
    })
    expect(file.requests[0]?.body).toEqual({ name: 'event.json', budget: 2 })
    const readInput = async () => '{"name":"typed"}'
    const typed = await runCli(['api', 'PUT', '/event', '--input', '-'], [{}], { readInput })
    expect(typed.requests[0]?.body).toEqual({ name: 'typed' })
  })

  test('sends the text of a file in a field', async () => {
    const readTextFile = async () => 'teams: []\n'
    const given = ['api', 'POST', '/event/apply', 'file=@event.yaml', 'dry_run:=true']
    expect((await runCli(given, [{}], { readTextFile })).requests[0]?.body).toEqual({
      file: 'teams: []\n',
      dry_run: true,
    })
  })

  test('waits for as long as the door needs', async () => {
    const waits: unknown[] = []
    await runCli(['api', 'GET', '/logs/verify', 'team_id=red'], [], {
      fetch: async (_address, init) => {
        waits.push(init.timeout)
        return Response.json({})
      },
    })
    expect(waits).toEqual([false])
  })

  test.each([
    [['/attention', 'GET'], 'the method comes before the path, such as: fairgate api GET /attention'],
    [['PATCH', '/event'], 'the method is "PATCH". Use GET, POST, PUT, DELETE.'],
    [['GET'], "missing required argument 'path'"],
    [['GET', 'attention'], 'Begin it with a slash: /attention'],
    [['GET', 'https://elsewhere.example/'], 'Put the address into --url.'],
    [['GET', '/notes?text=a b'], 'the path has a space'],
    [['GET', '/notes', 'team_id'], '"team_id" is not a field. Write key=value or key:=json'],
    [['GET', '/notes', 'limit:=20', 'limit:=30'], 'the field limit is given twice'],
    [['GET', '/notes', 'limit:=twenty'], 'limit:= is not JSON'],
    [
      ['GET', '/notes', 'teams:=["red"]'],
      'teams is ["red"]. A query has text, numbers, true and false only.',
    ],
    [['GET', '/event', '--input', 'x.json'], 'GET has no body'],
    [['PUT', '/event', '--input', 'x.json'], '--input: the file "x.json" cannot be read (ENOENT)'],
    [['POST', '/event/apply', 'file=@x.yaml'], 'file=: the file "x.yaml" cannot be read (ENOENT)'],
    [['POST', '/notes', '--paginate'], '--paginate works with GET only'],
    [['GET', '/notes', '--fields', 'a,,b'], 'Write names separated by commas'],
  ])('%j is refused', async (given, says) => {
    const { exitCode, stdout, stderr, requests } = await runCli(['api', ...given])
    expect([exitCode, stdout, requests]).toEqual([2, '', []])
    expect(stderr).toContain(says)
  })

  test.each(['[1]', '"text"', 'null', '{'])('--input %s is refused', async text => {
    const given = ['api', 'PUT', '/event', '--input', '-']
    const { exitCode, requests } = await runCli(given, [], { readInput: async () => text })
    expect([exitCode, requests]).toEqual([2, []])
  })
})

describe('the reply', () => {
  const reply = { items: [{ name: 'a\u202eb' }], next: null }

  test('is compact in a pipe and indented on a terminal; hidden characters are escaped', async () => {
    const given = ['api', 'GET', '/notes']
    expect((await runCli(given, [reply])).stdout).toBe('{"items":[{"name":"a\\u202eb"}],"next":null}\n')
    const shown = (await runCli(given, [reply], terminal)).stdout
    expect(shown).toBe('{\n  "items": [\n    {\n      "name": "a\\u202eb"\n    }\n  ],\n  "next": null\n}\n')
  })

  test("that refuses ends with 1 and the server's message on stderr", async () => {
    const refused = refusal(404, 'not_found', 'There is no route GET /note.', null)
    expect(await runCli(['api', 'GET', '/note'], [refused])).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: 'not_found: There is no route GET /note.\n',
    })
  })

  test('that is not JSON is written as it arrives; what a browser would render is not', async () => {
    const lines = new Response('{"seq":1}\n{"seq":2}\n', {
      headers: { 'content-type': 'application/x-ndjson' },
    })
    expect((await runCli(['api', 'GET', '/logs/export.ndjson'], [lines])).stdout).toBe(
      '{"seq":1}\n{"seq":2}\n',
    )
    const empty = await runCli(['api', 'DELETE', '/x'], [new Response(null, { status: 204 })])
    expect([empty.exitCode, empty.stdout]).toEqual([0, ''])
    const page = new Response('<html>', { headers: { 'content-type': 'text/html' } })
    expect((await runCli(['api', 'GET', '/docs'], [page])).exitCode).toBe(3)
    const csv = new Response('a,b\n', { headers: { 'content-type': 'text/csv' } })
    const selected = await runCli(['api', 'GET', '/spend/export.csv', '--fields', 'a'], [csv])
    expect([selected.exitCode, selected.stdout]).toEqual([2, ''])
  })
})

describe('--paginate', () => {
  test('reads to the end and prints one list', async () => {
    const pages = [
      { items: [1, 2], next: 'x+y', total: { count: 3 } },
      { items: [3], next: null, total: { count: 3 } },
    ]
    const { stdout, requests } = await runCli(['api', 'GET', '/people', 'limit:=2', '--paginate'], pages)
    expect(requests.map(({ address }) => address)).toEqual([
      `${door}/people?limit=2`,
      `${door}/people?limit=2&after=x%2By`,
    ])
    expect(JSON.parse(stdout)).toEqual({ items: [1, 2, 3], next: null })
  })

  test.each([
    [{ items: [1], next_before: 'p' }, { items: [2], next_before: null }, '?before=p'],
    [{ items: [1], next_before_id: 7 }, { items: [2], next_before_id: null }, '?before_id=7'],
    [{ teams: [1], next: 'red' }, { teams: [2], next: null }, '?after=red'],
  ])('follows %j', async (first, second, query) => {
    const { stdout, requests } = await runCli(['api', 'GET', '/list', '--paginate'], [first, second])
    expect(requests[1]?.address).toBe(`${door}/list${query}`)
    expect(JSON.parse(stdout)).toEqual({ items: [1, 2], next: null })
  })

  test('refuses a reply that is not a list, and a list that never ends', async () => {
    const plain = await runCli(['api', 'GET', '/event', '--paginate'], [{ name: 'AI Cup' }])
    expect([plain.exitCode, plain.stdout]).toEqual([2, ''])
    expect(plain.stderr).toContain('Leave out --paginate.')
    const page = { items: [1], next: 'x' }
    const endless = await runCli(['api', 'GET', '/list', '--paginate'], [page, page])
    expect([endless.exitCode, endless.stdout]).toEqual([1, ''])
  })
})

describe('--fields', () => {
  const people = {
    items: [
      { name: 'Mira', team: { id: 'red', alias: 'R' }, keys: [{ alias: 'a', blocked: false }] },
      { name: 'Jun', team: null, keys: [] },
    ],
    next: 'p',
    total: { count: 9 },
  }

  test.each([
    ['name', [{ name: 'Mira' }, { name: 'Jun' }]],
    [
      'team.id,name',
      [
        { team: { id: 'red' }, name: 'Mira' },
        { team: null, name: 'Jun' },
      ],
    ],
    ['keys.alias', [{ keys: [{ alias: 'a' }] }, { keys: [] }]],
    ['team.id,team', [{ team: { id: 'red', alias: 'R' } }, { team: null }]],
  ])('%s of the items of a list', async (fields, items) => {
    const { stdout } = await runCli(['api', 'GET', '/people', '--fields', fields], [people])
    expect(JSON.parse(stdout)).toEqual({ items, next: 'p' })
  })

  test('of a reply that is not a list, and of a bare list', async () => {
    const one = await runCli(['api', 'GET', '/event', '--fields', 'name'], [{ name: 'AI Cup', version: 3 }])
    expect(one.stdout).toBe('{"name":"AI Cup"}\n')
    const bare = await runCli(
      ['api', 'GET', '/team/list', '--fields', 'team_id'],
      [[{ team_id: 'red', rpm: 1 }]],
    )
    expect(bare.stdout).toBe('[{"team_id":"red"}]\n')
    const none = await runCli(['api', 'GET', '/team/list', '--fields', 'team_id'], [[]])
    expect([none.exitCode, none.stdout]).toEqual([0, '[]\n'])
  })

  test('an unknown field is refused with the known ones', async () => {
    const { exitCode, stdout, stderr } = await runCli(
      ['api', 'GET', '/people', '--fields', 'team.name'],
      [people],
    )
    expect([exitCode, stdout]).toEqual([1, ''])
    expect(stderr).toBe('The reply has no field "team.name". It has: name, team, keys.\n')
  })

  test('an unknown field after a change still prints the reply, which may hold a secret', async () => {
    const made = { url: 'https://gateway.example/wall/secret' }
    const run = await runCli(['api', 'POST', '/wall_tokens', 'name=Hall', '--fields', 'link'], [made])
    expect(run.exitCode).toBe(1)
    expect(JSON.parse(run.stdout)).toEqual(made)
  })
})
