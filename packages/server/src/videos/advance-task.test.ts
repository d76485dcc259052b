// One look at a video, whatever it finds: the upstream silent, lost, late, or the video's time over.
import { expect, test } from 'bun:test'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { VideoTasksTable } from '../store/schema/videos.ts'
import { buildVideoTask } from '../store/testing/build-ledger-rows.ts'
import type { VideoProgress } from '../upstream/video-port.ts'
import { createAdvanceTask } from './advance-task.ts'
import type { FailTask } from './fail-task.ts'
import { createNoteProgress } from './note-progress.ts'
import { CopyRefused } from './video-files.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const createdAt = 1_000_000

type Facts = {
  readonly now: number
  readonly progress?: VideoProgress | Error
  readonly file?: Response | Error
  /** In place of a copy. */
  readonly saved?: Error
  readonly keptMs?: number | null
  readonly isWanted?: boolean
}

/** Looks at a task; answers what was done, in order, and when it is due again. */
async function look(changes: Partial<VideoTasksTable>, facts: Facts) {
  const done: unknown[] = []
  const note =
    <Result>(name: string, result: Result) =>
    async (input: object): Promise<Result> => {
      const { team_id: _team, task_id: _task, ...rest } = input as Record<string, unknown>
      done.push([name, rest])
      return result
    }
  const give = async <Result>(value: Result | Error | undefined): Promise<Result> => {
    if (value instanceof Error || value === undefined) throw value ?? new Error('Not expected.')
    return value
  }
  const failTask: FailTask = async (_task, failure) => {
    done.push(['fail', failure.code])
  }
  const keptMs = facts.keptMs === undefined ? 30 * day : facts.keptMs
  const advance = createAdvanceTask({
    write: {
      postponeVideoTask: note('postpone', undefined),
      recordVideoCopy: note('copy', facts.isWanted ?? true),
    },
    upstream: { poll: () => give(facts.progress), openFile: () => give(facts.file) },
    videoFiles: {
      save: async (_id, video) => {
        if (facts.saved !== undefined) throw facts.saved
        return (await new Response(video).bytes()).length
      },
      remove: async id => {
        done.push(['remove', id])
      },
    },
    failTask,
    noteProgress: createNoteProgress({
      write: { completeVideoTask: note('complete', true) },
      failTask,
      keptMs,
      clock: () => facts.now,
    }),
    keptMs,
    clock: () => facts.now,
    reportFailure: () => done.push(['report']),
  })
  const task = buildVideoTask('video', {
    state: 'processing',
    operation: 'operations/1',
    upstream_key: 'up',
    created_at: createdAt,
    deadline_at: createdAt + hour,
    ...changes,
  })
  return { due: await advance(task, new AbortController().signal), done }
}

const completed = {
  state: 'completed',
  files: '["file-1"]',
  completed_at: createdAt,
  expires_at: createdAt + 30 * day,
}

test('a video that is being made is looked at again, ever later', async () => {
  for (const [age, delay] of [
    [0, 500],
    [12_000, 3000],
    [10 * minute, 10_000],
  ] as const) {
    const now = createdAt + age
    const { due, done } = await look({}, { now, progress: { state: 'running' } })
    expect([due, done]).toEqual([now + delay, [['postpone', { due_at: now + delay }]]])
  }
})

test('an upstream that fails says nothing about the video', async () => {
  const { done } = await look({}, { now: createdAt + minute, progress: new ApiError('upstream_error') })
  expect(done).toEqual([['report'], ['postpone', { due_at: createdAt + minute + 10_000 }]])
})

test('an operation that the upstream does not know is given a minute, then it has failed', async () => {
  const progress = { state: 'unknown' } as const
  expect((await look({}, { now: createdAt + minute - 1, progress })).done).toMatchObject([['postpone', {}]])
  expect((await look({}, { now: createdAt + minute, progress })).done).toEqual([['fail', 'upstream_error']])
})

test('a video that is late has failed, whatever the upstream would say', async () => {
  const progress = { state: 'completed', files: ['f'] } as const
  const { due, done } = await look({}, { now: createdAt + hour, progress })
  expect([due, done]).toEqual([null, [['fail', 'timed_out']]])
})

test.each([
  ['kept as long as is configured', {}, 30 * day, 30 * day],
  ['as long as the upstream keeps it', {}, null, 2 * day],
  ['as long as the upstream keeps it, on the pass-through', { interface: 'pass_through' }, 30 * day, 2 * day],
])('a finished video is there: %s', async (_, changes, keptMs, duration) => {
  const now = createdAt + minute
  const progress = { state: 'completed', files: ['f'] } as const
  const { due, done } = await look(changes, { now, keptMs, progress })
  expect(due).toBe(now)
  expect(done).toEqual([
    ['complete', { files: ['f'], completed_at: now, expires_at: now + duration, due_at: now }],
  ])
})

test('a finished video is copied', async () => {
  const file = new Response('video')
  const { due, done } = await look(completed, { now: createdAt, file })
  expect(due).toBe(completed.expires_at)
  expect(done).toEqual([['copy', { stored_bytes: 5, due_at: completed.expires_at }]])
})

test('the copy of a video that was deleted meanwhile is removed', async () => {
  const { due, done } = await look(completed, {
    now: createdAt,
    file: new Response('video'),
    isWanted: false,
  })
  expect([due, done.at(-1)]).toEqual([null, ['remove', 'video']])
})

test.each([
  ['soon while the upstream has it', createdAt + hour, createdAt + hour + minute],
  ['no more when the upstream has dropped it', createdAt + 2 * day, completed.expires_at],
])('a copy that fails is made again: %s', async (_, now, due_at) => {
  for (const file of [new Error('cut'), new Response('gone', { status: 416 })]) {
    const { due, done } = await look(completed, { now, file })
    expect([due, done]).toEqual([due_at, [['report'], ['postpone', { due_at }]]])
  }
})

test.each([
  ['never one that is too large', 'too_large', createdAt + hour, completed.expires_at],
  ['later when the disk is full', 'no_room', createdAt + hour, createdAt + hour + 10 * minute],
  ['no more when the upstream has dropped it', 'no_room', createdAt + 2 * day, completed.expires_at],
] as const)('a copy that is not for our disk is tried again %s', async (_, reason, now, due_at) => {
  const { due, done } = await look(completed, {
    now,
    file: new Response('video'),
    saved: new CopyRefused(reason),
  })
  expect([due, done]).toEqual([due_at, [['report'], ['postpone', { due_at }]]])
})

test('a video that is copied, or not to be, waits for its end', async () => {
  const { expires_at } = completed
  for (const [changes, keptMs] of [
    [{ stored_bytes: 4 }, day],
    [{}, null],
    [{ interface: 'pass_through' }, day],
  ] as const) {
    const { done } = await look({ ...completed, ...changes }, { now: createdAt, keptMs })
    expect(done).toEqual([['postpone', { due_at: expires_at }]])
  }
})

test('at its end the copy goes', async () => {
  const { due, done } = await look({ ...completed, stored_bytes: 4 }, { now: completed.expires_at })
  expect(due).toBeNull()
  expect(done).toEqual([
    ['remove', 'video'],
    ['copy', { stored_bytes: null, due_at: null }],
  ])
})
