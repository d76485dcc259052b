// suite: 10 s
// Official SDKs in a page of another origin. Only this file notices a reply that curl can read and a browser cannot.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Anthropic } from '@anthropic-ai/sdk'
import type { GoogleGenAI } from '@google/genai'
import type { OpenAI } from 'openai'
import type { Page } from 'puppeteer-core'
import { type Fairgate, startFairgate } from '../testing/start-fairgate.ts'
import { findChromium } from './testing/find-chromium.ts'
import { openBrowser, type TestBrowser } from './testing/open-browser.ts'

const clients = { openai: 'openai', anthropic: '@anthropic-ai/sdk', genai: '@google/genai/web' }

/** A page of its own origin that holds the SDKs, as a bundler makes them for browsers. */
async function serveClients() {
  const built = await Promise.all(
    Object.entries(clients).map(async ([name, specifier]) => {
      const entrypoints = [Bun.fileURLToPath(import.meta.resolve(specifier))]
      const { outputs } = await Bun.build({ entrypoints, target: 'browser', format: 'esm' })
      return { path: `/${name}.js`, script: await outputs[0]?.text() }
    }),
  )
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) => {
      const script = built.find(({ path }) => path === new URL(url).pathname)?.script
      if (script !== undefined)
        return new Response(script, { headers: { 'content-type': 'text/javascript' } })
      return new Response('<!doctype html><link rel="icon" href="data:,"><title>A page</title>', {
        headers: { 'content-type': 'text/html' },
      })
    },
  })
}

describe.skipIf(findChromium() === null)('in a page of another origin', () => {
  let fairgate: Fairgate
  let browser: TestBrowser
  let server: Awaited<ReturnType<typeof serveClients>>
  let page: Page
  let given: { readonly url: string; readonly apiKey: string; readonly wrongKey: string }
  beforeAll(async () => {
    fairgate = await startFairgate()
    browser = await openBrowser()
    server = await serveClients()
    given = {
      url: fairgate.gatewayUrl,
      apiKey: await fairgate.manage.team('web', { max_budget: 10 }),
      wrongKey: 'sk-nobody',
    }
    ;({ page } = await browser.open())
    await page.goto(`http://127.0.0.1:${server.port}/`)
  })
  afterAll(async () => {
    await browser.close()
    await server.stop(true)
    await fairgate.stop()
  })

  test('the OpenAI SDK calls, streams, reads the cost and gets our errors', async () => {
    const seen = await page.evaluate(async ({ url, apiKey, wrongKey }) => {
      const path = '/openai.js'
      const sdk = (await import(path)) as { readonly default: typeof OpenAI }
      const Client = sdk.default
      const options = { baseURL: `${url}/v1`, dangerouslyAllowBrowser: true, maxRetries: 0 }
      const client = new Client({ ...options, apiKey })
      const asked = {
        model: 'mm-2.5-flash',
        max_tokens: 64,
        messages: [{ role: 'user' as const, content: 'Hello' }],
      }
      const { data, response } = await client.chat.completions.create(asked).withResponse()
      let streamed = ''
      for await (const { choices } of await client.chat.completions.create({ ...asked, stream: true }))
        streamed += choices[0]?.delta.content ?? ''
      const wrong = new Client({ ...options, apiKey: wrongKey })
      const refusal: unknown = await wrong.chat.completions.create(asked).catch((error: unknown) => error)
      return {
        whole: data.choices[0]?.message.content,
        streamed,
        cost: response.headers.get('x-gateway-response-cost'),
        rest: response.headers.get('x-gateway-call-id'),
        refusal: refusal instanceof Client.APIError ? [refusal.status, refusal.code] : String(refusal),
      }
    }, given)
    expect(seen.whole).toContain('Hello')
    expect(seen.streamed).toBe(seen.whole ?? '')
    expect(Number(seen.cost)).toBeGreaterThan(0)
    expect(seen.rest).not.toBeNull()
    expect(seen.refusal).toEqual([401, 'invalid_api_key'])
  })

  test("Anthropic's and the vendor's SDKs call too", async () => {
    const seen = await page.evaluate(async ({ url, apiKey }) => {
      const [anthropicPath, genaiPath] = ['/anthropic.js', '/genai.js']
      const anthropic = (await import(anthropicPath)) as { readonly default: typeof Anthropic }
      const messages = new anthropic.default({ baseURL: url, apiKey, dangerouslyAllowBrowser: true })
      const { content } = await messages.messages.create({
        model: 'mm-2.5-flash',
        max_tokens: 64,
        messages: [{ role: 'user', content: 'Hello' }],
      })
      const genai = (await import(genaiPath)) as { readonly GoogleGenAI: typeof GoogleGenAI }
      const vendor = new genai.GoogleGenAI({ apiKey, httpOptions: { baseUrl: `${url}/vendor` } })
      const reply = await vendor.models.generateContent({ model: 'mm-2.5-flash', contents: 'Hello' })
      return [JSON.stringify(content), reply.text]
    }, given)
    for (const text of seen) expect(text).toContain('Hello')
  })
})
