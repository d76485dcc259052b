// Reads a complete backup and checks that nothing is missing or changed: files, database, row counts, and every team's chain of entries.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { createTeamVerifier } from '../../logbook/verify-chain/verify-team-chain.ts'
import { runRead } from '../../store/run-statement.ts'
import type { Schema } from '../../store/schema/schema.ts'
import { createStore, type Store } from '../../store/store.ts'
import { describeFile } from './copy-files.ts'
import { databaseName, type Manifest, manifestName, parseManifest } from './manifest.ts'
import { openSqliteFile } from './open-databases.ts'
import { countRows, listTables } from './tables.ts'

/** Receives one line of text for each step. */
export type Report = (step: string) => void

export type VerifiedBackup = {
  readonly manifest: Manifest
  /** Teams with entries that did not fit their chain in the original database. The copy is exact; the original had been changed. */
  readonly brokenChains: readonly BrokenChain[]
}

/** `seq`: the first entry that does not fit. */
export type BrokenChain = { readonly teamId: string; readonly seq: number }

/** Throws an Error that names the first difference from what was written. */
export async function verifyBackup(folder: string, report: Report): Promise<VerifiedBackup> {
  const manifest = parseManifest(
    await readFile(join(folder, manifestName), 'utf8').catch(() => {
      throw new Error(`${folder} is not a backup, or is incomplete: it has no ${manifestName}.`)
    }),
  )
  for (const { path, bytes, sha256 } of manifest.files) {
    report(`checking ${path}`)
    const found = await describeFile(folder, path).catch(() => null)
    if (found === null) throw new Error(`The backup lacks the file ${path}.`)
    if (found.bytes !== bytes || found.sha256 !== sha256)
      throw new Error(`The file ${path} of the backup is not what was written.`)
  }
  if (!manifest.files.some(({ path }) => path === databaseName))
    throw new Error(`The backup does not list ${databaseName}.`)
  const brokenChains = await verifyDatabase(join(folder, databaseName), manifest, report)
  return { manifest, brokenChains }
}

async function verifyDatabase(
  path: string,
  { tables }: Manifest,
  report: Report,
): Promise<VerifiedBackup['brokenChains']> {
  await using db = openSqliteFile(path)
  report('checking the pages of the database')
  const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check(1)`.execute(db)
  const finding = rows[0]?.integrity_check
  if (finding !== 'ok') throw new Error(`The database of the backup is damaged: ${finding}.`)
  for (const table of await listTables(db)) {
    const found = await countRows(db, table)
    if (found !== tables[table])
      throw new Error(
        `The table ${table} of the backup has ${found} rows, but ${tables[table]} were written.`,
      )
  }
  return await findBrokenChains(db, report)
}

/** The store's reads, only on this connection. */
export function openReads(db: Kysely<Schema>): Store['read'] {
  return createStore({
    read: (name, input) => runRead(db, name, input),
    write: () => Promise.reject(new Error('A backup that is being checked cannot be written.')),
    check: async () => undefined,
    close: async () => undefined,
  }).read
}

/** Recomputes the chain of every team from its entries. */
export async function findBrokenChains(db: Kysely<Schema>, report: Report): Promise<BrokenChain[]> {
  const verifyTeam = createTeamVerifier(openReads(db))
  const boards = await db.selectFrom('boards').select('team_id').orderBy('team_id').execute()
  const broken: BrokenChain[] = []
  for (const { team_id: teamId } of boards) {
    report(`checking the entries of ${teamId}`)
    const found = await verifyTeam(teamId)
    if (!found.ok) broken.push({ teamId, seq: found.seq })
  }
  return broken
}
