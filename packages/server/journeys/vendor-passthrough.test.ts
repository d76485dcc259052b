// The pass-through as its users meet it: the vendor's official client, and plain requests in the vendor's form.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ApiError, GoogleGenAI, Modality } from '@google/genai'
import { type Fairgate, startFairgate } from './testing/start-fairgate.ts'

let fairgate: Fairgate
let key: string
let client: GoogleGenAI
beforeAll(async () => {
  fairgate = await startFairgate()
  key = await fairgate.manage.team('relay', { max_budget: 1000 })
  client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: `${fairgate.gatewayUrl}/vendor` } })
})
afterAll(() => fairgate.stop())

const question = 'Say hello.'
test('a', async () => {
  const reply = await client.models.generateContent({ model: 'mm-2.5-flash', contents: question })
  expect(reply.text).toContain('hello')
  let n = 0
  for await (const piece of await client.models.generateContentStream({
    model: 'mm-2.5-flash',
    contents: question.repeat(30),
  })) {
    n += 1
    console.log(piece.text, piece.usageMetadata?.totalTokenCount)
  }
  console.log(n)
  const list = await client.models.list()
  console.log(list.page.length)
  for (const m of ['predictLongRunning', 'x', 'generateContent?fields=a']) {
    const r = await fetch(`${fairgate.gatewayUrl}/vendor/v1beta/models/mm-2.5-flash:${m}`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json', 'x-vendor-api-key': key },
    })
    console.log(r.status, await r.text())
  }
  console.log(
    (await client.models.embedContent({ model: 'mm-embedding-001', contents: ['a', 'b'] })).embeddings
      ?.length,
  )
  console.log(
    (await client.models.generateImages({ model: 'imggen-4', prompt: 'a', config: { numberOfImages: 2 } }))
      .generatedImages?.length,
  )
  console.log(await client.models.countTokens({ model: 'mm-2.5-flash', contents: 'a b c' }))
})
