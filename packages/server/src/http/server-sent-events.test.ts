// Streams: what is sent, and that every way out ends the generator and is known.
import { expect, test } from 'bun:test'
import { serverSentEventsResponse, streamOf } from './server-sent-events.ts'

function watchedEvents(texts: readonly string[], failure?: Error) {
  const seen = { closed: false }
  const events = (async function* () {
    try {
      yield* texts
      if (failure !== undefined) throw failure
    } finally {
      seen.closed = true
    }
  })()
  return { seen, events }
}

test('events are sent as they are, with the headers of a stream and the given ones', async () => {
  let cancelled = false
  const { seen, events } = watchedEvents(['data: å\n\n', 'data: [DONE]\n\n'])
  const response = serverSentEventsResponse(events, {
    headers: { 'x-gateway-output-cap': '256' },
    onCancel: () => {
      cancelled = true
    },
  })
  expect(Object.fromEntries(response.headers)).toEqual({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
    'x-gateway-output-cap': '256',
  })
  expect(await response.text()).toBe('data: å\n\ndata: [DONE]\n\n')
  await streamOf(response)?.ended
  expect([seen.closed, cancelled]).toEqual([true, false])
})

test('a generator that throws ends the stream', async () => {
  const { seen, events } = watchedEvents(['data: one\n\n'], new Error('broken'))
  const response = serverSentEventsResponse(events)
  await response.text().catch(() => undefined)
  await streamOf(response)?.ended
  expect(seen.closed).toBe(true)
})

test('any other reply has no end to wait for', () => {
  expect(streamOf(new Response('text'))).toBeUndefined()
})
