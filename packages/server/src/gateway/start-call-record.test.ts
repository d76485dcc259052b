// Checks when calls are filed, and how long their record is kept.
import { expect, test } from 'bun:test'
import { type CallRecordDependencies, startCallRecord } from './start-call-record.ts'

const dayMs = 86_400_000
const now = 100 * dayMs
type Deletion = { readonly before: number; readonly limit: number }

/** `left`: how many old calls the store has, or the error that it fails with. */
function start(keepDays: number, left: number | Error) {
  const deletions: Deletion[] = []
  const warnings: unknown[] = []
  let rest = left
  const ended = Promise.withResolvers<void>()
  const deleteOldCalls: CallRecordDependencies['store']['write']['deleteOldCalls'] = async input => {
    deletions.push(input)
    if (rest instanceof Error) throw rest
    const deleted = Math.min(rest, input.limit)
    rest -= deleted
    if (deleted < input.limit) ended.resolve()
    return { deleted }
  }
  const filings: number[] = []
  const record = startCallRecord({
    store: {
      fileCalls: async () => void filings.push(now),
      write: { recordCalls: async () => undefined, deleteOldCalls },
    },
    settings: { calls: { keep_days: keepDays } },
    clock: () => now,
    log: {
      warn: (fields: unknown) => {
        warnings.push(fields)
        ended.resolve()
      },
    },
  })
  return { record, deletions, warnings, filings, ended: ended.promise }
}

test('calls older than the set number of days are deleted at the start, in parts', async () => {
  const { record, deletions, ended } = start(2, 1200)
  await ended
  expect(deletions).toEqual(Array.from({ length: 3 }, () => ({ before: now - 2 * dayMs, limit: 500 })))
  await record.stop()
})

test('0 keeps calls forever', async () => {
  const { record, deletions } = start(0, 1200)
  await record.stop()
  expect(deletions).toEqual([])
})

test('a stop ends the deletion after the current part', async () => {
  const { record, deletions } = start(2, Number.MAX_SAFE_INTEGER)
  await record.stop()
  await Promise.resolve()
  const { length } = deletions
  await Promise.resolve()
  expect(deletions).toHaveLength(length)
})

test('a store failure is reported, and the server keeps running', async () => {
  const { record, warnings, ended } = start(2, new Error('The disk is full.'))
  await ended
  expect(warnings).toMatchObject([{ err: { message: 'The disk is full.' } }])
  await record.stop()
})

test('calls are filed at the start, and the rest at the stop', async () => {
  const { record, filings } = start(0, 0)
  expect(filings).toHaveLength(1)
  await record.stop()
  expect(filings).toHaveLength(2)
})
