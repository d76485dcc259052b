// Invalid input at every door: a clear error in the right format, nothing lost, no other caller harmed.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ingest, readAllEntries, sampleEntry } from './testing/logbook-client.ts'
import { type Fairgate, startFairgate } from './testing/start-fairgate.ts'

let fairgate: Fairgate
let key: string
let token: string
beforeAll(async () => {
  fairgate = await startFairgate({ settings: 'limits: { max_body_mebibytes: 1 }' })
  key = await fairgate.manage.team('team-a', { max_budget: 1 })
  token = (await fairgate.manage.token('team-a')).token
})
afterAll(() => fairgate.stop())

type Refusal = {
  readonly status: number
  readonly error: { message: string; type: string; param: string | null; code: string }
}

async function refusalOf(response: Response): Promise<Refusal> {
  const body = (await response.json()) as { error: Refusal['error'] }
  expect(Object.keys(body)).toEqual(['error'])
  expect(Object.keys(body.error).sort()).toEqual(['code', 'message', 'param', 'type'])
  expect(response.headers.get('x-gateway-call-id')).not.toBeNull()
  return { status: response.status, error: body.error }
}

describe('spec 4.1: the gateway', () => {
  const base = { model: 'mm-2.5-flash', messages: [{ role: 'user', content: 'Hi' }] }
  const post = async (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    refusalOf(
      await fetch(`${fairgate.gatewayUrl}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
        body,
      }),
    )

  const toolCall = (args: string) => ({
    id: 'call_1',
    type: 'function',
    function: { name: 'f', arguments: args },
  })
  const imageAt = (url: string) => ({ type: 'image_url', image_url: { url } })

  const wrongMembers: [string, object, string][] = [
    ['a model that is a number', { model: 5 }, 'model'],
    ['no messages', { messages: [] }, 'messages'],
    ['messages as text', { messages: 'Hi' }, 'messages'],
    ['an unknown role', { messages: [{ role: 'robot', content: 'Hi' }] }, 'messages[0].role'],
    ['content that is a number', { messages: [{ role: 'user', content: 7 }] }, 'messages[0].content'],
    ['a cap of zero', { max_tokens: 0 }, 'max_tokens'],
    ['a fractional cap', { max_completion_tokens: 1.5 }, 'max_completion_tokens'],
    ['a temperature too high', { temperature: 2.1 }, 'temperature'],
    ['top_p below zero', { top_p: -0.1 }, 'top_p'],
    ['n of zero', { n: 0 }, 'n'],
    ['too many choices', { n: 9 }, 'n'],
    ['a seed that is text', { seed: 'x' }, 'seed'],
    ['six stops', { stop: ['a', 'b', 'c', 'd', 'e', 'f'] }, 'stop'],
    ['stream as text', { stream: 'yes' }, 'stream'],
    ['an unknown effort', { reasoning_effort: 'extreme' }, 'reasoning_effort'],
    [
      'arguments that are no JSON',
      { messages: [{ role: 'assistant', tool_calls: [toolCall('{')] }] },
      'messages[0].tool_calls[0].function.arguments',
    ],
    [
      'a result of a call that was never made',
      { messages: [base.messages[0], { role: 'tool', tool_call_id: 'call_1', content: '' }] },
      'messages[1].tool_call_id',
    ],
    [
      'the same in a stream',
      { stream: true, messages: [{ role: 'tool', tool_call_id: 'x', content: '' }] },
      'messages[0].tool_call_id',
    ],
    [
      'an image of this machine',
      { messages: [{ role: 'user', content: [imageAt('https://127.0.0.1/a.png')] }] },
      'messages[0].content[0].image_url.url',
    ],
    [
      'an image of this machine by name, for a stream',
      { stream: true, messages: [{ role: 'user', content: [imageAt('https://localhost/a.png')] }] },
      'messages[0].content[0].image_url.url',
    ],
    [
      'an image of plain http',
      { messages: [{ role: 'user', content: [imageAt('http://example.com/a.png')] }] },
      'messages[0].content[0].image_url.url',
    ],
    ['a choice without tools', { tool_choice: 'required' }, 'tool_choice'],
  ]
  test.each(wrongMembers)('%s: 400 that names the parameter', async (_name, changes, param) => {
    const { status, error } = await post(JSON.stringify({ ...base, ...changes }))
    expect({ status, code: error.code, type: error.type }).toEqual({
      status: 400,
      code: 'invalid_request',
      type: 'invalid_request_error',
    })
    expect(error.param).toBe(param)
    expect(error.message).toContain(param)
  })

  test('an unknown model is 404', async () => {
    const { status, error } = await post(JSON.stringify({ ...base, model: 'gpt-unknown' }))
    expect([status, error.code, error.param]).toEqual([404, 'model_not_found', 'model'])
  })

  test('bodies that are not JSON, not UTF-8, deeply nested, empty, or not an object', async () => {
    expect((await post('{"model": ')).error.code).toBe('invalid_json')
    expect((await post(new Uint8Array([0x7b, 0xff, 0x7d]))).error.code).toBe('invalid_json')
    expect((await post(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)).error.code).toBe('invalid_json')
    expect((await post('')).error.code).toBe('invalid_json')
    expect((await post('[]')).error.code).toBe('invalid_request')
    expect((await post('null')).error.code).toBe('invalid_request')
    expect((await post('{"__proto__": {"model": "mm-2.5-flash"}, "messages": []}')).error.code).toBe(
      'invalid_request',
    )
  })

  test('another content type and a compressed body: 415; a body over the limit: 413', async () => {
    for (const headers of [{ 'content-type': 'text/plain' }, { 'content-encoding': 'gzip' }]) {
      const { status, error } = await post(JSON.stringify(base), headers)
      expect([status, error.code]).toEqual([415, 'unsupported_media_type'])
    }
    const large = await post(JSON.stringify({ ...base, user: 'x'.repeat(1_100_000) }))
    expect([large.status, large.error.code]).toEqual([413, 'payload_too_large'])
  })

  test('credentials: none, malformed, unknown, of the other door', async () => {
    const ask = async (authorization: string | null) =>
      refusalOf(
        await fetch(`${fairgate.gatewayUrl}/key/info`, {
          headers: authorization === null ? {} : { authorization },
        }),
      )
    const cases: [string | null, RegExp][] = [
      [null, /key/i],
      ['Basic abc', /Bearer sk-/],
      ['Bearer sk-unknown', /is cut off: 32 characters are missing/],
      [`Bearer sk-${'A'.repeat(39)}`, /is mistyped/],
      [`Bearer sk-${'A'.repeat(32)}`, /does not exist/],
      [`Bearer ${token}`, /log token.*logbook/],
      ['Bearer admin-key-of-the-journeys', /starts with sk-/],
    ]
    for (const [authorization, message] of cases) {
      const { status, error } = await ask(authorization)
      expect([status, error.type]).toEqual([401, 'authentication_error'])
      expect(error.message).toMatch(message)
    }
  })

  test('an unknown path: 404; an unsupported method: 405', async () => {
    const nowhere = await refusalOf(await fetch(`${fairgate.gatewayUrl}/v1/nothing`))
    expect([nowhere.status, nowhere.error.code]).toEqual([404, 'not_found'])
    const wrong = await fetch(`${fairgate.gatewayUrl}/v1/chat/completions`)
    expect(wrong.headers.get('allow')).toContain('POST')
    expect((await refusalOf(wrong)).status).toBe(405)
  })

  test('none of this was charged or is held', async () => {
    const { team_info } = await fairgate.manage.teamInfo('team-a')
    expect([team_info.spend, team_info.held]).toEqual([0, 0])
    expect(fairgate.sandbox.counters().calls).toBe(0)
  })
})

describe('spec 4.2: the logbook', () => {
  const post = async (body: string, headers: Record<string, string> = {}) =>
    fetch(`${fairgate.logbookUrl}/api/ingest`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      body,
    })
  type Reply = {
    received: number
    stored: number
    duplicates: number
    rejected: { index: number; code: string; message: string }[]
    warnings: { index: number; code: string }[]
  }
  const send = async (entries: readonly unknown[]) => {
    const response = await ingest(fairgate.logbookUrl, token, entries)
    expect(response.status).toBe(202)
    return (await response.json()) as Reply
  }

  test('rejected entries are listed with their reason; the others are stored', async () => {
    const good = (name: string) => ({ ...sampleEntry, prompt: name })
    const bad: unknown[] = [
      null,
      'text',
      42,
      [],
      {},
      { ...sampleEntry, ts: 'yesterday' },
      { ...sampleEntry, ts: '2026-02-30T00:00:00Z' },
      { ...sampleEntry, tool: 7 },
      { ...sampleEntry, student: undefined },
      { ...sampleEntry, prompt: 5 },
    ]
    const reply = await send([good('first'), ...bad, good('last')])
    expect(reply).toMatchObject({ received: 12, stored: 2, duplicates: 0 })
    expect(reply.rejected.map(({ index }) => index)).toEqual(bad.map((_, index) => index + 1))
    for (const { code, message } of reply.rejected) {
      expect(code).toMatch(/^[a-z_]+$/)
      expect(message.length).toBeGreaterThan(5)
    }
    const prompts = (await readAllEntries(fairgate.logbookUrl, token)).map(({ prompt }) => prompt)
    expect(prompts).toContain('first')
    expect(prompts).toContain('last')
  })

  test('text is stored unchanged: NUL, lone surrogates, control characters, images', async () => {
    const prompts = ['nul \u0000 inside', 'lone \ud800 surrogate', '\u001b[31m\u2028', '👍🏽 日本語 \u202e']
    const reply = await send(prompts.map(prompt => ({ ...sampleEntry, prompt, event: 'Kinds' })))
    expect(reply).toMatchObject({ stored: 4, rejected: [] })
    const read = await readAllEntries(fairgate.logbookUrl, token, 'event=Kinds')
    expect(new Set(read.map(({ prompt }) => prompt))).toEqual(new Set(prompts))
  })

  test('__proto__ and similar members stay data', async () => {
    const body = `{"entries":[{${JSON.stringify(sampleEntry).slice(1, -1)},"event":"Proto","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}]}`
    const response = await post(body)
    expect(response.status).toBe(202)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    const [read] = await readAllEntries(fairgate.logbookUrl, token, 'event=Proto')
    expect(read?.polluted).toBeUndefined()
  })

  test('a time in the future or without offset is accepted with a warning', async () => {
    const reply = await send([
      { ...sampleEntry, ts: '2099-01-01T00:00:00Z' },
      { ...sampleEntry, ts: '2026-11-01T10:00:00' },
    ])
    expect(reply).toMatchObject({ stored: 2, rejected: [] })
    expect(reply.warnings.map(({ index }) => index)).toEqual([0, 1])
  })

  test('long texts are truncated at a character, not refused', async () => {
    const prompt = '😀'.repeat(60_000)
    await send([{ ...sampleEntry, event: 'Long', prompt }])
    const [read] = await readAllEntries(fairgate.logbookUrl, token, 'event=Long')
    expect(Array.from(read?.prompt ?? '')).toHaveLength(1000)
    expect(read?.prompt).not.toContain('\ufffd')
  })

  test('requests that are refused as a whole', async () => {
    const cases: [Response, number, string][] = [
      [
        await post(JSON.stringify({ entries: Array.from({ length: 501 }, () => sampleEntry) })),
        413,
        'too_many_entries',
      ],
      [await post('{"entries": ['), 400, 'invalid_json'],
      [await post('{"items": []}'), 400, 'invalid_request'],
      [await post('{"entries": {}}'), 400, 'invalid_request'],
      [
        await post(JSON.stringify({ entries: [] }), { 'content-type': 'text/csv' }),
        415,
        'unsupported_media_type',
      ],
      [await post('x'.repeat(17 * 1024 * 1024)), 413, 'payload_too_large'],
    ]
    for (const [response, status, code] of cases) {
      const refusal = await refusalOf(response)
      expect([refusal.status, refusal.error.code]).toEqual([status, code])
    }
  })

  test('credentials: a gateway key gets an error that names its door', async () => {
    const refused = await refusalOf(await post('{}', { authorization: `Bearer ${key}` }))
    expect([refused.status, refused.error.code]).toEqual([401, 'unauthorized'])
    expect(refused.error.message).toContain('gateway')
    for (const authorization of ['', 'Bearer aitc_unknown', 'Bearer nonsense']) {
      expect((await post('{}', { authorization })).status).toBe(401)
    }
  })

  test('invalid queries name the parameter', async () => {
    const ask = async (query: string) =>
      refusalOf(
        await fetch(`${fairgate.logbookUrl}/api/ingest/entries?${query}`, {
          headers: { authorization: `Bearer ${token}` },
        }),
      )
    for (const [query, param] of [
      ['limit=0', 'limit'],
      ['limit=1.5', 'limit'],
      ['limit=x', 'limit'],
      ['before=yesterday', 'before'],
    ] as const) {
      const { status, error } = await ask(query)
      expect([status, error.param]).toEqual([400, param])
    }
  })
})

describe('the admin door', () => {
  // PostgreSQL cannot store NUL in a text: this was a 500 before the schemas refused it.
  test.each([
    ['/team/update', { team_id: 'team-a', team_alias: 'a\u0000b' }, 'team_alias'],
    ['/key/generate', { team_id: 'team-a', key_alias: '\u0000' }, 'key_alias'],
    ['/key/generate', { team_id: 'team-a', user_id: 'x\u0000' }, 'user_id'],
    ['/log_token/revoke', { token_id: 'x\u0000' }, 'token_id'],
  ])('%s refuses NUL in a name and names the field', async (path, body, param) => {
    const { status, error } = await refusalOf(await fairgate.manage.call('POST', path, body))
    expect([status, error.code, error.param]).toEqual([400, 'invalid_request', param])
  })
})
