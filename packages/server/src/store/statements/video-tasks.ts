// Videos in progress, from the order to their end: each step is made once, even if multiple processes try it.
import type { Kysely } from 'kysely'
import type { CallRef } from '../../ledger/charge.ts'
import { buildRefund } from '../../ledger/refund.ts'
import type { TaskRef, VideoTask } from '../../ledger/video-task.ts'
import { dialectOf } from '../dialect.ts'
import type { Schema } from '../schema/schema.ts'
import type { ProcessRef } from './processes.ts'
import { taskColumns, toTask, toTaskRow } from './read-video-tasks.ts'
import { openOrders, settleCalls } from './running-calls.ts'

/**
 * `insert into video_tasks … on conflict do nothing`, and a running call for each new task: repeating an ambiguous commit does not bring
 * back an order that has ended meanwhile.
 */
export async function insertVideoTasks(
  db: Kysely<Schema>,
  process: ProcessRef,
  tasks: readonly VideoTask[],
): Promise<void> {
  const inserted = await db
    .insertInto('video_tasks')
    .values(tasks.map(toTaskRow))
    .onConflict(conflict => conflict.doNothing())
    .returning('task_id')
    .execute()
  const fresh = new Set(inserted.map(({ task_id }) => task_id))
  const orders = tasks.filter(({ taskId, state }) => fresh.has(taskId) && state === 'submitting')
  if (orders.length > 0) await openOrders(db, process, orders)
}

/** A step of an order, and the process that makes it. */
type InName<Step> = Step & { readonly process: ProcessRef }

/** The running call is removed before its task changes: a sweep takes the two in this order as well, so that neither waits in a circle. */
async function endOrder(db: Kysely<Schema>, { teamId, taskId, process }: InName<TaskRef>): Promise<void> {
  const task = await db
    .selectFrom('video_tasks')
    .select('call_id')
    .where('team_id', '=', teamId)
    .where('task_id', '=', taskId)
    .executeTakeFirst()
  if (task !== undefined)
    await settleCalls(db, process, { charges: [], ended: [{ teamId, callId: task.call_id }] })
}

function changeTask(db: Kysely<Schema>, { teamId, taskId }: TaskRef) {
  return db.updateTable('video_tasks').where('team_id', '=', teamId).where('task_id', '=', taskId)
}

export type StartedTask = TaskRef & {
  readonly operation: string
  readonly upstreamKey: string
  readonly dueAt: number
}

/** `submitting` → `processing`, with the upstream's name of it: the order has ended. False if it is no longer `submitting`. */
export async function markVideoTaskStarted(db: Kysely<Schema>, task: InName<StartedTask>): Promise<boolean> {
  const { teamId, taskId, operation, upstreamKey, dueAt } = task
  await endOrder(db, task)
  const result = await changeTask(db, { teamId, taskId })
    .set({ state: 'processing', operation, upstream_key: upstreamKey, due_at: dueAt })
    .where('state', '=', 'submitting')
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

export type LeaseInput = {
  readonly now: number
  readonly until: number
  /** Ends of the caller's own leases that it may take again before they end. */
  readonly lost: readonly number[]
  readonly limit: number
}

/**
 * Takes tasks that are due and in no one's hands, until `until`: `select … where due_at <= ? and (leased_until <= ? or leased_until in (…))`
 * (on PostgreSQL `for update skip locked`), then `update … set leased_until`.
 */
export async function leaseVideoTasks(db: Kysely<Schema>, input: LeaseInput): Promise<VideoTask[]> {
  let query = db
    .selectFrom('video_tasks')
    .select(taskColumns)
    .where('due_at', '<=', input.now)
    .where(({ eb, or }) =>
      or([
        eb('leased_until', '<=', input.now),
        ...(input.lost.length > 0 ? [eb('leased_until', 'in', input.lost)] : []),
      ]),
    )
    .orderBy('due_at')
    .limit(input.limit)
  if (dialectOf(db) === 'postgres') query = query.forUpdate().skipLocked()
  const rows = await query.execute()
  for (const ref of rows) await changeTask(db, ref).set({ leased_until: input.until }).execute()
  return rows.map(toTask)
}

/** Releases a task: it is checked again at `due_at`, or never if null. */
export async function postponeVideoTask(
  db: Kysely<Schema>,
  { teamId, taskId, dueAt }: TaskRef & { readonly dueAt: number | null },
): Promise<void> {
  await changeTask(db, { teamId, taskId }).set({ due_at: dueAt, leased_until: 0 }).execute()
}

/** `processing` → `completed`; the upstream's files belong to the team from here on. False if it had ended before. */
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

/** Our own copy of a completed video was stored (its bytes) or deleted (null). False if the video was deleted meanwhile. */
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
  /** False if there is no such task, or it was completed. */
  readonly failed: boolean
  /** True for the caller that made it fail. */
  readonly refunded: boolean
}

/**
 * `submitting` or `processing` → `failed`, the order ended and the charge refunded, in one transaction: an update that only the first caller
 * makes, and a refund with the id `<call>/refund`, which can be in the ledger only once.
 */
export async function failVideoTask(db: Kysely<Schema>, input: InName<FailedTask>): Promise<TaskEnd> {
  const { teamId, taskId, error, now, hidden, process } = input
  await endOrder(db, input)
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
    const order = toTask(task)
    await settleCalls(db, process, {
      charges: [buildRefund({ ...order, admittedAt: order.createdAt }, now)],
      ended: [],
    })
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

const creationInterrupted = {
  code: 'creation_interrupted',
  message: 'The service stopped while this video was being ordered. It is refunded; order it again.',
}

/**
 * An order of a dead process is failed and refunded, and never ordered again, because it is unknown whether the upstream has it. False if
 * there is no such order, or no longer.
 */
export async function failInterruptedOrder(
  db: Kysely<Schema>,
  { call, now, process }: InName<{ readonly call: CallRef; readonly now: number }>,
): Promise<boolean> {
  const { teamId, callId } = call
  const task = await db
    .selectFrom('video_tasks')
    .select('task_id')
    .where('team_id', '=', teamId)
    .where('call_id', '=', callId)
    .where('state', '=', 'submitting')
    .executeTakeFirst()
  if (task === undefined) return false
  const place = { teamId, taskId: task.task_id }
  const { refunded } = await failVideoTask(db, {
    ...place,
    error: creationInterrupted,
    now,
    hidden: false,
    process,
  })
  return refunded
}

/** The steps of an order, made for this process. */
export type VideoWrites = {
  readonly markVideoTaskStarted: (task: StartedTask) => Promise<boolean>
  readonly failVideoTask: (task: FailedTask) => Promise<TaskEnd>
}

/** Hides a task that has ended. Returns its previous state, or null if there is none that can be hidden. */
export async function hideVideoTask(db: Kysely<Schema>, ref: TaskRef): Promise<VideoTask | null> {
  const row = await changeTask(db, ref)
    .set({ hidden: 1, due_at: null, stored_bytes: null })
    .where('hidden', '=', 0)
    .where('state', 'in', ['completed', 'failed'])
    .returning(taskColumns)
    .executeTakeFirst()
  return row === undefined ? null : toTask(row)
}
