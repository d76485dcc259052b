// Tests when new connections are held back and let in again, using descriptor counts only.
import { expect, test } from 'bun:test'
import { DescriptorWatch } from './watch-descriptors.ts'

function open(limit: number) {
  const events: string[] = []
  let used = 0
  let look = () => {}
  const watch = new DescriptorWatch(
    {
      every: (_milliseconds, run) => {
        look = run
        return () => void events.push('stopped')
      },
      log: {
        warn: (fields: object, text?: string) =>
          void events.push(
            `${text?.includes('free') ? 'free' : 'reported'} at ${Object(fields).open_descriptors}`,
          ),
      },
    },
    {
      maximumDescriptors: limit,
      readLowestFree: () => (used < limit ? used : null),
      openDescriptors: () => used,
    },
  )
  watch.start({ hold: () => events.push('hold'), release: () => events.push('release') })
  return {
    watch,
    /** The result when this many were open for this many checks. */
    pass: (descriptors: number, looks = 50) => {
      used = descriptors
      for (let index = 0; index < looks; index += 1) look()
      return events.splice(0)
    },
  }
}

test('connections wait from the reserve on, and are accepted again once half as much more is free', () => {
  const { watch, pass } = open(4096)
  expect(pass(3071)).toEqual([])
  expect(pass(3072)).toEqual(['hold', 'reported at 3072'])
  expect(watch.read()).toEqual({ limit: 4096, open: 3072, reserve: 1024, isHolding: true })
  expect(pass(2561)).toEqual([])
  expect(pass(2560)).toEqual(['release', 'free at 2560'])
  expect(watch.isHolding()).toBe(false)
})

test('a burst that has taken everything is held back too, and stopping accepts waiting connections', () => {
  const { watch, pass } = open(4096)
  expect(pass(4096, 1)).toEqual(['hold', 'reported at 4096'])
  watch.stop()
  expect(pass(0, 0)).toEqual(['stopped', 'release'])
})

test('of a million descriptors 2,048 are reserved', () => {
  const { pass } = open(1_048_576)
  expect(pass(1_048_576 - 2049, 1)).toEqual([])
  expect(pass(1_048_576 - 2048, 1)).toEqual(['hold', `reported at ${1_048_576 - 2048}`])
})
