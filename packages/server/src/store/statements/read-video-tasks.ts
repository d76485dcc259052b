// Reads videos in the making and the files they led to, always within one team.
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema/schema.ts'
import type { VideoTasksTable } from '../schema/videos.ts'

/** One task of a team that is shown to it; null when there is none. */
export async function readVideoTask(
  db: Kysely<Schema>,
  ref: { readonly team_id: string; readonly task_id: string },
): Promise<VideoTasksTable | null> {
  const row = await db
    .selectFrom('video_tasks')
    .selectAll()
    .where('team_id', '=', ref.team_id)
    .where('task_id', '=', ref.task_id)
    .where('hidden', '=', 0)
    .executeTakeFirst()
  return row === undefined ? null : readTaskRow(row)
}

export type ListVideoTasksInput = {
  readonly team_id: string
  readonly limit: number
  readonly order: 'asc' | 'desc'
  /** Only tasks that come after this one in that order; null for the start. */
  readonly after: { readonly created_at: number; readonly task_id: string } | null
}

/** The tasks that /v1/videos made, by time and id: `select … where team_id = ? and (created_at, task_id) < (?, ?) … limit ?`. */
export async function listVideoTasks(
  db: Kysely<Schema>,
  { team_id, limit, order, after }: ListVideoTasksInput,
): Promise<VideoTasksTable[]> {
  let query = db
    .selectFrom('video_tasks')
    .selectAll()
    .where('team_id', '=', team_id)
    .where('interface', '=', 'videos')
    .where('hidden', '=', 0)
  if (after !== null) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(
        refTuple('created_at', 'task_id'),
        order === 'asc' ? '>' : '<',
        tuple(after.created_at, after.task_id),
      ),
    )
  }
  const rows = await query.orderBy('created_at', order).orderBy('task_id', order).limit(limit).execute()
  return rows.map(readTaskRow)
}

/** The task of an operation that the team has on the pass-through, by the upstream's name of it, with or without its model. */
export async function readUpstreamOperation(
  db: Kysely<Schema>,
  input: { readonly team_id: string; readonly operation: string },
): Promise<VideoTasksTable | null> {
  const { team_id, operation } = input
  const whole = `models/%/${operation.replaceAll(/[\\%_]/g, character => `\\${character}`)}`
  const row = await db
    .selectFrom('video_tasks')
    .selectAll()
    .where('team_id', '=', team_id)
    .where('interface', '=', 'pass_through')
    .where(({ or, eb }) =>
      or([eb('operation', '=', operation), sql<boolean>`operation like ${whole} escape '\\'`]),
    )
    .executeTakeFirst()
  return row === undefined ? null : readTaskRow(row)
}

/** The id of the upstream key that made a file of this team; null when the team has no such file. */
export async function readUpstreamFile(
  db: Kysely<Schema>,
  input: { readonly team_id: string; readonly file_id: string },
): Promise<{ readonly upstream_key: string } | null> {
  const row = await db
    .selectFrom('vendor_files')
    .select('upstream_key')
    .where('team_id', '=', input.team_id)
    .where('file_id', '=', input.file_id)
    .executeTakeFirst()
  return row ?? null
}

/** When the next task can be taken: the least of when each is due and free; null when none is due at all. */
export async function readNextDue(db: Kysely<Schema>): Promise<number | null> {
  const row = await db
    .selectFrom('video_tasks')
    .select(
      sql<number | null>`min(case when leased_until > due_at then leased_until else due_at end)`.as('due'),
    )
    .where('due_at', 'is not', null)
    .executeTakeFirst()
  return row?.due == null ? null : Number(row.due)
}

/** PostgreSQL's client gives 64-bit numbers as text. */
export function readTaskRow(row: VideoTasksTable): VideoTasksTable {
  const orNull = (value: number | null) => (value === null ? null : Number(value))
  return {
    ...row,
    cost_nano: Number(row.cost_nano),
    team_period: Number(row.team_period),
    key_period: Number(row.key_period),
    stored_bytes: orNull(row.stored_bytes),
    created_at: Number(row.created_at),
    completed_at: orNull(row.completed_at),
    expires_at: orNull(row.expires_at),
    deadline_at: Number(row.deadline_at),
    due_at: orNull(row.due_at),
    leased_until: Number(row.leased_until),
  }
}
