// Webhooks with a test receiver: signed, sent once by all processes together, retried, and limited regardless of its behaviour.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createHmac, randomBytes } from 'node:crypto'
import type { NewWebhookBody } from '@fairgate/contracts/management/webhooks.ts'
import { openTestDirectory } from '../../directory/testing/open-test-directory.ts'
import { invalid, refusalOf } from '../../directory/testing/refusal-of.ts'
import type { Condition } from '../../insight/attention/condition.ts'
import { createSecretSeal, type SecretSeal } from './secret-seal.ts'
import { judge, WebhookSender } from './webhook-sender.ts'
import { WebhookService } from './webhook-service.ts'

type Received = { readonly path: string; readonly headers: Headers; readonly body: string }

let opened: Awaited<ReturnType<typeof openTestDirectory>>
let server: ReturnType<typeof Bun.serve>
let received: Received[]
let respond: (request: Request) => Response | Promise<Response>
let conditions: readonly Condition[]
let service: WebhookService
const failures: unknown[] = []

const silent = (teamId: string): Condition => ({
  id: `recorder_silent:${teamId}`,
  kind: 'recorder_silent',
  severity: 'warning',
  subjects: [{ kind: 'team', id: teamId, name: teamId }],
  text: `${teamId} is silent.`,
  since: 0,
  action: null,
})

beforeEach(async () => {
  opened = await openTestDirectory()
  received = []
  failures.length = 0
  conditions = []
  respond = () => new Response(null, { status: 204 })
  server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async request => {
      received.push({
        path: new URL(request.url).pathname,
        headers: request.headers,
        body: await request.text(),
      })
      return await respond(request)
    },
  })
  service = new WebhookService({
    ...sending(true),
    read: opened.store.read,
    write: opened.store.write,
    clock: () => opened.time.now,
    randomBytes: size => Buffer.alloc(size, 7),
    newId: () => crypto.randomUUID(),
  })
})
afterEach(async () => {
  await server.stop(true)
  await opened.close()
})

const sealOf = (key: number) => createSecretSeal(Buffer.alloc(32, key), randomBytes)

function sending(allowsPrivate: boolean) {
  return { resolve: async () => ['127.0.0.1'], fetch, allowsPrivate, seal: sealOf(1) }
}

function createSender(changes: { readonly allowsPrivate?: boolean; readonly seal?: SecretSeal } = {}) {
  return new WebhookSender({
    ...sending(changes.allowsPrivate ?? true),
    seal: changes.seal ?? sealOf(1),
    conditions: async () => conditions,
    event: opened.directory.event,
    read: opened.store.read,
    write: opened.store.write,
    clock: () => opened.time.now,
    every: () => () => undefined,
    reportFailure: error => failures.push(error),
    reportDropped: count => failures.push(count),
  })
}

const add = (body: Partial<NewWebhookBody> = {}, path = '/hook') =>
  service.add({ url: `http://127.0.0.1:${server.port}${path}`, ...body }, 'ada')
const bodies = (): { id: string; event: string; text: string }[] =>
  received.map(({ body }) => JSON.parse(body))

test('a condition is sent once, signed over time and body, however long it lasts', async () => {
  const { secret } = await add()
  const sender = createSender()
  conditions = [silent('red')]
  for (let look = 0; look < 5; look += 1) {
    await sender.look()
    opened.time.now += 40_000
  }
  expect(received).toHaveLength(1)
  const [{ headers, body } = { headers: new Headers(), body: '' }] = received
  expect(JSON.parse(body)).toMatchObject({
    event: 'recorder_silent',
    severity: 'warning',
    text: 'red is silent.',
    subjects: [{ id: 'red' }],
  })
  const time = headers.get('x-fairgate-timestamp') ?? ''
  const hmac = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')
  expect(headers.get('x-fairgate-signature')).toBe(`v1=${hmac}`)
  expect(headers.get('x-fairgate-event')).toBe('recorder_silent')
  expect(JSON.parse(body).id).toBe(headers.get('x-fairgate-event-id'))
  expect((await service.list())[0]).toMatchObject({ waiting: 0, sent: 1, given_up: 0 })
})

test('a condition that ends and returns is sent again, as another event', async () => {
  await add()
  const sender = createSender()
  conditions = [silent('red')]
  await sender.look()
  conditions = []
  opened.time.now += 130_000
  await sender.look()
  conditions = [silent('red')]
  await sender.look()
  const reported = bodies().filter(({ event }) => event === 'recorder_silent')
  expect(new Set(reported.map(({ id }) => id)).size).toBe(2)
})

test('an end is sent once, to webhooks that want ends of its kind', async () => {
  await add({ events: ['recorder_silent', 'condition_ended'] }, '/both')
  await add({ events: ['budget_spent', 'condition_ended'] }, '/other')
  const [first, second] = [createSender(), createSender()]
  conditions = [silent('red')]
  await first.look()
  const lastSeen = new Date(opened.time.now).toISOString()
  conditions = []
  for (let look = 0; look < 6; look += 1) {
    opened.time.now += 40_000
    await Promise.all([first.look(), second.look()])
  }
  expect(received.map(({ path }) => path)).toEqual(['/both', '/both'])
  expect(bodies()[1]).toMatchObject({
    event: 'condition_ended',
    severity: 'info',
    at: lastSeen,
    subjects: [{ id: 'red' }],
    text: 'Over: red is silent.',
    action: null,
  })
})

test('several processes at once send each event once', async () => {
  await add()
  conditions = ['red', 'blue', 'green'].map(silent)
  await Promise.all([createSender(), createSender(), createSender()].map(sender => sender.look()))
  expect(
    bodies()
      .map(({ text }) => text)
      .sort(),
  ).toEqual(['blue is silent.', 'green is silent.', 'red is silent.'])
})

test('a webhook gets only what it subscribed to', async () => {
  await add({ events: ['budget_spent'] }, '/budget')
  await add({ events: ['recorder_silent'] }, '/silent')
  conditions = [silent('red')]
  await createSender().look()
  expect(received.map(({ path }) => path)).toEqual(['/silent'])
})

test('a failed delivery is retried later, by any process, with the same id', async () => {
  await add()
  conditions = [silent('red')]
  respond = () => new Response('down', { status: 500 })
  await createSender().look()
  await createSender().look()
  expect(received).toHaveLength(1)
  expect((await service.list())[0]).toMatchObject({ waiting: 1, sent: 0 })
  respond = () => new Response(null, { status: 200 })
  opened.time.now += 10_000
  await createSender().look()
  expect(received).toHaveLength(2)
  expect(new Set(bodies().map(({ id }) => id)).size).toBe(1)
  expect((await service.list())[0]).toMatchObject({ waiting: 0, sent: 1 })
})

test('if a process dies while sending, another one sends after the lease is over', async () => {
  await add()
  conditions = [silent('red')]
  const { now } = opened.time
  const occurrences = [
    {
      conditionId: 'a',
      kind: 'recorder_silent',
      isOnce: false,
      event: '{"severity":"info","text":"a"}',
      ended: null,
    },
  ]
  await opened.store.write.noteConditions({ occurrences, now, goneBefore: 0 })
  expect(await opened.store.write.claimDeliveries({ now, leasedUntil: now + 30_000, limit: 9 })).toHaveLength(
    1,
  )
  await createSender().look()
  expect(bodies().map(({ text }) => text)).not.toContain('a')
  opened.time.now += 30_000
  await createSender().look()
  expect(bodies().map(({ text }) => text)).toContain('a')
})

// Fails on the previous build, which stored the secret as it is shown.
test('the database has no secret that signs a message', async () => {
  const { webhook_id: webhookId, secret } = await add()
  const [row] = await opened.store.read.listWebhooks(null)
  expect(row?.secret).not.toContain(secret.slice('whsec_'.length))
  expect(sealOf(1).open(webhookId, row?.secret ?? '')).toBe(secret)
})

test('a webhook of another join key is off: nothing is sent, its events are dropped, and its record says so', async () => {
  const { webhook_id: webhookId } = await add()
  conditions = [silent('red')]
  await createSender({ seal: sealOf(2) }).look()
  const later = new WebhookService({
    ...sending(true),
    seal: sealOf(2),
    read: opened.store.read,
    write: opened.store.write,
    clock: () => opened.time.now,
    randomBytes,
    newId: () => crypto.randomUUID(),
  })
  expect(await later.test(webhookId)).toMatchObject({
    ok: false,
    status: null,
    error: expect.stringContaining('another join key'),
  })
  expect(received).toEqual([])
  expect(await later.list()).toMatchObject([{ fault: 'secret_unreadable', given_up: 1, waiting: 0 }])
  expect(await later.countUnreadable()).toBe(1)
  expect([(await service.list())[0]?.fault, await service.countUnreadable()]).toEqual([null, 0])
})

test('an event is dropped after eight hours', () => {
  let at = 0
  let attempts = 1
  let outcome = judge('it answered 500', attempts, at)
  while (outcome.kind === 'again') {
    at = outcome.at
    attempts += 1
    outcome = judge('it answered 500', attempts, at)
  }
  expect(outcome.kind).toBe('given_up')
  expect(at / 3_600_000).toBeCloseTo(7.7, 0)
  expect(judge(null, 1, 5)).toEqual({ kind: 'sent', at: 5 })
})

describe('a receiver that misbehaves', () => {
  test.each<[string, () => Response, string]>([
    ['redirects', () => Response.redirect('http://127.0.0.1:1/', 302), 'it answered 302, a redirect'],
    ['refuses', () => new Response('no', { status: 403 }), 'it answered 403'],
  ])('%s: nothing is followed, and the error says so', async (_name, answer, error) => {
    respond = answer
    const { webhook_id: webhookId } = await add()
    expect(await service.test(webhookId)).toMatchObject({ ok: false, error })
    expect(received).toHaveLength(1)
  })

  test('that never finishes its answer: the status is enough', async () => {
    const endless = () =>
      new ReadableStream<Uint8Array>({
        start: controller => controller.enqueue(new Uint8Array(100_000)),
        pull: () => new Promise(() => undefined),
      })
    respond = () => new Response(endless())
    const { webhook_id: webhookId } = await add()
    expect(await service.test(webhookId)).toMatchObject({ ok: true, status: 200 })
  })

  test('that never answers: a stop does not wait for it, and the event stays', async () => {
    const asked = Promise.withResolvers<void>()
    respond = () => {
      asked.resolve()
      return new Promise<Response>(() => undefined)
    }
    await add()
    conditions = [silent('red')]
    const sender = createSender()
    void sender.look()
    await asked.promise
    await sender.stop()
    expect((await service.list())[0]).toMatchObject({ waiting: 1 })
  })

  test('that does not exist', async () => {
    const { webhook_id: webhookId } = await add()
    await server.stop(true)
    expect(await service.test(webhookId)).toMatchObject({
      ok: false,
      status: null,
      error: 'it could not be reached',
    })
  })
})

describe('addresses', () => {
  const strict = () =>
    new WebhookService({
      resolve: async host => (host === 'two.example' ? ['93.184.216.34', '10.0.0.1'] : ['127.0.0.1']),
      fetch: async () => {
        throw new Error('Nothing may be sent.')
      },
      allowsPrivate: false,
      seal: sealOf(1),
      read: opened.store.read,
      write: opened.store.write,
      clock: () => opened.time.now,
      randomBytes: size => Buffer.alloc(size, 7),
      newId: () => crypto.randomUUID(),
    })

  test.each([
    'http://hooks.example/',
    'ftp://hooks.example/',
    'https://me:pw@hooks.example/',
    'https://hooks.example:8443/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://[::1]/',
    'https://169.254.169.254/latest',
    'https://localhost/',
    'https://a.localhost/',
    'hooks.example',
  ])('%s is refused', async url => {
    expect(await refusalOf(() => strict().add({ url }, 'ada'))).toEqual(invalid('url'))
  })

  test.each(['https://one.example/', 'https://two.example/'])(
    '%s leads to the internal network: nothing is sent',
    async url => {
      const { webhook_id: webhookId } = await strict().add({ url }, 'ada')
      expect(await strict().test(webhookId)).toMatchObject({ ok: false, error: 'it has no public address' })
    },
  )

  test('a webhook from when private addresses were allowed is no longer called', async () => {
    await add()
    conditions = [silent('red')]
    await createSender({ allowsPrivate: false }).look()
    expect(received).toEqual([])
    expect((await service.list())[0]).toMatchObject({ waiting: 1 })
  })
})

test('the database is away: webhooks are notified from memory, once', async () => {
  await add({ events: ['ledger_retrying'] })
  const sender = createSender()
  await sender.look()
  conditions = [{ ...silent('x'), id: 'ledger_retrying', kind: 'ledger_retrying', text: 'Charges wait.' }]
  opened.breakWrite('noteConditions')
  await sender.look()
  opened.time.now += 40_000
  await sender.look()
  expect(bodies().map(({ event }) => event)).toEqual(['ledger_retrying'])
  expect(failures).toHaveLength(2)
})

test('a receiver that is away for long does not fill the disk', async () => {
  await add()
  respond = () => new Response(null, { status: 500 })
  const occurrences = Array.from({ length: 1005 }, (_, index) => ({
    conditionId: `c${index}`,
    kind: 'recorder_silent',
    isOnce: false,
    ended: null,
    event: '{}',
  }))
  const { now } = opened.time
  expect(await opened.store.write.noteConditions({ occurrences, now, goneBefore: 0 })).toBe(5)
  expect((await service.list())[0]).toMatchObject({ waiting: 1000 })
})

describe('phases', () => {
  const phases = [
    { name: 'practice', from: '2026-11-21T11:00:00Z', until: '2026-11-21T13:00:00Z' },
    { name: 'contest', from: '2026-11-21T13:00:00Z', until: '2026-11-21T14:00:00Z' },
  ]

  test('each start is sent once, also the end of the last phase and a pause', async () => {
    await add({ events: ['phase_changed'] })
    await opened.directory.setEvent({ name: 'AI Cup', time_zone: 'Asia/Seoul' }, 'ada')
    await opened.directory.setPhases({ phases }, 'ada')
    const look = async () => {
      await createSender().look()
      opened.time.now += 200_000
      await createSender().look()
    }
    await look()
    opened.time.now = Date.parse('2026-11-21T13:00:00Z')
    await look()
    await opened.directory.pauseEvent({ reason: 'fire alarm' }, 'ada')
    await look()
    await opened.directory.resumeEvent({}, 'ada')
    await look()
    opened.time.now = Date.parse('2026-11-21T14:00:00Z')
    await look()
    expect(bodies().map(({ text }) => text)).toEqual([
      'AI Cup: the phase practice has begun; the gateway is open, until 2026-11-21T22:00 (Asia/Seoul).',
      'AI Cup: the phase contest has begun; the gateway is open, until 2026-11-21T23:00 (Asia/Seoul).',
      'AI Cup: paid calls are paused: fire alarm',
      'AI Cup: no phase is active; the gateway is closed.',
    ])
  })
})

test.each([
  ['slack', 'text', '[warning] &lt;!channel&gt; &amp; \\u{202e} is silent.'],
  ['discord', 'content', '[warning] <!channel> & \\u{202e} is silent.'],
] as const)('%s: a team name neither pings nor hides anything', async (kind, member, text) => {
  await add({ kind })
  conditions = [silent('<!channel> & \u202e')]
  await createSender().look()
  const [message] = received.map(({ body }) => JSON.parse(body))
  expect(message[member]).toBe(text)
  if (kind === 'discord') expect(message.allowed_mentions).toEqual({ parse: [] })
})

test('both changes are audited, and neither the audit nor the list shows the path or the secret', async () => {
  const { webhook_id: webhookId, secret } = await add({ reason: 'chat' }, '/services/T000/B000/very-secret')
  await service.remove(webhookId, { reason: 'over' }, 'ada')
  const rows = (await opened.readAudit()).filter(({ action }) => action.startsWith('webhook.'))
  expect(rows.map(({ action, reason, actor }) => [action, reason, actor])).toEqual([
    ['webhook.add', 'chat', 'ada'],
    ['webhook.remove', 'over', 'ada'],
  ])
  expect(JSON.stringify(rows)).not.toMatch(new RegExp(`${secret}|very-|T000`))
  expect(await refusalOf(() => service.remove(webhookId, {}, 'ada'))).toEqual({
    code: 'webhook_not_found',
    param: 'webhook_id',
  })
})
