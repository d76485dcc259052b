// What one read of an upstream brings stays together on its way to the client.
import { expect, test } from 'bun:test'
import type { ChatEvent, ChatEvents } from '../../../upstream/port.ts'
import { type MergedBatch, mergeStreams } from './merge-streams.ts'

const say = (text: string): ChatEvent => ({ type: 'text-delta', text })

/** Each list is one read; then the stream fails, when it is told to. */
function streamOf(reads: readonly (readonly ChatEvent[])[], failure: Error | null = null): ChatEvents {
  async function* batches() {
    yield* reads
    if (failure !== null) throw failure
  }
  async function* singly() {
    for await (const batch of batches()) yield* batch
  }
  return { batches, [Symbol.asyncIterator]: singly }
}

async function drain(merged: AsyncIterator<MergedBatch>) {
  const batches: MergedBatch[] = []
  try {
    for (let next = await merged.next(); next.done !== true; next = await merged.next())
      batches.push(next.value)
    return { batches, failure: null }
  } catch (failure) {
    return { batches, failure }
  }
}

test('events that came together are one batch, and those before a failure are told', async () => {
  const failure = new Error('cut')
  const reads = [[say('a'), say('b')], [say('c')]]
  expect(await drain(mergeStreams([streamOf(reads, failure)]))).toEqual({
    batches: reads.map(events => ({ index: 0, events })),
    failure,
  })
})

test('an upstream that does not say what came together is read event by event', async () => {
  const { batches: _, ...singly } = streamOf([[say('a'), say('b')]])
  const { batches } = await drain(mergeStreams([singly]))
  expect(batches.map(({ events }) => events.length)).toEqual([1, 1])
})

test('several choices keep their order, each with its index', async () => {
  const first = [[say('a'), say('b')], [say('c')]]
  const second = [[say('x')], [say('y'), say('z')]]
  const { batches } = await drain(mergeStreams([streamOf(first), streamOf(second)]))
  const of = (wanted: number) => batches.filter(({ index }) => index === wanted).map(({ events }) => events)
  expect([of(0), of(1)]).toEqual([first, second])
})
