// Idempotency-Key on the pass-through: whole replies, streams and videos replayed byte for byte, charged once, refused in the vendor's format.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createPassThroughCaller, say } from './testing/pass-through-caller.ts'
import { type Fairgate, startFairgate } from './testing/start-fairgate.ts'
import { readCharges } from './testing/stored-rows.ts'

let fairgate: Fairgate
beforeAll(async () => {
  fairgate = await startFairgate()
})
afterAll(() => fairgate.stop())

const once = { headers: { 'idempotency-key': 'once' } }
const flash = 'models/mm-2.5-flash'

test.each([
  ['a whole reply', `${flash}:generateContent`, say('Hello')],
  ['events', `${flash}:streamGenerateContent?alt=sse`, say('Hello [[sandbox: chunks=4]]')],
  ['an array', `${flash}:streamGenerateContent`, say('Hello [[sandbox: chunks=4]]')],
  ['vectors', 'models/mm-embedding-001:embedContent', { content: { parts: [{ text: 'Hello' }] } }],
  ['images', 'models/imggen-4:predict', { instances: [{ prompt: 'A cat' }] }],
  ['a video', 'models/video-3.0-generate-001:predictLongRunning', { instances: [{ prompt: 'Waves' }] }],
])('%s: the same bytes again, one charge', async (name, path, body) => {
  const teamId = name.replaceAll(' ', '-')
  const { call } = createPassThroughCaller(fairgate, await fairgate.manage.team(teamId))
  const first = await call(path, body, once)
  expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([200, null])
  const again = await call(path, body, once)
  expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([
    200,
    first.text,
    'true',
  ])
  expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'))
  expect(await readCharges(fairgate.place, teamId)).toHaveLength(1)
})

test("the key of another body, model, method or form is refused in the vendor's format", async () => {
  const { call } = createPassThroughCaller(fairgate, await fairgate.manage.team('others'))
  await call(`${flash}:generateContent`, say('Hello'), once)
  for (const [path, body] of [
    [`${flash}:generateContent`, say('Hello!')],
    ['models/mm-2.5-flash-lite:generateContent', say('Hello')],
    [`${flash}:streamGenerateContent`, say('Hello')],
    [`${flash}:generateContent?alt=json`, say('Hello')],
  ] as const) {
    const reply = await call(path, body, once)
    expect([reply.status, reply.reason]).toEqual([422, 'idempotency_conflict'])
  }
  expect(await readCharges(fairgate.place, 'others')).toHaveLength(1)
})

test('refusals are not stored', async () => {
  const { call } = createPassThroughCaller(fairgate, await fairgate.manage.team('refused'))
  expect((await call(`${flash}:generateContent`, say('x [[sandbox: error=400]]'), once)).status).toBe(400)
  expect((await call(`${flash}:generateContent`, say('Hello'), once)).status).toBe(200)
})
