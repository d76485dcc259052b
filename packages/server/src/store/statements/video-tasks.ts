// Videos in the making, from the order to their end: each step once, whoever else tries it.
import type { Kysely } from 'kysely'
import type { Charge } from '../../ledger/charge.ts'
import type { TaskRef, VideoTask } from '../../ledger/video-task.ts'
import { dialectOf } from '../dialect.ts'
import type { Schema } from '../schema/schema.ts'
import { refundOf, settleCharges } from './charges.ts'
import { taskColumns, toTask, toTaskRow } from './read-video-tasks.ts'

/** `insert into video_tasks … on conflict do nothing`: repeating an ambiguous commit is harmless. */
export async function insertVideoTasks(db: Kysely<Schema>, tasks: readonly VideoTask[]): Promise<void> {
  await db
    .insertInto('video_tasks')
    .values(tasks.map(toTaskRow))
    .onConflict(conflict => conflict.doNothing())
    .execute()
}

function changeTask(db: Kysely<Schema>, { teamId, taskId }: TaskRef) {
  return db.updateTable('video_tasks').where('team_id', '=', teamId).where('task_id', '=', taskId)
}

export type StartedTask = TaskRef & {
  readonly operation: string
  readonly upstreamKey: string
  readonly dueAt: number
}

/** `submitting` → `processing`, with the upstream's name of it. False when it is no longer `submitting`. */
export async function markVideoTaskStarted(db: Kysely<Schema>, task: StartedTask): Promise<boolean> {
  const { teamId, taskId, operation, upstreamKey, dueAt } = task
  const result = await changeTask(db, { teamId, taskId })
    .set({ state: 'processing', operation, upstream_key: upstreamKey, due_at: dueAt })
    .where('state', '=', 'submitting')
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/**
 * The tasks that are due and in nobody's hands, taken until `until`: `select … where due_at <= ? and leased_until <= ?` (on
 * PostgreSQL `for update skip locked`), then `update … set leased_until`.
 */
export async function leaseVideoTasks(
  db: Kysely<Schema>,
  input: { now: number; until: number; limit: number },
): Promise<VideoTask[]> {
  let query = db
    .selectFrom('video_tasks')
    .select(taskColumns)
    .where('due_at', '<=', input.now)
    .where('leased_until', '<=', input.now)
    .orderBy('due_at')
    .limit(input.limit)
  if (dialectOf(db) === 'postgres') query = query.forUpdate().skipLocked()
  const rows = await query.execute()
  for (const ref of rows) await changeTask(db, ref).set({ leased_until: input.until }).execute()
  return rows.map(toTask)
}

/** Gives a task back: somebody looks again at `due_at`, never when it is null. */
export async function postponeVideoTask(
  db: Kysely<Schema>,
  { teamId, taskId, dueAt }: TaskRef & { readonly dueAt: number | null },
): Promise<void> {
  await changeTask(db, { teamId, taskId }).set({ due_at: dueAt, leased_until: 0 }).execute()
}

/** `processing` → `completed`; the upstream's files belong to the team from here on. False when it had ended before. */
export async function completeVideoTask(
  db: Kysely<Schema>,
  input: TaskRef & {
    readonly files: readonly string[]
    readonly completedAt: number
    readonly expiresAt: number
    readonly dueAt: number
  },
): Promise<boolean> {
  const { teamId, taskId, files, completedAt, expiresAt, dueAt } = input
  const task = await changeTask(db, { teamId, taskId })
    .set({
      state: 'completed',
      files: JSON.stringify(files),
      completed_at: completedAt,
      expires_at: expiresAt,
      due_at: dueAt,
      leased_until: 0,
    })
    .where('state', '=', 'processing')
    .returning('upstream_key')
    .executeTakeFirst()
  if (task === undefined) return false
  const upstream_key = task.upstream_key ?? ''
  const rows = files.map(file_id => ({
    team_id: teamId,
    task_id: taskId,
    file_id,
    upstream_key,
    created_at: completedAt,
  }))
  if (rows.length > 0) {
    await db
      .insertInto('vendor_files')
      .values(rows)
      .onConflict(conflict => conflict.doNothing())
      .execute()
  }
  return true
}

/** Our own copy of a completed video came (its bytes) or went (null). False when the video was deleted meanwhile. */
export async function recordVideoCopy(
  db: Kysely<Schema>,
  input: TaskRef & { readonly storedBytes: number | null; readonly dueAt: number | null },
): Promise<boolean> {
  const result = await changeTask(db, input)
    .set({ stored_bytes: input.storedBytes, due_at: input.dueAt, leased_until: 0 })
    .where('hidden', '=', 0)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

export type FailedTask = TaskRef & {
  readonly error: { readonly code: string; readonly message: string }
  readonly now: number
  readonly hidden: boolean
}

export type TaskEnd = {
  /** False when there is no such task, or it was completed. */
  readonly failed: boolean
  /** True for the one that made it fail. */
  readonly refunded: boolean
}

/**
 * `submitting` or `processing` → `failed`, and the charge back, in one transaction: an update that only the first one makes,
 * and a refund whose id `<call>/refund` can stand in the ledger once.
 */
export async function failVideoTask(db: Kysely<Schema>, input: FailedTask): Promise<TaskEnd> {
  const { teamId, taskId, error, now, hidden } = input
  const task = await changeTask(db, { teamId, taskId })
    .set({
      state: 'failed',
      error: JSON.stringify(error),
      completed_at: now,
      due_at: null,
      leased_until: 0,
      ...(hidden ? { hidden: 1 } : {}),
    })
    .where('state', 'in', ['submitting', 'processing'])
    .returning(taskColumns)
    .executeTakeFirst()
  if (task !== undefined) {
    await settleCharges(db, [buildRefund(toTask(task), now)])
    return { failed: true, refunded: true }
  }
  const ended = await db
    .selectFrom('video_tasks')
    .select('state')
    .where('team_id', '=', teamId)
    .where('task_id', '=', taskId)
    .executeTakeFirst()
  return { failed: ended?.state === 'failed', refunded: false }
}

/** Takes the charge of a task back, in the periods it was made in. */
function buildRefund(task: VideoTask, now: number): Charge {
  return {
    callId: refundOf(task.callId),
    teamId: task.teamId,
    keyHash: task.keyHash,
    modelId: task.modelId,
    endpoint: task.endpoint,
    units: {},
    cost: -task.cost,
    outcome: 'refunded',
    flag: null,
    reported: null,
    admittedAt: task.createdAt,
    settledAt: now,
    durationMs: Math.max(0, now - task.createdAt),
    periods: task.periods,
    closesStream: false,
    facts: null,
  }
}

const creationInterrupted = {
  code: 'creation_interrupted',
  message: 'The service stopped while this video was being ordered. It is refunded; order it again.',
}

/** After a crash: what was being ordered is failed and refunded, never ordered again, for nobody knows whether it was. */
export async function failInterruptedVideoTasks(
  db: Kysely<Schema>,
  input: { now: number },
): Promise<{ failed: number }> {
  const rows = await db
    .selectFrom('video_tasks')
    .select(['team_id', 'task_id'])
    .where('state', '=', 'submitting')
    .execute()
  for (const { team_id: teamId, task_id: taskId } of rows) {
    await failVideoTask(db, { teamId, taskId, error: creationInterrupted, now: input.now, hidden: false })
  }
  // Leases of a process that is gone.
  await db.updateTable('video_tasks').set({ leased_until: 0 }).where('leased_until', '>', 0).execute()
  return { failed: rows.length }
}

/** Hides a task that has ended. Answers it as it was, null when there is none that can be hidden. */
export async function hideVideoTask(db: Kysely<Schema>, ref: TaskRef): Promise<VideoTask | null> {
  const row = await changeTask(db, ref)
    .set({ hidden: 1, due_at: null, stored_bytes: null })
    .where('hidden', '=', 0)
    .where('state', 'in', ['completed', 'failed'])
    .returning(taskColumns)
    .executeTakeFirst()
  return row === undefined ? null : toTask(row)
}
