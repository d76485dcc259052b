// Recorded requests of Codex with --output-schema and of Claude Code for a title: JSON by a schema, with and without functions,
// on a model that refuses the two together and on one that accepts both, each with its exact charge.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import codexRequests from '../src/gateway/endpoints/responses/__fixtures__/agent-requests.json'
import { type Fairgate, startFairgate } from './testing/start-fairgate.ts'
import { readCharges } from './testing/stored-rows.ts'

let fairgate: Fairgate
beforeAll(async () => {
  fairgate = await startFairgate()
})
afterAll(() => fairgate.stop())

const claudeFile = new URL('../src/gateway/endpoints/messages/__fixtures__/agents.jsonl', import.meta.url)
const claudeTitle = readFileSync(claudeFile, 'utf8')
  .trim()
  .split('\n')
  .map(line => JSON.parse(line) as { readonly name: string; readonly body: object })
  .find(({ name }) => name === 'claude-code-title')?.body

/** Nano-dollars per token, of config/models.yaml. */
const budgets = { model: 'mm-2.5-flash', upstream: 'gemini-2.5-flash', input: 300, output: 2500 }
const levels = { model: 'mm-3-flash-preview', upstream: 'gemini-3-flash-preview', input: 500, output: 3000 }
type Priced = typeof budgets

/** The text of the streamed answer, after its charge has been compared with what the vendor bills. */
async function ask(team: string, path: string, body: object, { upstream, input, output }: Priced) {
  const key = await fairgate.manage.team(team, { max_budget: 5 })
  const before = fairgate.sandbox.counters().billed[upstream]
  const reply = await fetch(`${fairgate.gatewayUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(reply.status).toBe(200)
  const events = (await reply.text())
    .split('\n')
    .flatMap(line => (line.startsWith('data: {') ? [JSON.parse(line.slice('data: '.length))] : []))
  const after = fairgate.sandbox.counters().billed[upstream]
  const billed = (name: 'promptTokens' | 'candidatesTokens' | 'thoughtsTokens') =>
    (after?.[name] ?? 0) - (before?.[name] ?? 0)
  const cost =
    billed('promptTokens') * input + (billed('candidatesTokens') + billed('thoughtsTokens')) * output
  expect(cost).toBeGreaterThan(0)
  expect(await readCharges(fairgate.place, team)).toMatchObject([{ cost_nano: cost, flag: null }])
  return events
}

describe("Codex's --output-schema, together with functions", () => {
  const codex = async (team: string, priced: Priced) => {
    const recorded = codexRequests['codex-output-schema']
    const finish = { role: 'user', content: 'Answer now. [[sandbox: toolCalls=0]]' }
    const body = { ...recorded, model: priced.model, input: [...recorded.input, finish] }
    const events = await ask(team, '/v1/responses', body, priced)
    return String(events.find(({ type }) => type === 'response.output_text.done')?.text)
  }

  test('is JSON if the model accepts both', async () => {
    expect(JSON.parse(await codex('codex-levels', levels))).toEqual({ ok: expect.any(Boolean) })
  })

  test('is text if the model refuses the two together', async () => {
    expect(await codex('codex-budgets', budgets)).toStartWith('You said')
  })
})

describe("Claude Code's title, without functions", () => {
  test.each([budgets, levels])('is JSON on $model', async priced => {
    const body = { ...claudeTitle, model: priced.model }
    const events = await ask(`claude-${priced.model}`, '/v1/messages', body, priced)
    const text = events.map(({ delta }) => delta?.text ?? '').join('')
    expect(JSON.parse(text)).toEqual({ title: expect.any(String) })
  })
})

test('a token count includes the schema instructions for the model', async () => {
  const key = await fairgate.manage.team('counts', {})
  const count = async (request: object) => {
    const reply = await fetch(`${fairgate.gatewayUrl}/v1/messages/count_tokens`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ model: budgets.model, messages: [{ role: 'user', content: 'Hi' }], ...request }),
    })
    return ((await reply.json()) as { readonly input_tokens: number }).input_tokens
  }
  const tools = [{ name: 'f', input_schema: { type: 'object', properties: {} } }]
  const output_config = { format: { type: 'json_schema', schema: { type: 'object' } } }
  expect(await count({ tools, output_config })).toBeGreaterThan(await count({ tools }))
})
