// Moves the SQLite database of a data folder into PostgreSQL: looks first, copies page by page, compares every row, and only then lets a server use it.
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { migrationNames, runMigrations } from '../store/migrations/migrate.ts'
import { holdDatabaseLock } from '../store/postgres/hold-database-lock.ts'
import type { KeptConnection } from '../store/postgres/kept-connection.ts'
import { lockDataFolder } from '../store/sqlite/lock-data-folder.ts'
import { DatabaseInUse } from '../store/store-error.ts'
import { type ComparedTable, compareTable, type Difference } from './compare-databases.ts'
import { type TableName, tableKeys, tableNames } from './copy-tables.ts'
import { describeKey, type ExactRow } from './exact-rows.ts'
import { inspectTarget, type Origin, type TargetFacts } from './inspect-target.ts'
import { type LeftFiles, listLeftFiles } from './list-left-files.ts'
import { databaseName } from './manifest.ts'
import { openPostgres } from './open-databases.ts'
import { describeState, SourceDatabase } from './source-database.ts'
import { type Position, readKey, TargetDatabase, writeKey } from './target-database.ts'
import { type BrokenChain, findBrokenChains, type Report } from './verify-backup.ts'

export type CopyInput = {
  readonly dataFolder: string
  /** Of the target. */
  readonly databaseUrl: string
  /** `plan` says what `copy` would do, and `verify` compares: neither changes anything. */
  readonly mode: 'copy' | 'plan' | 'verify'
  /** Throws away what an unfinished copy has copied. */
  readonly startOver: boolean
  readonly now: () => Date
  /** Monotonic ms. */
  readonly stopwatch: () => number
  readonly report: Report
}

/** As the command line asks for it. */
export type CopyDatabase = (request: Omit<CopyInput, 'now' | 'stopwatch'>) => Promise<CopyReport>

export type CopyReport = {
  readonly from: string
  readonly source_bytes: number
  /** Without the password. */
  readonly to: string
  readonly postgres_version: string
  /** What the target was before. */
  readonly target: TargetFacts['state']
  readonly outcome: 'would_copy' | 'would_go_on' | 'would_verify' | 'copied' | 'verified'
  readonly tables: readonly CopiedTable[]
  readonly differences: readonly Difference[]
  /** Teams whose entries do not fit their chain. The copy has them as they were. */
  readonly broken_chains: readonly BrokenChain[]
  /** Owners whose total is not the sum of their charges. The copy has them as they were. */
  readonly wrong_totals: readonly {
    readonly owner: string
    readonly total_nano: string
    readonly charges_nano: string
  }[]
  readonly seconds: number
  readonly files_left: readonly LeftFiles[]
}

type CopiedTable = {
  readonly table: TableName
  readonly rows: number
  /** By an earlier run. */
  readonly copied_before: number
  /** Of all rows, the same on both sides; null where nothing was compared, and where they differ. */
  readonly digest: string | null
}

/** Throws an Error that says what is in the way and what to do. Whatever happens, the source stays as it is. */
export async function copyDatabase(input: CopyInput): Promise<CopyReport> {
  const dataFolder = resolve(input.dataFolder)
  const path = join(dataFolder, databaseName)
  if (!existsSync(path))
    throw new Error(`There is no database ${path}. Name the data folder to copy with --from.`)
  const folderLock = lockDataFolder(dataFolder)
  try {
    const source = new SourceDatabase(path)
    try {
      refuseOtherSchema(source)
      return await copyFrom(source, { ...input, dataFolder })
    } finally {
      source.close()
    }
  } finally {
    folderLock.release()
  }
}

/** A copy must not change its source, so it migrates nothing there. */
function refuseOtherSchema(source: SourceDatabase): void {
  const found = source.listMigrations()
  const unknown = found.find(name => !migrationNames.includes(name))
  if (unknown !== undefined)
    throw new Error(
      `${source.path} was written by a newer version of Fairgate (it has the migration ${unknown}). Copy it with that version.`,
    )
  const lacking = migrationNames.filter(name => !found.includes(name))
  if (found.length === 0) throw new Error(`${source.path} is no database of Fairgate.`)
  if (lacking.length > 0)
    throw new Error(
      `${source.path} was written by an older version of Fairgate (it lacks the migration ${lacking.join(', ')}). Take a backup, start this version on the data folder once, stop it, and copy then.`,
    )
}

async function copyFrom(source: SourceDatabase, input: CopyInput): Promise<CopyReport> {
  const began = input.stopwatch()
  const { databaseUrl, mode, report } = input
  const origin: Origin = { path: source.path, state: describeState(source.path) }
  const expected = tableNames.map(table => ({ table, rows: source.countRows(table) }))
  const look = (target: TargetDatabase) => inspectTarget(target, origin, input)
  const complete = (facts: TargetFacts, outcome: CopyReport['outcome'], found: Findings): CopyReport => ({
    from: source.path,
    source_bytes: Bun.file(source.path).size,
    to: describeAddress(databaseUrl),
    postgres_version: facts.serverVersion,
    target: facts.state,
    outcome,
    ...found,
    seconds: Math.round(input.stopwatch() - began) / 1000,
    files_left: listLeftFiles(input.dataFolder),
  })

  report('looking at the target')
  const seen = await withTarget(databaseUrl, async target => {
    if (mode === 'plan' && (await target.isLocked()))
      throw new Error(`The target is in use: ${lockHolder}. Stop it first.`)
    return look(target)
  })
  if (mode === 'plan') return complete(seen, `would_${seen.next}`, describePlan(expected, seen))
  // The lock waits some seconds for a process that was killed just now, and leaves a table behind: it comes after the first look.
  const lock = await holdDatabaseLock(databaseUrl).catch((error: unknown) => {
    if (!(error instanceof DatabaseInUse)) throw error
    throw new Error(`The target is in use: ${lockHolder}. Stop it first.`, { cause: error })
  })
  try {
    return await withTarget(databaseUrl, async target => {
      const facts = await look(target)
      const run = new CopyRun(source, target, lock, input, facts)
      if (facts.next === 'copy') await run.begin(origin)
      if (facts.next !== 'verify') await run.copyTables(expected)
      const found = await run.compareTables(expected)
      return complete(facts, facts.next === 'verify' ? 'verified' : 'copied', found)
    })
  } finally {
    await lock.release()
  }
}

const lockHolder = 'a Fairgate process, or another copy, holds its lock'

type Findings = Pick<CopyReport, 'tables' | 'differences' | 'broken_chains' | 'wrong_totals'>
type Expected = readonly { readonly table: TableName; readonly rows: number }[]

function describePlan(expected: Expected, { marker, next }: TargetFacts): Findings {
  const positions = next === 'go_on' ? marker?.positions : null
  const tables = expected.map(({ table, rows }) => ({
    table,
    rows,
    copied_before: positions?.[table]?.rows ?? 0,
    digest: null,
  }))
  return { tables, differences: [], broken_chains: [], wrong_totals: [] }
}

type Positions = Readonly<Partial<Record<TableName, Position>>>

/** What only a look at all rows together shows. The same is true of the source, which the copy equals. */
async function checkContents(
  target: TargetDatabase,
  databaseUrl: string,
  report: Report,
): Promise<Pick<CopyReport, 'broken_chains' | 'wrong_totals'>> {
  report('checking totals against charges')
  const wrong = await target.findWrongTotals()
  const db = openPostgres(databaseUrl)
  try {
    return {
      broken_chains: await findBrokenChains(db, report),
      wrong_totals: wrong.map(({ owner, total, charges }) => ({
        owner,
        total_nano: total.toString(),
        charges_nano: charges.toString(),
      })),
    }
  } finally {
    await db.destroy()
  }
}

/** The steps of one run, under the locks of both sides. */
class CopyRun {
  readonly #source: SourceDatabase
  readonly #target: TargetDatabase
  readonly #lock: Pick<KeptConnection, 'require'>
  readonly #input: CopyInput
  readonly #facts: TargetFacts
  /** Of the runs before this one. */
  readonly #before: Positions
  #positions: Positions

  constructor(
    source: SourceDatabase,
    target: TargetDatabase,
    lock: Pick<KeptConnection, 'require'>,
    input: CopyInput,
    facts: TargetFacts,
  ) {
    this.#source = source
    this.#target = target
    this.#lock = lock
    this.#input = input
    this.#facts = facts
    this.#before = facts.next === 'go_on' ? (facts.marker?.positions ?? {}) : {}
    this.#positions = this.#before
  }

  /** The mark comes first: from then on nobody but a copy can use the database. */
  async begin(origin: Origin): Promise<void> {
    this.#input.report('making the tables')
    await this.#target.beginCopy(origin, this.#input.now().getTime())
    const db = openPostgres(this.#input.databaseUrl)
    try {
      await runMigrations(db)
    } finally {
      await db.destroy()
    }
    await this.#target.clearTables()
  }

  async copyTables(expected: Expected): Promise<void> {
    for (const { table, rows } of expected) await this.#copyTable(table, rows)
    await this.#target.continueNumbers(table => this.#source.readLastNumber(table))
    await this.#target.analyze()
  }

  /** A server may use the copy from the moment in which all of it has been found equal. */
  async compareTables(expected: Expected): Promise<Findings> {
    const compared: ComparedTable[] = []
    for (const { table, rows } of expected) {
      const tell = this.#createProgress(`comparing ${table}`, rows, 0)
      compared.push(await compareTable(this.#source, this.#target, table, tell))
    }
    const tables = compared.map(({ table, rows, digest }) => ({
      table,
      rows,
      copied_before: this.#before[table]?.rows ?? 0,
      digest,
    }))
    const differences = compared.flatMap(table => table.differences)
    if (differences.length > 0) return { tables, differences, broken_chains: [], wrong_totals: [] }
    if (this.#facts.next !== 'verify') await this.#finish()
    const contents = await checkContents(this.#target, this.#input.databaseUrl, this.#input.report)
    return { tables, differences, ...contents }
  }

  async #copyTable(table: TableName, total: number): Promise<void> {
    const before = this.#before[table]
    let rows = before?.rows ?? 0
    const tell = this.#createProgress(`copying ${table}`, total, rows)
    for (const page of this.#source.readPages(table, before === undefined ? null : readKey(before.after))) {
      const last = page.at(-1)
      if (last === undefined) continue
      rows += page.length
      const positions = { ...this.#positions, [table]: { rows, after: writeKey(last, tableKeys[table]) } }
      this.#lock.require()
      await this.#insertPage(table, page, positions)
      this.#positions = positions
      tell(rows)
    }
  }

  async #finish(): Promise<void> {
    this.#lock.require()
    const user = await this.#target.findLivingProcess()
    if (user !== null) throw new Error(`The target has been used while it was copied into: ${user}.`)
    await this.#target.finishCopy(this.#input.now().getTime())
  }

  async #insertPage(table: TableName, page: readonly ExactRow[], positions: Positions): Promise<void> {
    try {
      await this.#target.insertPage(table, page, positions)
    } catch (error) {
      if (isAboutValues(error)) await this.#explainRefusedRow(table, page)
      const reason = error instanceof Error ? error.message : String(error)
      throw new Error(
        `The copy has stopped at the table ${table}: ${reason}. What was copied is kept; run the same command again to go on.`,
        { cause: error },
      )
    }
  }

  /** Throws an Error that names the first row which PostgreSQL does not take. */
  async #explainRefusedRow(table: TableName, page: readonly ExactRow[]): Promise<void> {
    for (const row of page) {
      const reason = await this.#target.tryRow(table, row)
      if (reason === null) continue
      const name = `The row ${describeKey(row, tableKeys[table])} of the table ${table}`
      const column = Object.keys(row).find(key => String(row[key]).includes('\0'))
      throw new Error(
        column === undefined
          ? `${name} does not fit into PostgreSQL: ${reason}.`
          : `${name} does not fit into PostgreSQL: its column ${column} has the character U+0000, which PostgreSQL cannot store.`,
      )
    }
  }

  /** Reports at once, and then no more than once a second. */
  #createProgress(what: string, total: number, first: number): (rows: number) => void {
    const { stopwatch, report } = this.#input
    const began = stopwatch()
    let told = began
    if (total > 0) report(`${what}: ${first} of ${total} rows`)
    return rows => {
      const now = stopwatch()
      if (now - told < 1000 && rows < total) return
      told = now
      const rate = Math.round(((rows - first) * 1000) / Math.max(now - began, 1))
      report(`${what}: ${rows} of ${total} rows, ${rate} rows/s`)
    }
  }
}

/** Classes 22 and 23 of PostgreSQL's codes: a value that a column cannot hold. The connection works on. */
function isAboutValues(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^2[23]/.test(String(error.code))
}

async function withTarget<Result>(
  databaseUrl: string,
  work: (target: TargetDatabase) => Promise<Result>,
): Promise<Result> {
  const target = await TargetDatabase.connect(databaseUrl).catch((cause: unknown) => {
    const reason =
      cause instanceof Error ? cause.message || ('code' in cause ? cause.code : cause.name) : cause
    throw new Error(`The target cannot be reached: ${reason}`, { cause })
  })
  try {
    return await work(target)
  } finally {
    await target.close()
  }
}

/** Host and database, without user and password. */
function describeAddress(databaseUrl: string): string {
  const { host, pathname } = new URL(databaseUrl)
  return `postgres://${host}${pathname}`
}
