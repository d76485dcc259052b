// The step to schema 008 on a logbook that has entries: none of them changes, and what follows fits them. Each engine's test calls it.
import { expect } from 'bun:test'
import { type Kysely, sql } from 'kysely'
import { createTeamVerifier } from '../../logbook/verify-chain/verify-team-chain.ts'
import { dialectOf } from '../dialect.ts'
import { migrate } from '../migrations/migrate.ts'
import type { Schema } from '../schema/schema.ts'
import { appendEntries } from '../statements/append-entries.ts'
import { readBoard } from '../statements/boards.ts'
import { readEntriesAfter } from '../statements/list-entries.ts'
import { buildPackedEntries, sender } from './build-entry-to-append.ts'

/** `db` is empty. */
export async function migrateEntries(db: Kysely<Schema>): Promise<void> {
  const now = Date.parse('2026-11-21T12:00:00Z')
  const append = (name: string, at: number) => {
    const requests = [{ teamId: 'red', sender, entries: buildPackedEntries(name) }]
    return db.transaction().execute(transaction => appendEntries(transaction, { requests, now: at }))
  }
  const readRows = async () => (await sql<object>`select * from entries order by seq`.execute(db)).rows
  await migrate(db)
  await append('first', now)
  await append('second', now + 5)
  await undoEntryEvidence(db)
  const before = await readRows()
  await migrate(db)
  const none = { token_id: null, client_address: null, salt: null, commitment: null, late: 0 }
  expect(await readRows()).toEqual(before.map(row => ({ ...row, ...none })))
  const received = (now + 5) * 1000
  expect(await readBoard(db, { teamId: 'red' })).toMatchObject({ headSeq: 2, headReceivedMicros: received })
  // The clock was set back during the upgrade.
  await append('third', now - 1000)
  const rows = await readEntriesAfter(db, { teamId: 'red', afterSeq: 2, limit: 9 })
  expect(rows).toMatchObject([{ tokenId: sender.tokenId, receivedMicros: received }])
  const verify = createTeamVerifier({
    readBoard: input => readBoard(db, input),
    readEntriesAfter: input => readEntriesAfter(db, input),
  })
  expect(await verify('red')).toMatchObject({ ok: true, checked: 3 })
}

/** Takes a database back to the schema before, and with it all that came later. */
export async function undoEntryEvidence(db: Kysely<Schema>): Promise<void> {
  for (const table of [
    'undelivered_answers',
    'uncharged_sums',
    'condition_starts',
    'notes',
    'wall_tokens',
    'questions',
    'announcement_reads',
    'recorders',
    'sign_in_links',
    'sign_ins',
    'admin_keys',
    'attention_snoozes',
    'noted_conditions',
    'webhook_deliveries',
    'webhooks',
    'announcements',
    'join_tickets',
    'claims',
    'members',
  ])
    await db.schema.dropTable(table).execute()
  for (const table of ['gateway_keys', 'log_tokens'])
    await db.schema.alterTable(table).dropColumn('member_id').execute()
  for (const table of ['directory_version', 'directory_deletions', 'deleted_keys'])
    await db.schema.dropTable(table).execute()
  for (const table of ['teams', 'gateway_keys', 'log_tokens']) {
    await db.schema.dropIndex(`${table}_by_version`).execute()
    await db.schema.alterTable(table).dropColumn('version').execute()
  }
  await db.schema.alterTable('gateway_keys').dropColumn('rotation').execute()
  await db.schema.dropIndex('audit_by_bulk').execute()
  await db.schema.alterTable('audit').dropColumn('bulk_id').execute()
  await db.schema.dropTable('event_settings').execute()
  for (const column of ['event_locks', 'opened_at'])
    await db.schema.alterTable('boards').dropColumn(column).execute()
  await db.schema.alterTable('audit').dropColumn('reason').execute()
  await db.schema.alterTable('boards').dropColumn('version').execute()
  // Of PostgreSQL alone.
  if (dialectOf(db) === 'postgres') await sql`drop trigger charges_counted on charges`.execute(db)
  await db.schema.dropTable('spend_buckets').execute()
  await db.schema.dropTable('calls').execute()
  await db.schema.dropTable('running_calls').execute()
  for (const table of ['deployment_facts', 'adjustments']) await db.schema.dropTable(table).execute()
  for (const column of ['granted_nano', 'granted_period'])
    await db.schema.alterTable('teams').dropColumn(column).execute()
  // Of PostgreSQL alone.
  for (const table of ['limit_states', 'limits_epoch', 'line_reports'])
    await db.schema.dropTable(table).ifExists().execute()
  await db.schema.dropTable('processes').execute()
  await db.schema.alterTable('idempotent_calls').dropColumn('process_id').execute()
  await sql`create table joined_totals (team_id text not null, owner text not null, period_start bigint not null,
    spent_nano bigint not null, lifetime_nano bigint not null, version bigint not null, primary key (team_id, owner))`.execute(
    db,
  )
  await sql`insert into joined_totals
    select team_id, owner, period_start, spent_nano, lifetime_nano, version from totals where slot = 0 and team_id <> ''`.execute(
    db,
  )
  await db.schema.dropTable('totals').execute()
  await db.schema.alterTable('joined_totals').renameTo('totals').execute()
  await db.schema.alterTable('open_streams').dropColumn('facts').execute()
  for (const filter of ['time', 'tool', 'event', 'tool_event']) {
    await db.schema.createIndex(`entries_by_${filter}`).on('entries').column('team_id').execute()
    for (const kind of ['in', 'ahead_in', 'ahead_received_in'])
      await db.schema.dropIndex(`entries_${kind}_${filter}`).execute()
  }
  for (const column of ['token_id', 'client_address', 'salt', 'commitment', 'late'])
    await db.schema.alterTable('entries').dropColumn(column).execute()
  await db.schema.alterTable('boards').dropColumn('head_received_micros').execute()
  await sql`delete from kysely_migration where name >= '008'`.execute(db)
}
