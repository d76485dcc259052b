// suite: 12 s
// Clients that do not read their answer: they are cut off and charged for what was produced, and nothing of theirs stays.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connectRaw, statusesIn, writeHead } from './testing/raw-connection.ts'
import { type Fairgate, startFairgate } from './testing/start-fairgate.ts'
import { readCharges } from './testing/stored-rows.ts'

let fairgate: Fairgate
beforeAll(async () => {
  fairgate = await startFairgate({ settings: 'limits: { stalled_client_seconds: 1 }' })
})
afterAll(() => fairgate.stop())

// About 6 MB: more than the buffers of both ends of a connection.
const long = '[[sandbox: chunks=24000; outputTokens=24000]]'
const chat = {
  path: '/v1/chat/completions',
  content: {
    model: 'mm-2.5-flash',
    stream: true,
    max_tokens: 65_000,
    messages: [{ role: 'user', content: long }],
  },
}
const generate = {
  path: '/vendor/v1beta/models/mm-2.5-flash:streamGenerateContent?alt=sse',
  content: {
    contents: [{ role: 'user', parts: [{ text: long }] }],
    generationConfig: { maxOutputTokens: 65_000 },
  },
}

type Request = { readonly path: string; readonly content: object }

/** Sends a request and never reads. */
async function askDeaf(team: string, { path, content }: Request, ...lines: string[]) {
  const key = await fairgate.manage.team(team, { max_budget: 10 })
  const connection = connectRaw(fairgate.gatewayUrl)
  connection.socket.pause()
  const body = JSON.stringify(content)
  const credential = [`x-vendor-api-key: ${key}`, 'Content-Type: application/json']
  const head = [...credential, `Content-Length: ${body.length}`, ...lines]
  connection.socket.write(writeHead({ method: 'POST', path, secret: key }, ...head) + body)
  return { ...connection, key }
}

async function scrape(): Promise<string> {
  return await (await fetch(`${fairgate.adminUrl}/metrics`)).text()
}

async function countStalled(): Promise<number> {
  return Number(/^fairgate_streams_cut_total\{reason="stalled"\} (\d+)$/m.exec(await scrape())?.[1] ?? 0)
}

/** Resolves with the team's charge once there is one; a hold that stays makes the test time out. */
async function chargeOf(team: string) {
  for (;;) {
    const [charge] = await readCharges(fairgate.place, team)
    if (charge !== undefined) return charge
    await Bun.sleep(20)
  }
}

// Each shown to fail on the build before: hold, slot and connection stayed as long as the client did. They wait for the same timeout.
test.concurrent.each([
  ['chat', chat],
  ['pass-through', generate],
] as const)(
  'a stream that the client does not read ends on both sides: %s',
  async (team, request) => {
    const { socket, closed } = await askDeaf(team, request)
    expect((await chargeOf(team)).outcome).toBe('client_closed')
    const { team_info } = await fairgate.manage.teamInfo(team)
    expect([team_info.held, team_info.spend > 0]).toEqual([0, true])
    // Data in flight arrives, then the connection ends: never the end of the answer.
    socket.resume()
    const received = await closed
    expect([received.includes('[DONE]'), received.endsWith('\r\n0\r\n\r\n')]).toEqual([false, false])
  },
  300_000,
)

test.concurrent('with an Idempotency-Key the answer is completed and stored, and the client is disconnected', async () => {
  const { socket, closed, key } = await askDeaf('kept', chat, 'Idempotency-Key: deaf')
  expect((await chargeOf('kept')).outcome).toBe('completed')
  // All three of this file.
  while ((await countStalled()) < 3) await Bun.sleep(20)
  socket.resume()
  expect((await closed).includes('[DONE]')).toBe(false)
  const again = await fetch(`${fairgate.gatewayUrl}${chat.path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': 'deaf',
    },
    body: JSON.stringify(chat.content),
  })
  expect((await again.text()).includes('[DONE]')).toBe(true)
  expect(await readCharges(fairgate.place, 'kept')).toHaveLength(1)
}, 300_000)

test.concurrent('a connection stays open after an answer and is closed when idle', async () => {
  const whole = { ...chat, content: { ...chat.content, stream: false, max_tokens: 16 } }
  const { socket, closed, until } = await askDeaf('idle', whole)
  socket.resume()
  await until('"chat.completion"')
  // Shown to fail on the build before: the idle timeout, lifted for the call, was never set again.
  expect(statusesIn(await closed)).toEqual([200])
}, 300_000)

test('nothing remains of any of them', async () => {
  for (;;) {
    const figures = await scrape()
    const isFree = /^fairgate_holds 0$/m.test(figures) && /^fairgate_running_slots 0$/m.test(figures)
    if (isFree && fairgate.sandbox.counters().running === 0) return
    await Bun.sleep(20)
  }
}, 300_000)
