// Checks the hostile vendor against its own table: faults are played for their families, and everything else gets the sandbox's own answer.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { faultGroups, faults } from './fault-table.ts'
import { type HostileVendor, startHostileVendor } from './start-hostile-vendor.ts'

let vendor: HostileVendor
beforeAll(async () => {
  vendor = await startHostileVendor({ port: 0, keys: ['right'] })
})
afterAll(() => vendor.stop())

const headers = { 'x-goog-api-key': 'right', 'content-type': 'application/json' }
const ask = (verb: string, text: string, base = vendor.url) =>
  fetch(`${base}/v1beta/models/gemini-2.5-flash:${verb}`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ contents: [{ parts: [{ text }] }] }),
  })
const lastCall = () => vendor.log().calls.at(-1)

test('the table has well over a hundred faults, each with a description and a family', () => {
  const kinds = Object.values(faults)
  expect(kinds.length).toBeGreaterThanOrEqual(120)
  const inGroups = Object.values(faultGroups).reduce((sum, group) => sum + Object.keys(group).length, 0)
  expect(inGroups).toBe(kinds.length)
  expect(kinds.filter(({ does, bites }) => does === '' || bites.length === 0)).toEqual([])
  expect(Object.keys(faults).filter(name => !/^[a-z0-9-]+$/.test(name))).toEqual([])
})

test.each(['generateContent', 'streamGenerateContent?alt=sse', 'streamGenerateContent'])(
  'without a fault, %s gets the sandbox answer and is logged with its usage',
  async verb => {
    const text = `Hello [[sandbox: mark=quiet-${verb.length}]]`
    const reply = await (await ask(verb, text)).text()
    expect(reply).toContain('"finishReason":"STOP"')
    expect(lastCall()).toMatchObject({
      mark: `quiet-${verb.length}`,
      fault: null,
      status: 200,
      isWhole: true,
    })
    const { promptTokens, candidatesTokens } = vendor.counters().billed['gemini-2.5-flash'] ?? {}
    const logged = vendor.log().calls.map(({ usage }) => usage)
    expect(logged.reduce((sum, usage) => sum + (usage?.prompt ?? 0), 0)).toBe(promptTokens ?? -1)
    expect(logged.reduce((sum, usage) => sum + (usage?.output ?? 0), 0)).toBe(candidatesTokens ?? -1)
  },
)

test('a fault is selected in the prompt, in the header, as a word, or for all calls', async () => {
  const inPrompt = await ask('generateContent', 'x [[sandbox: fault=null-200; mark=prompt]]')
  expect(await inPrompt.text()).toBe('null')
  expect(lastCall()).toMatchObject({ mark: 'prompt', fault: 'null-200' })
  const inHeader = await fetch(`${vendor.url}/v1beta/models/gemini-2.5-flash:generateContent`, {
    method: 'POST',
    headers: { ...headers, 'x-sandbox-switches': 'fault=array-200' },
    body: JSON.stringify({ contents: [{ parts: [{ text: 'x' }] }] }),
  })
  expect(await inHeader.text()).toBe('[]')
  expect(await (await ask('generateContent', 'fault-text-200 and so on')).text()).toBe('"fine"')
  vendor.setSwitches({ fault: 'object-200' })
  expect(await (await ask('generateContent', 'x')).text()).toBe('{}')
  vendor.setSwitches({})
  expect((await ask('generateContent', 'x')).status).toBe(200)
})

test('a fault of another family leaves the reply unchanged', async () => {
  const reply = await ask('generateContent', 'x [[sandbox: fault=stream-empty]]')
  expect(await reply.json()).toMatchObject({ candidates: [{ finishReason: 'STOP' }] })
})

test('usage is distorted in each piece of a stream', async () => {
  const text = await (
    await ask('streamGenerateContent?alt=sse', 'x [[sandbox: fault=usage-billions]]')
  ).text()
  const counts = [...text.matchAll(/"candidatesTokenCount":(\d+)/g)].map(([, count]) => count)
  expect(counts.length).toBeGreaterThan(1)
  expect(new Set(counts)).toEqual(new Set(['5000000000']))
})

test('broken replies are broken on the wire', async () => {
  const outcome = async (fault: string) => {
    try {
      return (await (await ask('generateContent', `x [[sandbox: fault=${fault}]]`)).text()).length
    } catch {
      return 'broken'
    }
  }
  expect(
    await Promise.all(['resets', 'closes', 'no-http', 'length-twice', 'chunk-broken'].map(outcome)),
  ).toEqual(Array.from({ length: 5 }, () => 'broken'))
})

test('a video keeps its fault from its order to its file', async () => {
  const order = await fetch(`${vendor.url}/v1beta/models/veo-3.1-lite-generate-001:predictLongRunning`, {
    method: 'POST',
    headers,
    body: JSON.stringify({
      instances: [{ prompt: 'x [[sandbox: fault=file-redirect-loopback; videoMs=0]]' }],
    }),
  })
  const { name } = (await order.json()) as { name: string }
  const poll = await (await fetch(`${vendor.url}/v1beta/${name}`, { headers })).text()
  const file = /files\/[\w-]+:download\?alt=media/.exec(poll)?.[0]
  const download = await fetch(`${vendor.url}/v1beta/${file}`, { headers, redirect: 'manual' })
  expect(download.status).toBe(302)
  const { trapped } = vendor.log()
  await fetch(download.headers.get('location') ?? '')
  expect(vendor.log().trapped).toBe(trapped + 1)
})

test('a chunked body is read, and a caller that leaves ends an endless reply', async () => {
  const text = JSON.stringify({ contents: [{ parts: [{ text: 'x [[sandbox: fault=hangs; mark=left]]' }] }] })
  const socket = connect(Number(new URL(vendor.url).port), '127.0.0.1')
  socket.write(
    'POST /v1beta/models/gemini-2.5-flash:generateContent HTTP/1.1\r\nhost: x\r\nx-goog-api-key: right\r\ntransfer-encoding: chunked\r\n\r\n',
  )
  for (const piece of [text.slice(0, 20), text.slice(20)])
    socket.write(`${piece.length.toString(16)}\r\n${piece}\r\n`)
  socket.write('0\r\n\r\n')
  const left = () => vendor.log().calls.find(({ mark }) => mark === 'left')
  while (left() === undefined) await Bun.sleep(1)
  expect(left()?.endedAt).toBeNull()
  socket.destroy()
  while (left()?.endedAt === null) await Bun.sleep(1)
  expect(left()?.isWhole).toBe(false)
})

test('the table is available over HTTP', async () => {
  const table = (await (await fetch(`${vendor.url}/sandbox/faults`)).json()) as Record<string, object>
  expect(Object.keys(table)).toEqual(Object.keys(faults))
  expect(table['usage-negative']).toMatchObject({ does: 'negative output', endless: null })
})

test.each([false, true])('Anthropic’s form is distorted too, as a stream: %p', async stream => {
  const send = async (text: string) => {
    const reply = await fetch(`${vendor.url}/anthropic/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': 'right', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({
        model: 'claude-opus-5-5',
        max_tokens: 16,
        stream,
        messages: [{ role: 'user', content: text }],
      }),
    })
    return [reply.status, await reply.text()] as const
  }
  const [, good] = await send('x [[sandbox: mark=whole]]')
  expect(good).toContain('"stop_reason":"max_tokens"')
  expect(lastCall()).toMatchObject({ mark: 'whole', usage: { prompt: 7, output: 16 } })
  const [, written] = await send('x [[sandbox: fault=usage-cache-writes-unasked]]')
  expect(written).toContain('"cache_creation_input_tokens":50000')
  if (stream) expect(written).toStartWith('event: message_start\ndata: {')
  expect((await send('x [[sandbox: fault=overloaded-529]]'))[0]).toBe(529)
  expect((await send('x [[sandbox: fault=blocks-unknown]]'))[1]).toContain('"type":"hologram"')
})
