// The work of a gateway written as flat as possible, for `npm run bench:cpu`: the work of bare.ts, plus the bearer key looked up by its
// SHA-256, a request and a token window of 60 s, a budget hold, a charge on disk before the answer (SQLite, one commit for all calls
// that wait), a line in the access log and metrics. It is not a gateway: it checks no body, survives no fault of the upstream or the
// disk, has one team, one model and one endpoint, and must never become one. It shows the cost of these duties without a structure.
//
// Usage: bun bench/lib/lean.ts <port> <url of the upstream> <folder for the database> <key>
import { Database } from 'bun:sqlite'
import { writeSync } from 'node:fs'
import { join } from 'node:path'

declare const self: Worker

/** Call, owner, model, cost, units, and the times of admission and settlement. */
type Charge = [string, string, string, number, string, number, number]

const [port, upstreamUrl, folder = '.', secret = ''] = process.argv.slice(2)

if (Bun.isMainThread) serve()
else writeCharges()

/** Commits each batch in one transaction. A batch is one string: a string is copied to another thread at once, rows one by one. */
function writeCharges(): void {
  const database = new Database(join(folder, 'lean.db'), { create: true })
  database.run('PRAGMA journal_mode = WAL')
  database.run('PRAGMA synchronous = FULL')
  database.run(
    'create table charges (call_id text primary key, owner text, model text, cost_nano integer, units text, admitted_at integer, settled_at integer) without rowid',
  )
  database.run('create table totals (owner text primary key, spent_nano integer) without rowid')
  const begin = database.prepare('begin')
  const commit = database.prepare('commit')
  // One prepared statement per row: an insert of many rows and `json_each` cost a third to a half more.
  const insert = database.prepare('insert into charges values (?, ?, ?, ?, ?, ?, ?) on conflict do nothing')
  const move = database.prepare(
    'insert into totals values (?, ?) on conflict do update set spent_nano = spent_nano + excluded.spent_nano',
  )
  self.onmessage = ({ data }: MessageEvent<string>) => {
    begin.run()
    let spent = 0
    let owner = ''
    for (const row of JSON.parse(data) as Charge[]) {
      insert.run(...row)
      owner = row[1]
      spent += row[3]
    }
    move.run(owner, spent)
    commit.run()
    self.postMessage(null)
  }
}

function serve(): void {
  type ChatCall = {
    readonly model: string
    readonly max_tokens: number
    readonly messages: readonly { readonly role: string; readonly content: string }[]
  }
  type VendorReply = {
    readonly candidates: readonly {
      readonly content: { readonly parts: readonly { readonly text: string }[] }
    }[]
    readonly usageMetadata: {
      readonly promptTokenCount: number
      readonly candidatesTokenCount: number
      readonly totalTokenCount: number
    }
  }

  const sha256 = (text: string) => Bun.SHA256.hash(text, 'hex')
  const team = {
    id: 'bench',
    budgetNano: 1e15,
    spentNano: 0,
    heldNano: 0,
    requestLimit: 1e8,
    tokenLimit: 1e11,
    windowSecond: 0,
    requests: 0,
    tokens: 0,
    requestsBySecond: new Float64Array(60),
    tokensBySecond: new Float64Array(60),
  }
  const teams = new Map([[sha256(secret), team]])
  const inputPrice = 300
  const outputPrice = 2500

  /** Forgets the seconds that have left the window. */
  const moveWindow = (second: number) => {
    for (let passed = Math.max(team.windowSecond, second - 60); passed < second; passed += 1) {
      const slot = (passed + 1) % 60
      team.requests -= team.requestsBySecond[slot] ?? 0
      team.tokens -= team.tokensBySecond[slot] ?? 0
      team.requestsBySecond[slot] = 0
      team.tokensBySecond[slot] = 0
    }
    team.windowSecond = second
  }
  const count = (second: number, requests: number, tokens: number) => {
    const slot = second % 60
    team.requests += requests
    team.tokens += tokens
    team.requestsBySecond[slot] = (team.requestsBySecond[slot] ?? 0) + requests
    team.tokensBySecond[slot] = (team.tokensBySecond[slot] ?? 0) + tokens
  }

  const writer = new Worker(import.meta.url, { name: 'writer', argv: process.argv.slice(2) })
  let waiting: (() => void)[] = []
  let rows: string[] = []
  let committing: (() => void)[] = []
  let isCommitting = false
  const commit = () => {
    committing = waiting
    waiting = []
    const batch = `[${rows.join(',')}]`
    rows = []
    writer.postMessage(batch)
  }
  writer.onmessage = () => {
    for (const resolve of committing) resolve()
    isCommitting = waiting.length > 0
    // Gives the next calls of just-answered clients time to join the same commit.
    if (isCommitting) setImmediate(commit)
  }
  const charge = (row: string) =>
    new Promise<void>(resolve => {
      waiting.push(resolve)
      rows.push(row)
      if (isCommitting) return
      isCommitting = true
      commit()
    })

  let log = ''
  const flushLog = () => {
    if (log !== '') writeSync(1, log)
    log = ''
  }
  setInterval(flushLog, 100)

  const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
  const durations = new Float64Array(bounds.length + 1)
  const metrics = { calls: 0, refused: 0, costNano: 0, inputTokens: 0, outputTokens: 0 }
  const showMetrics = () =>
    [...Object.entries(metrics), ...[...durations].map((value, index) => [`le_${bounds[index]}`, value])]
      .map(([name, value]) => `lean_${name} ${value}\n`)
      .join('')

  const address = `${upstreamUrl}/v1beta/models/gemini-2.5-flash:generateContent`
  const upstreamHeaders = { 'content-type': 'application/json', 'x-goog-api-key': 'bench-key' }
  const refuse = (status: number, code: string) => {
    metrics.refused += 1
    return Response.json({ error: { code } }, { status })
  }

  Bun.serve({
    hostname: '127.0.0.1',
    port: Number(port),
    fetch: async request => {
      if (request.method !== 'POST') return new Response(showMetrics())
      const began = performance.now()
      const owner = teams.get(sha256(request.headers.get('authorization')?.slice(7) ?? ''))
      if (owner === undefined) return refuse(401, 'invalid_api_key')
      const text = await request.text()
      const { model, max_tokens, messages } = JSON.parse(text) as ChatCall

      const now = Date.now()
      const second = Math.floor(now / 1000)
      moveWindow(second)
      const reserved = text.length + max_tokens
      const hold = text.length * inputPrice + max_tokens * outputPrice
      if (owner.requests >= owner.requestLimit) return refuse(429, 'rpm_exceeded')
      if (owner.tokens + reserved > owner.tokenLimit) return refuse(429, 'tpm_exceeded')
      if (owner.spentNano + owner.heldNano + hold > owner.budgetNano) return refuse(429, 'budget_exceeded')
      owner.heldNano += hold
      count(second, 1, reserved)

      const reply = await fetch(address, {
        method: 'POST',
        headers: upstreamHeaders,
        body: JSON.stringify({
          contents: messages.map(({ role, content }) => ({ role, parts: [{ text: content }] })),
          generationConfig: { maxOutputTokens: max_tokens },
        }),
      })
      const { candidates, usageMetadata: usage } = (await reply.json()) as VendorReply

      const id = Bun.randomUUIDv7()
      const cost = usage.promptTokenCount * inputPrice + usage.candidatesTokenCount * outputPrice
      const units = `{\\"input_tokens\\":${usage.promptTokenCount},\\"output_tokens\\":${usage.candidatesTokenCount}}`
      await charge(`["${id}","${owner.id}","gemini-2.5-flash",${cost},"${units}",${now},${Date.now()}]`)
      owner.heldNano -= hold
      owner.spentNano += cost
      count(second, 0, usage.totalTokenCount - reserved)

      const milliseconds = performance.now() - began
      metrics.calls += 1
      metrics.costNano += cost
      metrics.inputTokens += usage.promptTokenCount
      metrics.outputTokens += usage.candidatesTokenCount
      let bucket = 0
      while (bucket < bounds.length && (bounds[bucket] ?? 0) * 1000 < milliseconds) bucket += 1
      durations[bucket] = (durations[bucket] ?? 0) + 1
      log += `{"level":30,"time":${now},"call_id":"${id}","team_id":"${owner.id}","status":200,"duration_ms":${milliseconds.toFixed(1)},"cost_nano":${cost}}\n`
      if (log.length > 16_384) flushLog()
      return Response.json(
        {
          id: `chatcmpl-${id}`,
          object: 'chat.completion',
          created: Math.floor(now / 1000),
          model,
          choices: candidates.map(({ content }, index) => ({
            index,
            message: {
              role: 'assistant',
              content: content.parts.map(part => part.text).join(''),
              refusal: null,
            },
            logprobs: null,
            finish_reason: 'stop',
          })),
          usage: {
            prompt_tokens: usage.promptTokenCount,
            completion_tokens: usage.candidatesTokenCount,
            total_tokens: usage.totalTokenCount,
          },
        },
        {
          headers: {
            'x-gateway-call-id': id,
            'x-gateway-response-cost': String(cost / 1e9),
            'x-ratelimit-remaining-requests': String(owner.requestLimit - owner.requests),
            'x-ratelimit-remaining-tokens': String(owner.tokenLimit - owner.tokens),
          },
        },
      )
    },
  })
}
