// A failed video: shown to clients only once the money is back in the limits, no matter which process found the failure.
import { expect, test } from 'bun:test'
import { buildVideoTask } from '../store/testing/build-ledger-rows.ts'
import { createTaskFailures, readReportedTasks } from './note-progress.ts'

const failure = { code: 'upstream_error', message: 'Failed.' }
const task = buildVideoTask('video', { state: 'processing' })
const unused = () => Promise.reject(new Error('Not expected.'))

/** A store that has failed the task and reports it when `answer` is called: it returned money only the first time. */
function open() {
  const answers = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const done: string[] = []
  let asked = 0
  const failures = createTaskFailures({
    write: {
      failVideoTask: async () => {
        const refunded = asked === 0
        asked += 1
        await answers[asked - 1]?.promise
        return { refunded, failed: true }
      },
    },
    limits: { refund: () => done.push('refunded') },
    clock: () => 0,
    observeRefund: () => undefined,
  })
  const failed = { ...task, state: 'failed' as const }
  const reads = readReportedTasks(
    {
      readVideoTask: async () => failed,
      readUpstreamOperation: async () => failed,
      listVideoTasks: async () => [failed],
      readUpstreamFile: unused,
    },
    failures,
  )
  const report = (name: string, work: Promise<unknown>) => work.then(() => done.push(name))
  return { failures, reads, done, report, answer: (number: number) => answers[number]?.resolve() }
}

const place = { teamId: 'team-1', taskId: 'video' }
const nextTurn = () => new Promise(resolve => setImmediate(resolve))

// Shown to fail by reading the store directly.
test('read while its failure is being reported: shown when the money is back', async () => {
  const { failures, reads, done, report, answer } = open()
  const all = [
    report('failed', failures.failTask(task, failure)),
    report('read', reads.readVideoTask(place)),
    report('polled', reads.readUpstreamOperation({ teamId: 'team-1', operation: 'operations/1' })),
    report('listed', reads.listVideoTasks({ teamId: 'team-1', limit: 1, order: 'desc', after: null })),
  ]
  await nextTurn()
  expect(done).toEqual([])
  answer(0)
  await Promise.all(all)
  expect(done[0]).toBe('refunded')
  await report('again', reads.readVideoTask(place))
  expect(done.at(-1)).toBe('again')
})

// Shown to fail by letting both ask the store at once.
test('found by two at once: the second does not finish before the money is back', async () => {
  const { failures, done, report, answer } = open()
  const first = report('first', failures.failTask(task, failure))
  const second = report('second', failures.failTask(task, failure))
  answer(1)
  await nextTurn()
  expect(done).toEqual([])
  answer(0)
  await Promise.all([first, second])
  expect(done).toEqual(['refunded', 'first', 'second'])
})
