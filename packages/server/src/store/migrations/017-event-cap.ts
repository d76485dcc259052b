// Makes room for the cap of an event over all teams, for corrections of what was spent, and for the functions that count both.
import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'
import { admit2 } from '../postgres/functions/admit-2.ts'
import { settle2 } from '../postgres/functions/settle-2.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('running_calls')
    .addColumn('event_nano', 'bigint', column => column.notNull().defaultTo(0))
    .execute()
  await db.schema
    .createTable('adjustments')
    .addColumn('team_id', 'text', column => column.notNull())
    .addColumn('adjustment_id', 'text', column => column.notNull())
    .addColumn('kind', 'text', column => column.notNull())
    .addColumn('call_id', 'text')
    .addColumn('key_hash', 'text')
    .addColumn('model_id', 'text')
    .addColumn('amount_nano', 'bigint', column => column.notNull())
    .addColumn('team_period', 'bigint', column => column.notNull())
    .addColumn('key_period', 'bigint', column => column.notNull())
    .addColumn('at', 'bigint', column => column.notNull())
    .addColumn('actor', 'text', column => column.notNull())
    .addColumn('reason', 'text', column => column.notNull())
    .addColumn('bulk_id', 'text')
    .addPrimaryKeyConstraint('adjustments_pk', ['team_id', 'adjustment_id'])
    .execute()
  await db.schema
    .createIndex('adjustments_of_call')
    .on('adjustments')
    .columns(['team_id', 'call_id'])
    .execute()
  await db.schema
    .alterTable('teams')
    .addColumn('granted_nano', 'bigint', column => column.notNull().defaultTo(0))
    .execute()
  await db.schema.alterTable('teams').addColumn('granted_period', 'bigint').execute()
  // What was spent before counts as well.
  await sql`insert into totals (team_id, owner, slot, period_start, spent_nano, lifetime_nano, version)
    select '', 'event', 0, 0, sum(lifetime_nano), sum(lifetime_nano), 1 from totals where owner like 'team:%' having count(*) > 0`.execute(
    db,
  )
  if (dialectOf(db) === 'sqlite') return
  for (const text of [admit2, settle2]) await sql.raw(text).execute(db)
  // A version that runs beside writes totals of the event too.
  await sql`do $do$ begin
    if to_regprocedure('settle_1(int, text[], json, json, json, json)') is not null then
      create or replace function settle_1(
        given_slot int, ended_names text[], charges_json json, records_json json, opened_json json, progressed_json json
      ) returns void language plpgsql as $function$
      begin
        perform settle_2(given_slot, ended_names, charges_json, records_json, opened_json, progressed_json);
      end
      $function$;
    end if;
  end $do$`.execute(db)
}
