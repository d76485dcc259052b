// suite: test on sqlite; full on postgres; 15 s
// Idempotency-Key: one call and one charge per key, its first answer replayed, also after a restart and kill -9.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { createManagement } from './testing/management.ts'
import { sampleFiles } from './testing/sample-files.ts'
import { spawnFairgate } from './testing/spawn-fairgate.ts'
import {
  adminKey,
  createSurroundings,
  type Fairgate,
  type Surroundings,
  startFairgate,
} from './testing/start-fairgate.ts'
import { readCharges, runStored, untilSwept } from './testing/stored-rows.ts'

type Sender = { readonly gatewayUrl: string; readonly key: string }

const chat = (content: string, changes: object = {}) => ({
  model: 'mm-2.5-flash',
  messages: [{ role: 'user', content }],
  ...changes,
})
const send = (to: Sender, idempotencyKey: string, body: object | FormData, path = '/v1/chat/completions') =>
  fetch(`${to.gatewayUrl}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${to.key}`,
      'idempotency-key': idempotencyKey,
      ...(body instanceof FormData ? {} : { 'content-type': 'application/json' }),
    },
    body: body instanceof FormData ? body : JSON.stringify(body),
  })
const codeOf = async (response: Response) => {
  const { error } = (await response.json()) as { error: { code: string } }
  return [response.status, error.code]
}

describe('on one server', () => {
  let fairgate: Fairgate
  let team = 0
  let teamId: string
  let sender: Sender
  beforeAll(async () => {
    fairgate = await startFairgate()
  })
  beforeEach(async () => {
    team += 1
    teamId = `idempotent-${team}`
    sender = { gatewayUrl: fairgate.gatewayUrl, key: await fairgate.manage.team(teamId, { max_budget: 10 }) }
    fairgate.sandbox.resetCounters()
  })
  afterAll(() => fairgate.stop())

  const chargeCount = async () => (await readCharges(fairgate.place, teamId)).length
  const calls = () => fairgate.sandbox.counters().calls

  const form = (model: string) => {
    const made = new FormData()
    made.set('model', model)
    made.set('file', sampleFiles.file?.() ?? '')
    return made
  }
  const edit = () => {
    const made = new FormData()
    made.set('model', 'mm-2.5-flash-image')
    made.set('prompt', 'Blue')
    made.set('image', sampleFiles.image?.() ?? '')
    return made
  }
  // A form is built again for each request, so that its boundary differs as it does when an SDK retries.
  const paidCalls: Record<string, readonly [path: string, body: () => object | FormData]> = {
    chat: ['/v1/chat/completions', () => chat('Hello')],
    'a stream of chat': ['/v1/chat/completions', () => chat('Hello', { stream: true })],
    images: ['/v1/images/generations', () => ({ model: 'imggen-4.0-fast-generate-001', prompt: 'A house' })],
    'a changed image': ['/v1/images/edits', edit],
    speech: [
      '/v1/audio/speech',
      () => ({ model: 'mm-2.5-flash-preview-tts', voice: 'Kore', input: 'Hello' }),
    ],
    'a transcript': ['/v1/audio/transcriptions', () => form('mm-3.5-transcribe-preview')],
    embeddings: ['/v1/embeddings', () => ({ model: 'mm-embedding-001', input: 'Hello' })],
  }
  for (const [name, [path, body]] of Object.entries(paidCalls)) {
    test(`${name}: the same bytes again, one call, one charge; both spellings of the path`, async () => {
      const first = await send(sender, 'once', body(), path)
      const bytes = await first.bytes()
      expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([200, null])
      const made = calls()
      const again = await send(sender, 'once', body(), path.replace('/v1', ''))
      expect(Buffer.from(await again.bytes()).equals(bytes)).toBe(true)
      expect(again.headers.get('idempotent-replayed')).toBe('true')
      const callId = first.headers.get('x-gateway-call-id')
      expect(again.headers.get('x-gateway-original-call-id')).toBe(callId)
      expect(again.headers.get('x-gateway-call-id')).not.toBe(callId)
      for (const header of ['content-type', 'x-gateway-response-cost'])
        expect(again.headers.get(header)).toBe(first.headers.get(header))
      expect([await chargeCount(), calls()]).toEqual([1, made])
    })
  }

  test('the official client: its stream is replayed, and a key is sent only on request', async () => {
    const client = new OpenAI({ apiKey: sender.key, baseURL: `${sender.gatewayUrl}/v1`, maxRetries: 0 })
    const read = async (headers: Record<string, string> = {}) => {
      const stream = await client.chat.completions.create(
        { model: 'mm-2.5-flash', stream: true, messages: [{ role: 'user', content: 'Hello' }] },
        { headers },
      )
      const ids = new Set<string>()
      for await (const chunk of stream) ids.add(chunk.id)
      return [...ids].join()
    }
    const keyed = { 'Idempotency-Key': 'sdk' }
    expect(await read(keyed)).toBe(await read(keyed))
    expect(await chargeCount()).toBe(1)
    expect(await read()).not.toBe(await read())
    expect(await chargeCount()).toBe(3)
  })

  // Shown to fail by leaving out the map of running calls (`running.set` in accept-idempotency-key.ts).
  test('a hundred at once: one upstream call; the others get a time to wait', async () => {
    const body = chat('[[sandbox: firstByteDelayMs=1]]')
    const release = fairgate.holdUpstream()
    let answered = 0
    const ask = async () => {
      const reply = await send(sender, 'race', body)
      answered += 1
      return reply.status === 200
        ? '200'
        : [...(await codeOf(reply)), reply.headers.get('retry-after')].join(' ')
    }
    const asked = Array.from({ length: 100 }, ask)
    while (answered < 99 && calls() < 2) await Bun.sleep(2)
    release()
    const statuses = await Promise.all(asked)
    expect(statuses.filter(status => status === '200')).toHaveLength(1)
    expect(statuses.filter(status => status === '409 idempotency_running 1')).toHaveLength(99)
    expect(await codeOf(await send(sender, 'race', chat('Another')))).toEqual([422, 'idempotency_conflict'])
    expect((await send(sender, 'race', body)).headers.get('idempotent-replayed')).toBe('true')
    expect([calls(), await chargeCount()]).toEqual([1, 1])
  })

  test('while the first runs, another body is a conflict, not a wait', async () => {
    const release = fairgate.holdUpstream()
    const first = send(sender, 'busy', chat('[[sandbox: firstByteDelayMs=1]]'))
    while (calls() === 0) await Bun.sleep(2)
    expect(await codeOf(await send(sender, 'busy', chat('Another')))).toEqual([422, 'idempotency_conflict'])
    release()
    expect((await first).status).toBe(200)
  })

  test('another path is a conflict; another gateway key is another call', async () => {
    await (await send(sender, 'scope', chat('Hello'))).text()
    const elsewhere = { model: 'mm-embedding-001', input: 'Hello' }
    expect(await codeOf(await send(sender, 'scope', elsewhere, '/v1/embeddings'))).toEqual([
      422,
      'idempotency_conflict',
    ])
    const neighbour = { ...sender, key: await fairgate.manage.key(teamId) }
    const reply = await send(neighbour, 'scope', chat('Hello'))
    expect([reply.status, reply.headers.get('idempotent-replayed')]).toEqual([200, null])
    expect(await chargeCount()).toBe(2)
  })

  test('refusals are not stored: the key stays free, also for another body', async () => {
    const refused: readonly (readonly [object, number])[] = [
      [chat('Hello', { model: 'none' }), 404],
      [chat('Hello', { temperature: 'hot' }), 400],
      [chat('[[sandbox: error=400]]'), 400],
      [chat('[[sandbox: error=500]]', { stream: true }), 502],
    ]
    for (const [body, status] of refused) {
      const reply = await send(sender, 'refused', body)
      expect([reply.status, reply.headers.get('idempotent-replayed')]).toEqual([status, null])
      await reply.text()
    }
    expect((await send(sender, 'refused', chat('Hello'))).status).toBe(200)
    expect(await chargeCount()).toBe(1)
  })

  test('a charged refusal is an answer like any other', async () => {
    const body = { model: 'mm-2.5-flash-image', prompt: 'A [[sandbox: blockPrompt=SAFETY]]' }
    const [first, again] = [
      await send(sender, 'charged', body, '/v1/images/generations'),
      await send(sender, 'charged', body, '/v1/images/generations'),
    ]
    expect(await codeOf(first)).toEqual([400, 'content_policy_violation'])
    expect(await codeOf(again)).toEqual([400, 'content_policy_violation'])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.headers.get('x-gateway-response-cost')).toBe(first.headers.get('x-gateway-response-cost'))
    expect(await chargeCount()).toBe(1)
  })

  test('a replay uses no budget and no window, but a slot', async () => {
    const key = await fairgate.manage.key(teamId, { rpm_limit: 1, max_parallel_requests: 1 })
    const narrow = { ...sender, key }
    await (await send(narrow, 'free', chat('Hello'))).text()
    expect(await codeOf(await send(narrow, 'other', chat('Hello')))).toEqual([429, 'rpm_exceeded'])
    for (let count = 0; count < 3; count += 1) {
      const reply = await send(narrow, 'free', chat('Hello'))
      expect([reply.status, reply.headers.get('x-ratelimit-remaining-requests')]).toEqual([200, '0'])
      await reply.text()
    }
  })

  for (const stream of [false, true]) {
    // Shown to fail by handing the client's own signal on (`detached` in accept-idempotency-key.ts), for the stream.
    test(`a client that left gets the answer with the same key (stream: ${stream})`, async () => {
      const delay = stream ? 'chunkDelayMs' : 'firstByteDelayMs'
      const body = chat(`[[sandbox: chunks=4; outputTokens=40; ${delay}=1]]`, { stream })
      const release = fairgate.holdUpstream()
      const leaving = new AbortController()
      const left = fetch(`${sender.gatewayUrl}/chat/completions`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${sender.key}`,
          'content-type': 'application/json',
          'idempotency-key': 'left',
        },
        body: JSON.stringify(body),
        signal: leaving.signal,
      })
      if (stream) await (await left).body?.getReader().read()
      else while (calls() === 0) await Bun.sleep(2)
      leaving.abort()
      await left.catch(() => null)
      expect(await codeOf(await send(sender, 'left', body))).toEqual([409, 'idempotency_running'])
      release()
      let reply = await send(sender, 'left', body)
      while (reply.status === 409) {
        await Bun.sleep(10)
        reply = await send(sender, 'left', body)
      }
      const text = await reply.text()
      expect(reply.headers.get('idempotent-replayed')).toBe('true')
      if (stream) expect(text).toEndWith('data: [DONE]\n\n')
      const charges = await readCharges(fairgate.place, teamId)
      expect(charges.map(({ outcome }) => outcome)).toEqual(['completed'])
      expect([calls(), JSON.parse(charges[0]?.units ?? '{}').outputText]).toEqual([1, 40])
    })
  }

  test('an error names a key that is not 1 to 255 printable characters', async () => {
    for (const bad of ['', 'x'.repeat(256), 'caf\u00e9', 'a\tb']) {
      const reply = await send(sender, bad, chat('Hello'))
      const { error } = (await reply.json()) as { error: object }
      expect([reply.status, error]).toMatchObject([
        400,
        { code: 'invalid_request', param: 'Idempotency-Key' },
      ])
    }
    expect((await send(sender, ` ${'x'.repeat(255)} `, chat('Hello'))).status).toBe(200)
  })

  test('an answer of more than 32 MiB is delivered once and not stored', async () => {
    const body = { model: 'mm-2.5-flash-image', prompt: 'A [[sandbox: imageBytes=26000000]]' }
    const first = await send(sender, 'large', body, '/v1/images/generations')
    expect([first.status, (await first.bytes()).byteLength > 32 * 1024 * 1024]).toEqual([200, true])
    const again = await send(sender, 'large', body, '/v1/images/generations')
    expect(again.headers.get('x-should-retry')).toBe('false')
    expect(await codeOf(again)).toEqual([409, 'idempotency_lost'])
    expect(await chargeCount()).toBe(1)
  })
})

describe('across restarts', () => {
  let place: Surroundings
  let running: Awaited<ReturnType<typeof start>>
  beforeAll(async () => {
    place = await createSurroundings()
    running = await start()
  })
  afterAll(async () => {
    await running.end('SIGTERM')
    await place.remove()
  })

  const start = async () => {
    const server = await spawnFairgate({ variables: place.variables })
    const end = async (signal: 'SIGKILL' | 'SIGTERM') => {
      server.kill(signal)
      await server.exited
    }
    return { gatewayUrl: server.gatewayUrl, end, manage: createManagement(server.adminUrl, adminKey) }
  }

  /** Calls in every state, each repeated until it ends. A dozen run at a time. */
  function startStorm(key: string) {
    const names = Array.from({ length: 80 }, (_, index) => `call-${index}`)
    const ends = new Map<string, string>()
    const repeat = async (name: string, index: number): Promise<void> => {
      const body = chat(`[[sandbox: firstByteDelayMs=${index % 40}; chunks=2]]`, { stream: index % 3 === 0 })
      while (!ends.has(name)) {
        try {
          const reply = await send({ gatewayUrl: running.gatewayUrl, key }, name, body)
          const text = await reply.text()
          const isWhole = index % 3 !== 0 || text.endsWith('data: [DONE]\n\n')
          if (reply.status === 200 && isWhole) ends.set(name, 'answered')
          else if (text.includes('idempotency_lost')) ends.set(name, 'lost')
          else await Bun.sleep(5)
        } catch {
          await Bun.sleep(20)
        }
      }
    }
    const waiting = [...names.entries()]
    const work = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
        await repeat(next[1], next[0])
    }
    const finished = Promise.all(Array.from({ length: 12 }, work))
    return { total: names.length, countEnded: () => ends.size, finished }
  }

  // Shown to fail by leaving out the question for a charge (`isCharged`, and that of the claim, in store/statements/idempotent-calls.ts).
  test('kill -9: an answer survives its process, an uncharged call is made again, a partly charged one is not, and each key has one charge', async () => {
    const key = await running.manage.team('killed')
    const killed = { gatewayUrl: running.gatewayUrl, key }
    const kept = chat('Hello', { stream: true })
    const text = await (await send(killed, 'kept', kept)).text()
    place.sandbox.resetCounters()
    const unary = chat('Hello')
    const stream = chat('[[sandbox: chunks=3; outputTokens=30; chunkDelayMs=600000]]', { stream: true })
    const begun = await send(killed, 'stream', stream)
    const openCosts = () =>
      runStored<{ cost_nano: number }>(place, 'select cost_nano from running_calls where cost_nano > 0', [])
    while ((await openCosts()).length === 0) await Bun.sleep(20)
    place.sandbox.setSwitches({ firstByteDelayMs: 600_000 })
    const cut = send(killed, 'unary', unary).catch(() => null)
    while (place.sandbox.counters().calls < 2) await Bun.sleep(5)
    const storm = startStorm(await running.manage.team('storm', { max_budget: 10 }))
    while (storm.countEnded() < storm.total / 2) await Bun.sleep(2)
    await running.end('SIGKILL')
    await Promise.all([cut, begun.text().catch(() => null)])
    place.sandbox.setSwitches({})

    running = await start()
    await untilSwept(place)
    const again = { gatewayUrl: running.gatewayUrl, key }
    const replayed = await send(again, 'kept', kept)
    expect([replayed.headers.get('idempotent-replayed'), await replayed.text()]).toEqual(['true', text])
    const whole = await send(again, 'unary', unary)
    expect([whole.status, whole.headers.get('idempotent-replayed')]).toEqual([200, null])
    const lost = await send(again, 'stream', stream)
    expect(lost.headers.get('x-should-retry')).toBe('false')
    expect(await codeOf(lost)).toEqual([409, 'idempotency_lost'])
    const outcomes = (await readCharges(place, 'killed')).map(({ outcome }) => outcome)
    expect(outcomes.sort()).toEqual(['completed', 'completed', 'interrupted'])

    await storm.finished
    const charges = await readCharges(place, 'storm')
    const keys = await runStored<{ call_id: string }>(
      place,
      "select call_id from idempotent_calls where team_id = 'storm'",
      [],
    )
    const callIds = (rows: readonly { readonly call_id: string }[]) => rows.map(row => row.call_id).sort()
    expect(keys).toHaveLength(storm.total)
    // A call is refunded if its answer died with its process, and its key makes another.
    const refunded = await runStored<{ call_id: string; amount_nano: number }>(
      place,
      "select call_id, amount_nano from adjustments where team_id = 'storm'",
      [],
    )
    const costs = new Map(refunded.map(({ call_id, amount_nano }) => [call_id, -Number(amount_nano)]))
    const charged = charges.filter(
      ({ call_id, outcome, cost_nano }) =>
        (outcome === 'completed' || cost_nano > 0) && costs.get(call_id) !== cost_nano,
    )
    expect(callIds(charged)).toEqual(callIds(keys))
  }, 300_000)
})
