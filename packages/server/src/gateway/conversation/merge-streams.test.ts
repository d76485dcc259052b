// The choices of one streamed call come as they arrive, and events of one upstream read stay together.
import { expect, test } from 'bun:test'
import type { ChatEvent } from '../../upstream/port.ts'
import { MergedStreams } from './merge-streams.ts'

const say = (text: string): ChatEvent => ({ type: 'text-delta', text })

/** Each list is one read; then the stream fails if set to. */
function streamOf(reads: readonly (readonly ChatEvent[])[], failure: Error | null = null) {
  const left = [...reads]
  return {
    read: async () => {
      const next = left.shift()
      if (next === undefined && failure !== null) throw failure
      return next ?? null
    },
  }
}

async function drain(merged: MergedStreams) {
  const batches: { index: number; events: readonly ChatEvent[] }[] = []
  try {
    for (let events = await merged.read(); events !== null; events = await merged.read())
      batches.push({ index: merged.index, events })
    return { batches, failure: null }
  } catch (failure) {
    return { batches, failure }
  }
}

const first = [[say('a'), say('b')], [say('c')]]
const second = [[say('x')], [say('y'), say('z')]]

test('multiple choices keep their order, each with its index', async () => {
  const { batches, failure } = await drain(new MergedStreams([streamOf(first), streamOf(second)]))
  const of = (wanted: number) => batches.filter(({ index }) => index === wanted).map(({ events }) => events)
  expect([of(0), of(1), failure]).toEqual([first, second, null])
})

test('a failure of one ends all, after its earlier events', async () => {
  const broken = new Error('cut')
  const { batches, failure } = await drain(new MergedStreams([streamOf(first), streamOf(second, broken)]))
  expect(failure).toBe(broken)
  expect(batches.filter(({ index }) => index === 1).map(({ events }) => events)).toEqual(second)
})
