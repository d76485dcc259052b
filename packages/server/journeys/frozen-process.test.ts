// suite: 10 s
// A process that was frozen (a suspended machine, SIGSTOP) and resumes after its time limits: what arrived meanwhile is served.
//
// Shown to fail before the fix, when the deadline fired first: 504 `upstream_timeout`, and the answer was discarded.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { writePieces } from '@fairgate/sandbox/hostile/endless-bodies.ts'
import { startScriptedUpstream } from '@fairgate/sandbox/hostile/start-scripted-upstream.ts'
import { createManagement } from './testing/management.ts'
import { type SpawnedFairgate, spawnFairgate } from './testing/spawn-fairgate.ts'
import { adminKey, createSurroundings, type Surroundings } from './testing/start-fairgate.ts'
import { readCharges } from './testing/stored-rows.ts'

const hostile = startScriptedUpstream()
let place: Surroundings
let server: SpawnedFairgate
let key: string
beforeAll(async () => {
  place = await createSurroundings({
    settings: 'upstream: { timeout_seconds: 2, max_retries: 0 }',
    variables: { VENDOR_BASE_URL: hostile.url },
  })
  server = await spawnFairgate({ variables: place.variables })
  key = await createManagement(server.adminUrl, adminKey).team('frozen')
})
afterAll(async () => {
  process.kill(server.pid, 'SIGCONT')
  server.kill('SIGTERM')
  await server.exited
  await place.remove()
  await hostile.stop()
})

/** Longer than the time limit, which must pass unnoticed. */
const frozenMs = 2600

const answer = JSON.stringify({
  candidates: [
    { content: { role: 'model', parts: [{ text: 'Hello again' }] }, index: 0, finishReason: 'STOP' },
  ],
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
})

/** Freezes the server from when the upstream has the call until long after its answer and the time limit. */
async function callFrozen(body: object, text: string, contentType: string): Promise<string> {
  const arrived = Promise.withResolvers<void>()
  const frozen = Promise.withResolvers<void>()
  hostile.answerWith(() => {
    arrived.resolve()
    const pieces = (async function* () {
      await frozen.promise
      yield text
    })()
    return writePieces(pieces, { headers: { 'content-type': contentType } })
  })
  const reply = fetch(`${server.gatewayUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'mm-2.5-flash',
      messages: [{ role: 'user', content: 'Hello' }],
      ...body,
    }),
  }).then(async response => `${response.status} ${await response.text()}`)
  await arrived.promise
  process.kill(server.pid, 'SIGSTOP')
  frozen.resolve()
  await Bun.sleep(frozenMs)
  process.kill(server.pid, 'SIGCONT')
  return reply
}

test('a whole answer and a stream that arrived meanwhile are served and charged exactly', async () => {
  const whole = await callFrozen({}, answer, 'application/json')
  expect(whole).toStartWith('200 ')
  expect(whole).toContain('Hello again')
  const streamed = await callFrozen({ stream: true }, `data: ${answer}\n\n`, 'text/event-stream')
  expect(streamed).toContain('Hello again')
  expect(streamed).toEndWith('data: [DONE]\n\n')
  expect(await readCharges(place, 'frozen')).toMatchObject([
    { outcome: 'completed', cost_nano: 5900, flag: null },
    { outcome: 'completed', cost_nano: 5900, flag: null },
  ])
})
