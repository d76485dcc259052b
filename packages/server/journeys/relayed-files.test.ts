// suite: test on sqlite and postgres; 30 s
// Files that are too large for a request: the vendor's own store gets them, once for each key, and every dialect answers about them at the
// price of the vendor's bill. Money fails closed: a call holds the model's whole context before anything is uploaded.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { findTestPostgres } from '../src/store/testing/create-test-postgres.ts'
import { findFreePort } from './testing/find-free-port.ts'
import { createManagement } from './testing/management.ts'
import { spawnFairgate } from './testing/spawn-fairgate.ts'
import {
  adminKey,
  createSurroundings,
  type Fairgate,
  startFairgate,
  upstreamKey,
} from './testing/start-fairgate.ts'
import { readCharges, untilSwept } from './testing/stored-rows.ts'
import { twoKinds } from './testing/two-kinds.ts'

const [first, second] = ['upstream-key-number-1111', 'upstream-key-number-2222']
const model = 'mm-2.5-flash'
const given = (keys: string): Parameters<typeof startFairgate>[0] => ({
  ...twoKinds,
  settings: sandbox => {
    for (const key of keys.split(',')) sandbox.setKey(key, 'valid')
    return `upstreams: { claude: { kind: anthropic, base_url: '${sandbox.url}/anthropic', api_key_env: CLAUDE_KEY } }
files: { max_file_mebibytes: 200 }`
  },
  variables: { CLAUDE_KEY: upstreamKey, VENDOR_API_KEY: keys },
})
const mebibyte = 1024 * 1024

const pdf = buildFile('%PDF-1.4\n<< /Type /Pages /Kids [1 0 R 2 0 R 3 0 R] >>\n')
const video = buildFile('\0\0\0\u0018ftypmp42')

/** Not a multiple of the vendor's pieces. */
function buildFile(start: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(60 * mebibyte + 1234).fill(0x2e)
  bytes.set(Buffer.from(start, 'latin1'))
  return bytes
}

let fairgate: Fairgate
let now = Date.now()
beforeAll(async () => {
  fairgate = await startFairgate(given(first), () => now)
})
afterEach(() => {
  fairgate.sandbox.setSwitches({})
})
afterAll(() => fairgate.stop())

let teams = 0
async function openTeam(gatewayUrl = fairgate.gatewayUrl, { manage } = fairgate, budget = 10) {
  teams += 1
  const name = `relayed-${teams}`
  const apiKey = await manage.team(name, { max_budget: budget })
  const openai = new OpenAI({ apiKey, baseURL: `${gatewayUrl}/v1`, maxRetries: 0 })
  return {
    name,
    openai,
    google: new GoogleGenAI({ apiKey, httpOptions: { baseUrl: `${gatewayUrl}/vendor` } }),
    anthropic: new Anthropic({ apiKey, baseURL: gatewayUrl, maxRetries: 0 }),
    upload: async (bytes: Uint8Array<ArrayBuffer>) =>
      (await openai.files.create({ file: new File([bytes], 'large'), purpose: 'user_data' })).id,
    chat: (file_id: string, more: object = {}, signal?: AbortSignal, keepalive = true) =>
      fetch(`${gatewayUrl}/v1/chat/completions`, {
        method: 'POST',
        keepalive,
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model,
          max_tokens: 20,
          messages: [{ role: 'user', content: [{ type: 'file', file: { file_id } }] }],
          ...more,
        }),
        ...(signal === undefined ? {} : { signal }),
      }),
  }
}

const uploads = () => fairgate.sandbox.counters().files
const heldBy = async (url: string, key: string): Promise<string[]> => {
  const reply = await fetch(`${url}/v1beta/files`, { headers: { 'x-goog-api-key': key } })
  const { files = [] } = (await reply.json()) as { files?: { name: string }[] }
  return files.map(({ name }) => name)
}
const costsOf = async (team: string) =>
  (await readCharges(fairgate.place, team)).map(({ cost_nano }) => cost_nano)

/** In nano-dollars, of all calls since the counters were reset. */
function bill(): number {
  const { promptTokens = 0, candidatesTokens = 0 } =
    fairgate.sandbox.counters().billed['gemini-2.5-flash'] ?? {}
  return promptTokens * 300 + candidatesTokens * 2500
}

describe('every dialect answers about a PDF and a video of 60 MB, whole and streamed, with one upload each', () => {
  test.each([
    ['a PDF', pdf, 3 * 258],
    ['a video', video, Math.ceil(pdf.byteLength / 125_000) * 263],
  ])(
    '%s',
    async (_, bytes, tokens) => {
      const { name, openai, google, anthropic, upload } = await openTeam()
      const id = await upload(bytes)
      const uri = `${fairgate.gatewayUrl}/vendor/v1beta/files/${id.replace('file-', '')}`
      const { mimeType = '' } = await google.files.get({ name: `files/${id.replace('file-', '')}` })
      fairgate.sandbox.resetCounters()
      const message = {
        model,
        messages: [{ role: 'user' as const, content: [{ type: 'file' as const, file: { file_id: id } }] }],
        max_tokens: 20,
      }
      const whole = await openai.chat.completions.create(message)
      expect(whole.usage?.prompt_tokens).toBe(tokens)
      for await (const __ of await openai.chat.completions.create({ ...message, stream: true }));
      const response = {
        model,
        max_output_tokens: 20,
        input: [{ role: 'user' as const, content: [{ type: 'input_file' as const, file_id: id }] }],
      }
      await openai.responses.create(response)
      for await (const __ of await openai.responses.create({ ...response, stream: true }));
      const said = {
        model,
        max_tokens: 20,
        messages: [
          {
            role: 'user' as const,
            content: [{ type: 'document' as const, source: { type: 'file' as const, file_id: id } }],
          },
        ],
      }
      await anthropic.beta.messages.create(said)
      for await (const __ of await anthropic.beta.messages.create({ ...said, stream: true }));
      const asked = {
        model,
        config: { maxOutputTokens: 20 },
        contents: [{ role: 'user', parts: [{ text: '\u00e9' }, { fileData: { fileUri: uri, mimeType } }] }],
      }
      const generated = await google.models.generateContent(asked)
      expect(generated.usageMetadata?.promptTokenCount).toBe(tokens + 1)
      for await (const __ of await google.models.generateContentStream(asked));
      const { config: ___, ...countedByVendor } = asked
      expect((await google.models.countTokens(countedByVendor)).totalTokens).toBe(tokens + 1)
      const { max_tokens: __, ...counted } = said
      expect((await anthropic.beta.messages.countTokens(counted)).input_tokens).toBe(tokens)
      expect(uploads()).toBe(1)
      const costs = await costsOf(name)
      expect(costs).toHaveLength(8)
      expect(costs.reduce((sum, cost) => sum + cost, 0)).toBe(bill())
    },
    60_000,
  )
})

test('calls at once share one upload, and files that fit together stay in the request', async () => {
  const { upload, chat } = await openTeam()
  const id = await upload(pdf)
  fairgate.sandbox.resetCounters()
  const statuses = await Promise.all([1, 2, 3].map(async () => (await chat(id)).status))
  expect([statuses, uploads()]).toEqual([[200, 200, 200], 1])
  const small = await upload(pdf.subarray(0, 10 * mebibyte))
  expect([(await chat(small)).status, uploads()]).toEqual([200, 1])
  const content = [id, small].map(file_id => ({ type: 'file', file: { file_id } }))
  const both = await chat(id, { messages: [{ role: 'user', content }] })
  expect([both.status, uploads()]).toEqual([200, 1])
  const result = [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'a', content: [{ type: 'file', file: { file_id: id } }] },
  ]
  expect((await chat(id, { messages: [{ role: 'user', content: 'Hi' }, ...result] })).status).toBe(200)
  expect(uploads()).toBe(1)
})

test('the vendor gets it again for another key, near its end there, and if it was deleted there', async () => {
  const other = await startFairgate(given(`${first},${second}`), () => now)
  const { sandbox } = other
  try {
    const { upload, chat, openai } = await openTeam(other.gatewayUrl, other)
    const id = await upload(pdf)
    const counts: number[] = []
    const ask = async () => {
      expect((await chat(id)).status).toBe(200)
      counts.push(sandbox.counters().files)
    }
    for (let call = 0; call < 4; call += 1) await ask()
    expect(counts).toEqual([1, 2, 2, 2])
    now += 46 * 3_600_000
    await ask()
    now += 2 * 3_600_000
    await ask()
    await ask()
    expect(counts.slice(4)).toEqual([2, 3, 4])
    for (const key of [first, second])
      for (const name of await heldBy(sandbox.url, key))
        await fetch(`${sandbox.url}/v1beta/${name}`, { method: 'DELETE', headers: { 'x-goog-api-key': key } })
    await ask()
    await ask()
    await ask()
    expect(counts.slice(7)).toEqual([5, 6, 6])
    // A key that is refused: the file goes to the other one.
    sandbox.setKey(first, 'revoked')
    await ask()
    await ask()
    // Deleted here, it is deleted there, as far as the key works.
    await openai.files.delete(id)
    while ((await heldBy(sandbox.url, second)).length > 0) await Bun.sleep(5)
  } finally {
    await other.stop()
  }
}, 60_000)

test('failures of the vendor’s store are its errors, and cost nothing', async () => {
  const { name, upload, chat, openai } = await openTeam()
  const id = await upload(pdf)
  const ask = async () => {
    const reply = await chat(id)
    const { error } = (await reply.json()) as { error?: { code: string } }
    return [reply.status, error?.code]
  }
  fairgate.sandbox.setSwitches({ fileError: 500 })
  expect(await ask()).toEqual([502, 'upstream_error'])
  fairgate.sandbox.setSwitches({ fileError: 400 })
  expect(await ask()).toEqual([400, 'upstream_rejected'])
  fairgate.sandbox.setSwitches({ fileError: 429 })
  expect(await ask()).toEqual([429, 'upstream_rate_limited'])
  fairgate.sandbox.setSwitches({})
  expect(await costsOf(name)).toEqual([])
  expect(await ask()).toEqual([200, undefined])
  expect((await costsOf(name)).length).toBe(1)
  await openai.files.delete(id)
  expect(await ask()).toEqual([404, 'file_not_found'])
})

test('a client that leaves during the upload ends it, is charged nothing, and leaves nothing at the vendor', async () => {
  const { name, upload, chat, google } = await openTeam()
  const id = await upload(pdf)
  const before = await heldBy(fairgate.sandbox.url, first)
  const fileUri = `${fairgate.gatewayUrl}/vendor/v1beta/files/${id.replace('file-', '')}`
  const contents = [{ role: 'user', parts: [{ fileData: { fileUri, mimeType: 'application/pdf' } }] }]
  const calls: readonly ((abortSignal: AbortSignal) => Promise<unknown>)[] = [
    signal => chat(id, { stream: true }, signal),
    signal => chat(id, {}, signal),
    abortSignal => google.models.generateContentStream({ model, contents, config: { abortSignal } }),
    abortSignal => google.models.generateContent({ model, contents, config: { abortSignal } }),
  ]
  for (const call of calls) {
    fairgate.sandbox.resetCounters()
    fairgate.sandbox.setSwitches({ fileMs: 600_000 })
    const client = new AbortController()
    const left = call(client.signal).catch(() => null)
    while (uploads() < 1) await Bun.sleep(5)
    client.abort()
    expect(await left).toBeNull()
    while ((await heldBy(fairgate.sandbox.url, first)).length > before.length) await Bun.sleep(5)
  }
  fairgate.sandbox.setSwitches({})
  expect(await costsOf(name)).toEqual([])
  expect((await chat(id)).status).toBe(200)
})

test('a client that leaves a stream after the upload is charged as for any call that may be running', async () => {
  const { name, upload, chat } = await openTeam()
  const id = await upload(pdf)
  expect((await chat(id)).status).toBe(200)
  const release = fairgate.holdUpstream()
  const client = new AbortController()
  fairgate.sandbox.setSwitches({ firstByteDelayMs: 1 })
  const left = chat(id, { stream: true }, client.signal).catch(() => null)
  while (fairgate.sandbox.counters().running < 1) await Bun.sleep(5)
  client.abort()
  expect(await left).toBeNull()
  while ((await costsOf(name)).length < 2) await Bun.sleep(5)
  release()
  expect((await costsOf(name)).every(cost => cost > 0)).toBe(true)
})

// Shown to fail by measuring a large file as an empty document (`largeFile` in gateway/conversation/measure-input.ts), and by leaving
// `fileData` out of `measurePrompt`.
test('a budget below the whole context is decided by the vendor’s count, in both forms', async () => {
  const { name, upload, chat, google } = await openTeam(fairgate.gatewayUrl, fairgate, 0.02)
  const id = await upload(video)
  fairgate.sandbox.resetCounters()
  const refused = await chat(id)
  expect([refused.status, ((await refused.json()) as { error: { code: string } }).error.code]).toEqual([
    429,
    'budget_exceeded',
  ])
  const uri = `${fairgate.gatewayUrl}/vendor/v1beta/files/${id.replace('file-', '')}`
  const contents = [{ role: 'user', parts: [{ fileData: { fileUri: uri, mimeType: 'video/mp4' } }] }]
  const answer = google.models.generateContent({ model, contents, config: { maxOutputTokens: 20 } })
  expect(
    await answer.then(
      () => 200,
      ({ status }) => status,
    ),
  ).toBe(429)
  expect(fairgate.sandbox.counters()).toMatchObject({ calls: 0, counted: 2, files: 1 })
  expect(await costsOf(name)).toEqual([])
  const document = await upload(pdf)
  expect((await chat(document)).status).toBe(200)
})

test('models without a store of files say so before anything is sent', async () => {
  const { upload, chat } = await openTeam()
  const id = await upload(pdf)
  fairgate.sandbox.resetCounters()
  const reply = await chat(id, { model: 'claude-opus' })
  expect([reply.status, await reply.json()]).toMatchObject([
    400,
    {
      error: {
        param: 'messages[0].content[0].file.file_id',
        message:
          'The files of this request have more than 15728640 bytes together. Send fewer or smaller files, or choose a model that takes larger ones.',
      },
    },
  ])
  expect(fairgate.sandbox.counters()).toMatchObject({ calls: 0, files: 0 })
})

test('kill -9 during an upload charges nothing, and the next start answers', async () => {
  const place = await createSurroundings({ settings: 'files: { max_file_mebibytes: 200 }' })
  const { sandbox, variables } = place
  const killed = await spawnFairgate({ variables })
  const manage = createManagement(killed.adminUrl, adminKey)
  const { name, upload, chat } = await openTeam(killed.gatewayUrl, { ...fairgate, manage })
  const id = await upload(pdf)
  sandbox.setSwitches({ fileMs: 600_000 })
  const cut = Promise.all([chat(id).catch(() => null), chat(id, { stream: true }).catch(() => null)])
  while (sandbox.counters().files < 1) await Bun.sleep(5)
  killed.kill('SIGKILL')
  await killed.exited
  expect(await cut).toEqual([null, null])
  sandbox.setSwitches({})
  const { FAIRGATE_GATEWAY_PORT: _, ...others } = variables
  const port = new URL(killed.gatewayUrl).port
  const restarted = await spawnFairgate({ variables: { ...others, FAIRGATE_GATEWAY_PORT: port } })
  try {
    expect((await chat(id)).status).toBe(200)
    expect(sandbox.counters()).toMatchObject({ calls: 1, files: 2 })
    await untilSwept(place)
    const costs = (await readCharges(place, name)).map(({ cost_nano }) => cost_nano)
    expect(costs.filter(cost => cost > 0)).toHaveLength(1)
  } finally {
    restarted.kill('SIGTERM')
    await restarted.exited
    await place.remove()
  }
}, 60_000)

const testOnPostgres = findTestPostgres() === null || process.platform !== 'linux' ? () => undefined : test

testOnPostgres(
  'several processes answer about the same file: each uploads it once',
  async () => {
    const port = () => String(findFreePort())
    const place = await createSurroundings({
      settings: 'files: { max_file_mebibytes: 200 }\ndrain_announce_seconds: 0',
      variables: {
        FAIRGATE_GATEWAY_PORT: port(),
        FAIRGATE_LOGBOOK_PORT: port(),
        FAIRGATE_ADMIN_PORT: port(),
      },
    })
    const { sandbox, variables } = place
    const server = await spawnFairgate({ variables, options: ['--processes', '2'], ownGroup: true })
    try {
      const manage = createManagement(server.adminUrl, adminKey)
      const { name, upload, chat } = await openTeam(server.gatewayUrl, { ...fairgate, manage })
      const id = await upload(pdf)
      for (const round of [1, 2]) {
        const calls = Array.from({ length: 5 }, async () => (await chat(id, {}, undefined, false)).status)
        expect([round, new Set(await Promise.all(calls))]).toEqual([round, new Set([200])])
      }
      expect([1, 2]).toContain(sandbox.counters().files)
      expect(await readCharges(place, name)).toHaveLength(10)
    } finally {
      process.kill(-server.pid, 'SIGTERM')
      await server.exited
      await place.remove()
    }
  },
  60_000,
)
