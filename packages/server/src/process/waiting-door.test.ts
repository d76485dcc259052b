// A waiting door: which requests wait, which are refused, and that no request of a departed client is let in.
import { expect, test } from 'bun:test'
import type { Door } from './listen.ts'
import { createWaitingDoor } from './waiting-door.ts'

const server = { timeout: () => undefined } as unknown as Bun.Server<undefined>
const request = (path: string, signal?: AbortSignal) =>
  new Request(`http://gateway.example${path}`, {
    method: 'POST',
    ...(signal === undefined ? {} : { signal }),
  })

function createTrueDoor(): Door & { readonly seen: string[] } {
  const seen: string[] = []
  const note = (kind: string) => (asked: Request) => {
    seen.push(`${kind} ${new URL(asked.url).pathname}`)
    return new Response('true')
  }
  const answerUnsent = () => new Response('unsent')
  return { seen, fetch: note('fetch'), refuseMethod: note('refuse'), answerUnsent }
}

test('health is answered at once; requests wait for the real door, and those of clients that left never reach it', async () => {
  const waiting = createWaitingDoor('gateway')
  expect((await waiting.fetch(request('/health/live'), server)).status).toBe(200)
  for (const path of ['/health/ready', '/health/open'])
    expect((await waiting.fetch(request(path), server)).status).toBe(503)
  const leaving = new AbortController()
  const left = waiting.fetch(request('/left', leaving.signal), server)
  const kept = waiting.fetch(request('/kept'), server)
  const odd = waiting.refuseMethod(request('/odd'), server)
  leaving.abort()
  const door = createTrueDoor()
  waiting.open(door)
  expect((await left).status).toBe(499)
  expect(await (await kept).text()).toBe('true')
  await odd
  await waiting.fetch(request('/later'), server)
  expect(door.seen.sort()).toEqual(['fetch /kept', 'fetch /later', 'refuse /odd'])
})

test('1,024 requests wait; the next gets a retry reply', async () => {
  const waiting = createWaitingDoor('gateway')
  const kept = Array.from({ length: 1024 }, () => waiting.fetch(request('/kept'), server))
  const refused = await waiting.fetch(request('/refused'), server)
  expect([refused.status, ((await refused.json()) as { error: { code: string } }).error.code]).toEqual([
    503,
    'unavailable',
  ])
  waiting.open(createTrueDoor())
  for (const answer of await Promise.all(kept)) expect(answer.status).toBe(200)
})
