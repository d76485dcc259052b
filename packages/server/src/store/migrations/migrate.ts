// Brings a database to the current schema: numbered, forward-only migrations, each run once, under Kysely's lock.
import { type Kysely, type Migration, Migrator, sql } from 'kysely'
import { refuseUnfinishedCopy } from '../unfinished-copy.ts'
import * as directory from './001-directory.ts'
import * as ledger from './002-ledger.ts'
import * as logbook from './003-logbook.ts'
import * as idempotentCalls from './004-idempotent-calls.ts'
import * as videos from './005-videos.ts'
import * as reportedUsage from './006-reported-usage.ts'
import * as windowRows from './007-window-rows.ts'
import * as entryEvidence from './008-entry-evidence.ts'
import * as calls from './009-calls.ts'
import * as runningCalls from './010-running-calls.ts'
import * as idempotentProcesses from './011-idempotent-processes.ts'
import * as directoryVersions from './012-directory-versions.ts'
import * as sharedLimits from './013-shared-limits.ts'
import * as deploymentFacts from './014-deployment-facts.ts'
import * as eventSettings from './015-event-settings.ts'
import * as spendBuckets from './016-spend-buckets.ts'
import * as eventCap from './017-event-cap.ts'
import * as membersAndClaims from './018-members-and-claims.ts'
import * as keyRotation from './020-key-rotation.ts'
import * as notices from './021-notices.ts'
import * as spendInWriter from './022-spend-in-writer.ts'
import * as attentionSnoozes from './023-attention-snoozes.ts'
import * as correctionsInSums from './024-corrections-in-sums.ts'
import * as recorders from './026-recorders.ts'
import * as endedConditions from './027-ended-conditions.ts'
import * as access from './028-access.ts'
import * as lineReports from './029-line-reports.ts'
import * as messages from './030-messages.ts'
import * as wallsAndNotes from './031-walls-and-notes.ts'
import * as conditionStarts from './032-condition-starts.ts'
import * as undeliveredAnswers from './033-undelivered-answers.ts'
import * as unchargedSums from './034-uncharged-sums.ts'
import * as entriesDatedAhead from './035-entries-dated-ahead.ts'
import * as laptopClocks from './036-laptop-clocks.ts'

const migrations: Record<string, Migration> = {
  '001-directory': directory,
  '002-ledger': ledger,
  '003-logbook': logbook,
  '004-idempotent-calls': idempotentCalls,
  '005-videos': videos,
  '006-reported-usage': reportedUsage,
  '007-window-rows': windowRows,
  '008-entry-evidence': entryEvidence,
  '009-calls': calls,
  '010-running-calls': runningCalls,
  '011-idempotent-processes': idempotentProcesses,
  '012-directory-versions': directoryVersions,
  '013-shared-limits': sharedLimits,
  '014-deployment-facts': deploymentFacts,
  '015-event-settings': eventSettings,
  '016-spend-buckets': spendBuckets,
  '017-event-cap': eventCap,
  '018-members-and-claims': membersAndClaims,
  '020-key-rotation': keyRotation,
  '021-notices': notices,
  '022-spend-in-writer': spendInWriter,
  '023-attention-snoozes': attentionSnoozes,
  '024-corrections-in-sums': correctionsInSums,
  '026-recorders': recorders,
  '027-ended-conditions': endedConditions,
  '028-access': access,
  '029-line-reports': lineReports,
  '030-messages': messages,
  '031-walls-and-notes': wallsAndNotes,
  '032-condition-starts': conditionStarts,
  '033-undelivered-answers': undeliveredAnswers,
  '034-uncharged-sums': unchargedSums,
  '035-entries-dated-ahead': entriesDatedAhead,
  '036-laptop-clocks': laptopClocks,
}

/** Of this version, in their order. */
export const migrationNames: readonly string[] = Object.keys(migrations)

/** Throws when a migration fails, when the database was written by a newer Fairgate, or when it holds an unfinished copy. */
export async function migrate<Tables>(db: Kysely<Tables>): Promise<void> {
  await refuseNewer(db)
  await runMigrations(db)
}

/** The migrations alone, for who has looked at the database before. */
export async function runMigrations<Tables>(db: Kysely<Tables>): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  const { error } = await migrator.migrateToLatest()
  if (error !== undefined)
    throw new Error('The database could not be brought to the current schema.', { cause: error })
}

/** Throws an Error for a database that a newer Fairgate has migrated, or that holds an unfinished copy. */
export async function refuseNewer<Tables>(db: Kysely<Tables>): Promise<void> {
  const tables = (await db.introspection.getTables({ withInternalKyselyTables: true })).map(
    ({ name }) => name,
  )
  await refuseUnfinishedCopy(db, tables)
  if (!tables.includes('kysely_migration')) return
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  const unknown = rows.find(({ name }) => !migrationNames.includes(name))
  if (unknown === undefined) return
  throw new Error(
    `The database was written by a newer version of Fairgate (it has the migration ${unknown.name}). Run that version, or restore the backup from before the upgrade.`,
  )
}
