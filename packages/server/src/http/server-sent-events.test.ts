// Streams: what is sent, and that every way out ends the generator and is noticed.
import { expect, test } from 'bun:test'
import { connectRaw } from '../../journeys/testing/raw-connection.ts'
import { keepAliveMs, type PieceStream, serverSentEventsResponse, streamOf } from './server-sent-events.ts'
import { createStreamTimers } from './testing/stream-timers.ts'

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

const pieces = 100

/** On a real connection, since it is Bun that stops asking; its client reads only when told to. Pieces are larger than any buffer together. */
function openGuarded(longestMs: number, keepAlive = () => '') {
  const timeouts: number[] = []
  const { timers, pass } = createStreamTimers()
  let cancelled = 0
  let given = 0
  const { seen, events } = watchedEvents(Array.from({ length: pieces }, () => 'x'.repeat(262_144)))
  const counted = (async function* () {
    for await (const event of events) {
      given += 1
      yield event
    }
  })()
  const response = serverSentEventsResponse(Object.assign(counted, { keepAlive }), {
    onCancel: () => {
      cancelled += 1
    },
  })
  const stream = streamOf(response)
  const server = Bun.serve({
    port: 0,
    fetch: request => {
      const timeout = (seconds: number) => {
        timeouts.push(seconds)
        server.timeout(request, seconds)
      }
      stream?.guard({ timeout, timers }, { stalledSeconds: 60, longestMs })
      return response
    },
  })
  const connection = connectRaw(server.url.href)
  connection.socket.pause()
  connection.socket.write('GET / HTTP/1.1\r\nHost: door\r\n\r\n')
  return {
    ...connection,
    stream,
    seen,
    timeouts,
    cancelled: () => cancelled,
    /** Resolves once the client's buffers are full: nothing more is requested. */
    stalled: async () => {
      // One quiet moment may be a machine without time for this process: ten in a row are not.
      for (let [before, quiet] = [-1, 0]; given === 0 || quiet < 10; await Bun.sleep(10)) {
        quiet = before === given ? quiet + 1 : 0
        before = given
      }
    },
    pass,
    stop: () => server.stop(true),
  }
}

test('a connection has an idle limit while the client has something to read, and none while it waits for us', async () => {
  const { socket, timeouts, stream, stop } = openGuarded(600_000)
  socket.resume()
  expect(await stream?.ended).toBe('whole')
  const each = Array.from({ length: pieces + 1 }, () => [0, 64])
  expect(timeouts).toEqual(each.flat())
  await stop()
})

test('a client that read nothing has stalled; one that left at once has left', async () => {
  for (const [milliseconds, ending] of [
    [60_000, 'stalled'],
    [1000, 'left'],
  ] as const) {
    const { socket, stream, seen, cancelled, pass, stalled, stop } = openGuarded(600_000)
    await stalled()
    pass(milliseconds)
    socket.resetAndDestroy()
    expect([await stream?.ended, seen.closed, cancelled()]).toEqual([ending, true, 1])
    await stop()
  }
})

// Shown to fail on the previous build: the generator stayed suspended for as long as its client was there.
test('a stream that lasts too long is cut off: generator and connection end, and it never looks complete', async () => {
  const { socket, closed, stream, seen, timeouts, cancelled, pass, stalled, stop } = openGuarded(600_000)
  await stalled()
  pass(600_000)
  expect(await stream?.ended).toBe('overdue')
  while (!seen.closed) await Bun.sleep(1)
  expect([cancelled(), timeouts.at(-1)]).toEqual([1, 1])
  socket.resume()
  expect((await closed).endsWith('\r\n0\r\n\r\n')).toBe(false)
  await stop()
})

/** A stream on a real connection that sends pieces on the test's command. Each step waits until Bun has requested the next. */
function openSilent(keepAlive?: () => string) {
  const { timers, pass, running } = createStreamTimers()
  let arriving = Promise.withResolvers<IteratorResult<string, void>>()
  let waiting = Promise.withResolvers<void>()
  const events: PieceStream & AsyncIterator<string, void> = {
    next: () => arriving.promise,
    return: async () => ({ done: true, value: undefined }),
    [Symbol.asyncIterator]: () => events,
    ...(keepAlive === undefined ? {} : { keepAlive }),
  }
  const response = serverSentEventsResponse(events)
  const stream = streamOf(response)
  const server = Bun.serve({
    port: 0,
    fetch: () => {
      const timeout = (seconds: number) => {
        if (seconds === 0) waiting.resolve()
      }
      stream?.guard({ timeout, timers }, { stalledSeconds: 60, longestMs: 600_000 })
      return response
    },
  })
  // Bun sends the headers with the first piece.
  const reading = fetch(server.url).then(({ body }) => body?.getReader())
  const arrive = async (result: IteratorResult<string, void>) => {
    await waiting.promise
    const { resolve } = arriving
    arriving = Promise.withResolvers()
    waiting = Promise.withResolvers()
    resolve(result)
  }
  return {
    stream,
    running,
    /** The client's next bytes; null at the end. */
    read: async () => {
      const reader = await reading
      const { value, done } = (await reader?.read()) ?? { done: true }
      return done ? null : Buffer.from(value ?? []).toString()
    },
    give: (value: string) => arrive({ done: false, value }),
    end: () => arrive({ done: true, value: undefined }),
    /** Nothing comes for this long. */
    beSilent: async (milliseconds: number) => {
      await waiting.promise
      waiting = Promise.withResolvers()
      pass(milliseconds)
    },
    stay: async (milliseconds: number) => {
      await waiting.promise
      pass(milliseconds)
    },
    stop: () => server.stop(true),
  }
}

test('a silent stream is kept alive every 15 s, and later events are whole', async () => {
  const { read, give, end, stay, beSilent, stream, running, stop } = openSilent(() => ': here\n\n')
  await give('data: one\n\n')
  expect(await read()).toBe('data: one\n\n')
  await stay(keepAliveMs - 1)
  await beSilent(1)
  expect(await read()).toBe(': here\n\n')
  await beSilent(keepAliveMs)
  expect(await read()).toBe(': here\n\n')
  await give('data: two\n\n')
  expect(await read()).toBe('data: two\n\n')
  // 10 s after the last event, and 10 after the next: neither is a silence of 15.
  await stay(10_000)
  await give('data: three\n\n')
  expect(await read()).toBe('data: three\n\n')
  await stay(10_000)
  await end()
  expect([await read(), await stream?.ended, running()]).toEqual([null, 'whole', 0])
  await stop()
})

test('a stream without a keep-alive, or with an empty one, stays silent', async () => {
  for (const keepAlive of [undefined, () => '']) {
    const { read, give, end, stay, stop } = openSilent(keepAlive)
    await stay(10 * keepAliveMs)
    await give('data: one\n\n')
    expect(await read()).toBe('data: one\n\n')
    await end()
    expect(await read()).toBeNull()
    await stop()
  }
})

test('a client that reads nothing gets no keep-alive', async () => {
  let asked = 0
  const keepAlive = () => {
    asked += 1
    return ': here\n\n'
  }
  const { socket, pass, stalled, stream, stop } = openGuarded(600_000, keepAlive)
  await stalled()
  pass(40_000)
  expect(asked).toBe(0)
  socket.resetAndDestroy()
  expect(await stream?.ended).toBe('left')
  await stop()
})
