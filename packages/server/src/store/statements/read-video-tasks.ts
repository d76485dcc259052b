// Reads videos in progress and their files, always within one team.
import { type Kysely, type Selection, sql } from 'kysely'
import type { ShownVideo, TaskRef, VideoTask, VideoWish } from '../../ledger/video-task.ts'
import type { Schema, VideoTasksTable } from '../schema/schema.ts'

/** One task of a team that is shown to it; null if there is none. */
export async function readVideoTask(db: Kysely<Schema>, ref: TaskRef): Promise<VideoTask | null> {
  const row = await db
    .selectFrom('video_tasks')
    .select(taskColumns)
    .where('team_id', '=', ref.teamId)
    .where('task_id', '=', ref.taskId)
    .where('hidden', '=', 0)
    .executeTakeFirst()
  return row === undefined ? null : toTask(row)
}

export type ListVideoTasksInput = {
  readonly teamId: string
  readonly limit: number
  readonly order: 'asc' | 'desc'
  /** Only tasks that come after this one in that order; null for the start. */
  readonly after: Pick<VideoTask, 'createdAt' | 'taskId'> | null
}

/** The tasks created by /v1/videos, by time and id: `select … where team_id = ? and (created_at, task_id) < (?, ?) … limit ?`. */
export async function listVideoTasks(
  db: Kysely<Schema>,
  { teamId, limit, order, after }: ListVideoTasksInput,
): Promise<ShownVideo[]> {
  let query = db
    .selectFrom('video_tasks')
    .select(taskColumns)
    .where('team_id', '=', teamId)
    .where('interface', '=', 'videos')
    .where('hidden', '=', 0)
  if (after !== null) {
    query = query.where(
      sql<boolean>`(created_at, task_id) ${order === 'asc' ? sql`>` : sql`<`} (${after.createdAt}, ${after.taskId})`,
    )
  }
  const rows = await query.orderBy('created_at', order).orderBy('task_id', order).limit(limit).execute()
  return rows.map(toTask).filter(task => task.orderedBy === 'videos')
}

/** The task of a team's operation on the pass-through, by the upstream's name of it, with or without its model. */
export async function readUpstreamOperation(
  db: Kysely<Schema>,
  input: { readonly teamId: string; readonly operation: string },
): Promise<VideoTask | null> {
  const { teamId, operation } = input
  const whole = `models/%/${operation.replaceAll(/[\\%_]/g, character => `\\${character}`)}`
  const row = await db
    .selectFrom('video_tasks')
    .select(taskColumns)
    .where('team_id', '=', teamId)
    .where('interface', '=', 'pass_through')
    .where(({ or, eb }) =>
      or([eb('operation', '=', operation), sql<boolean>`operation like ${whole} escape '\\'`]),
    )
    .executeTakeFirst()
  return row === undefined ? null : toTask(row)
}

/** The id of the upstream key that created a file of this team; null if the team has no such file. */
export async function readUpstreamFile(
  db: Kysely<Schema>,
  input: { readonly teamId: string; readonly fileId: string },
): Promise<{ readonly upstreamKey: string } | null> {
  const row = await db
    .selectFrom('vendor_files')
    .select('upstream_key')
    .where('team_id', '=', input.teamId)
    .where('file_id', '=', input.fileId)
    .executeTakeFirst()
  return row === undefined ? null : { upstreamKey: row.upstream_key }
}

/** When the next task can be taken: the earliest time at which one is due and free; null if none is due at all. */
export async function readNextDue(db: Kysely<Schema>): Promise<number | null> {
  const row = await db
    .selectFrom('video_tasks')
    .select(
      sql<number | null>`min(case when leased_until > due_at then leased_until else due_at end)`.as('due'),
    )
    .where('due_at', 'is not', null)
    .executeTakeFirst()
  return row?.due ?? null
}

/** The columns that a task is read from. */
export const taskColumns = [
  'team_id as teamId',
  'task_id as taskId',
  'key_hash as keyHash',
  'model_id as modelId',
  'endpoint',
  'call_id as callId',
  'cost_nano as cost',
  'team_period',
  'key_period',
  'state',
  'operation',
  'upstream_key as upstreamKey',
  'error',
  'files',
  'stored_bytes as storedBytes',
  'created_at as createdAt',
  'completed_at as completedAt',
  'expires_at as expiresAt',
  'deadline_at as deadlineAt',
  'due_at as dueAt',
  'interface',
  'wish',
] as const

export function toTask(row: Selection<Schema, 'video_tasks', (typeof taskColumns)[number]>): VideoTask {
  const { team_period: team, key_period: key, interface: orderedBy, wish, ...plain } = row
  const facts = {
    ...plain,
    periods: { team, key },
    state: row.state as VideoTask['state'],
    error: row.error === null ? null : (JSON.parse(row.error) as VideoTask['error']),
    files: JSON.parse(row.files) as string[],
  }
  return orderedBy === 'videos'
    ? { ...facts, orderedBy, wish: JSON.parse(wish) as VideoWish }
    : { ...facts, orderedBy: 'pass_through', wish: null }
}

/** As an order creates it: shown, and not leased. */
export function toTaskRow(task: VideoTask): VideoTasksTable {
  return {
    team_id: task.teamId,
    task_id: task.taskId,
    interface: task.orderedBy,
    key_hash: task.keyHash,
    model_id: task.modelId,
    call_id: task.callId,
    cost_nano: task.cost,
    team_period: task.periods.team,
    key_period: task.periods.key,
    endpoint: task.endpoint,
    state: task.state,
    wish: JSON.stringify(task.wish ?? {}),
    operation: task.operation,
    upstream_key: task.upstreamKey,
    error: task.error === null ? null : JSON.stringify(task.error),
    files: JSON.stringify(task.files),
    stored_bytes: task.storedBytes,
    created_at: task.createdAt,
    completed_at: task.completedAt,
    expires_at: task.expiresAt,
    deadline_at: task.deadlineAt,
    due_at: task.dueAt,
    leased_until: 0,
    hidden: 0,
  }
}
