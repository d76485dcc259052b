// The PostgreSQL database that a data folder is copied into: what is in it, how far a copy has come, and its rows without loss.
import { Client, types } from 'pg'
import { lockNumber, poolName } from '../store/postgres/hold-database-lock.ts'
import { copyTable } from '../store/unfinished-copy.ts'
import { type TableName, tableKeys, tableNames } from './copy-tables.ts'
import { adaptRow, type ExactRow } from './exact-rows.ts'

/** Types 20, 21 and 23 of PostgreSQL's catalog: integers of 8, 2 and 4 bytes. */
const integers: readonly number[] = [20, 21, 23]

const getTypeParser: typeof types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  integers.includes(oid) ? BigInt : types.getTypeParser(oid, format as 'text')

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`

/** How far the copying of a table has come. */
export type Position = {
  readonly rows: number
  /** The key of the last row. */
  readonly after: Readonly<Record<string, KeyValue>>
}

/** Integers as texts in a member of their own, since JSON has none of 64 bits. */
type KeyValue = string | { readonly i: string }

export function writeKey(row: ExactRow, keys: readonly string[]): Position['after'] {
  return Object.fromEntries(
    keys.map(name => {
      const value = row[name]
      return [name, typeof value === 'bigint' ? { i: value.toString() } : String(value)]
    }),
  )
}

export function readKey(after: Position['after']): ExactRow {
  return Object.fromEntries(
    Object.entries(after).map(([name, value]) => [name, typeof value === 'string' ? value : BigInt(value.i)]),
  )
}

export type CopyMarker = {
  readonly sourcePath: string
  readonly sourceState: string
  /** Unix ms. */
  readonly startedAt: number
  readonly finishedAt: number | null
  /** Table → position; null until the tables were made. */
  readonly positions: Readonly<Partial<Record<TableName, Position>>> | null
}

export class TargetDatabase {
  readonly #client: Client
  #columns = new Map<TableName, readonly string[]>()

  private constructor(client: Client) {
    this.#client = client
  }

  static async connect(connectionString: string): Promise<TargetDatabase> {
    const client = new Client({
      connectionString,
      // Whoever takes the database's lock ends connections of this name: a page that a killed copy has sent is then not committed late.
      application_name: poolName,
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
      types: { getTypeParser },
    })
    // A lost connection also fails the statement that waits on it, or the next one.
    client.on('error', () => undefined)
    await client.connect()
    // Every question names rows by their keys, of which the planner knows nothing in a table that was just filled.
    await client.query('set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off')
    // Pages need not wait for the disk: each commits its rows and the position together, and the end of the copy waits for all of them.
    await client.query('set synchronous_commit = off')
    // The sums of charges are copied as they are, and not counted again.
    await client.query("set fairgate.copying = 'on'")
    return new TargetDatabase(client)
  }

  /** `server_version`, and the encoding of its texts. */
  async readServer(): Promise<{ version: string; number: number; encoding: string }> {
    const [row] = await this.#read(
      `select current_setting('server_version') as version, current_setting('server_version_num') as number,
        current_setting('server_encoding') as encoding`,
    )
    return {
      version: String(row?.version),
      number: Number(row?.number),
      encoding: String(row?.encoding),
    }
  }

  /** All tables that it has, whoever made them. */
  async listTables(): Promise<string[]> {
    const rows = await this.#read(
      `select table_name from information_schema.tables
        where table_schema not in ('pg_catalog', 'information_schema') order by table_name`,
    )
    return rows.map(row => String(row.table_name))
  }

  async listMigrations(): Promise<string[]> {
    if (!(await this.listTables()).includes('kysely_migration')) return []
    return (await this.#read('select name from kysely_migration order by name')).map(row => String(row.name))
  }

  /** Whether a process that has its limits in memory, or another copy, holds the database. */
  async isLocked(): Promise<boolean> {
    const locks = await this.#read(
      `select 1 from pg_locks where locktype = 'advisory' and granted and classid = 0 and objid = $1
        and database = (select oid from pg_database where datname = current_database())`,
      [lockNumber],
    )
    return locks.length > 0
  }

  /** In words; null when no process has a lease. */
  async findLivingProcess(): Promise<string | null> {
    const [living] = await this.#read(
      `select coalesce(address, process_id) as name from processes
        where lease_until > extract(epoch from clock_timestamp()) * 1000 limit 1`,
    )
    return living === undefined ? null : `the Fairgate process ${String(living.name)} runs on it`
  }

  async readMarker(): Promise<CopyMarker | null> {
    if (!(await this.listTables()).includes(copyTable)) return null
    const [row] = await this.#read(`select * from ${copyTable}`)
    if (row === undefined) return null
    return {
      sourcePath: String(row.source_path),
      sourceState: String(row.source_state),
      startedAt: Number(row.started_at),
      finishedAt: row.finished_at === null ? null : Number(row.finished_at),
      positions: row.positions === null ? null : JSON.parse(String(row.positions)),
    }
  }

  /** From here on nobody else can start on the database. */
  async beginCopy(
    source: { readonly path: string; readonly state: string },
    startedAt: number,
  ): Promise<void> {
    await this.#inTransaction(async () => {
      await this.#client.query(`create table if not exists ${copyTable} (id integer primary key check (id = 1),
        source_path text not null, source_state text not null, started_at bigint not null, finished_at bigint, positions text)`)
      await this.#client.query(
        `insert into ${copyTable} values (1, $1, $2, $3, null, null) on conflict (id) do update set source_path = excluded.source_path,
          source_state = excluded.source_state, started_at = excluded.started_at, finished_at = null, positions = null`,
        [source.path, source.state, startedAt],
      )
    })
  }

  /** Takes away what migrations, or an earlier attempt, have put into the tables, and notes that nothing is copied yet. */
  async clearTables(): Promise<void> {
    await this.#inTransaction(async () => {
      await this.#client.query(`truncate ${tableNames.map(quote).join(', ')}`)
      await this.#client.query(`update ${copyTable} set positions = '{}'`)
    })
  }

  async listColumns(table: TableName): Promise<readonly string[]> {
    const known = this.#columns.get(table)
    if (known !== undefined) return known
    const rows = await this.#read(
      `select column_name from information_schema.columns where table_schema = current_schema() and table_name = $1
        order by ordinal_position`,
      [table],
    )
    const columns = rows.map(row => String(row.column_name))
    this.#columns.set(table, columns)
    return columns
  }

  /** Counts no further than `most`. */
  async countRows(table: TableName, most: number | null = null): Promise<number> {
    const [row] = await this.#read(
      `select count(*) as rows from (select 1 from ${quote(table)} limit $1::bigint) counted`,
      [most],
    )
    return Number(row?.rows ?? 0)
  }

  /** One statement, and so one commit, for the rows and for the position behind them. */
  async insertPage(
    table: TableName,
    rows: readonly ExactRow[],
    positions: Readonly<Partial<Record<TableName, Position>>>,
  ): Promise<void> {
    const columns = (await this.listColumns(table)).map(quote).join(', ')
    await this.#client.query({
      name: `insert ${table}`,
      text: `with page as (insert into ${quote(table)} (${columns})
          select ${columns} from json_populate_recordset(null::${quote(table)}, $1::json))
        update ${copyTable} set positions = $2`,
      values: [writeRecords(rows), JSON.stringify(positions)],
    })
  }

  /** Why the row cannot be stored; null when it can. Leaves nothing behind. */
  async tryRow(table: TableName, row: ExactRow): Promise<string | null> {
    const columns = (await this.listColumns(table)).map(quote).join(', ')
    await this.#client.query('begin')
    try {
      await this.#client.query(
        `insert into ${quote(table)} (${columns}) select ${columns} from json_populate_recordset(null::${quote(table)}, $1::json)`,
        [writeRecords([row])],
      )
      return null
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    } finally {
      await this.#client.query('rollback')
    }
  }

  /** The rows with the keys of `rows`, in any order. */
  async findRows(table: TableName, rows: readonly ExactRow[]): Promise<ExactRow[]> {
    const keys: readonly string[] = tableKeys[table]
    const wanted = rows.map(row => Object.fromEntries(keys.map(name => [name, row[name] ?? null])))
    const same = keys.map(name => `kept.${quote(name)} = wanted.${quote(name)}`).join(' and ')
    const { rows: found } = await this.#client.query<ExactRow>({
      name: `find ${table}`,
      text: `select kept.* from json_populate_recordset(null::${quote(table)}, $1::json) wanted join ${quote(table)} kept on ${same}`,
      values: [writeRecords(wanted)],
    })
    return found.map(row => adaptRow(table, row))
  }

  /** The keys of all rows, in the order of this database. */
  async *readKeys(table: TableName): AsyncGenerator<readonly ExactRow[]> {
    const keys: readonly string[] = tableKeys[table]
    const names = keys.map(quote).join(', ')
    let after: ExactRow | null = null
    for (;;) {
      const last: ExactRow | null = after
      const beyond =
        last === null ? '' : `where (${names}) > (${keys.map((_, index) => `$${index + 1}`).join(', ')})`
      const values = last === null ? [] : keys.map(name => last[name])
      const rows: ExactRow[] = await this.#read(
        `select ${names} from ${quote(table)} ${beyond} order by ${names} limit 5000`,
        values,
      )
      if (rows.length === 0) return
      yield rows
      after = rows.at(-1) ?? null
    }
  }

  /** Numbers that the database gives itself go on after the last one of the source. */
  async continueNumbers(readLastNumber: (table: TableName) => bigint): Promise<void> {
    for (const table of tableNames) {
      const serials = await this.#read(
        `select column_name as name, pg_get_serial_sequence(table_name, column_name) as sequence from information_schema.columns
          where table_schema = current_schema() and table_name = $1 and column_default like 'nextval(%'`,
        [table],
      )
      for (const { name, sequence } of serials)
        await this.#read(
          `select setval($1, greatest($2::bigint, (select coalesce(max(${quote(String(name))}), 0) from ${quote(table)})) + 1, false)`,
          [sequence, readLastNumber(table).toString()],
        )
    }
  }

  /** Tells the planner what the tables hold now. */
  async analyze(): Promise<void> {
    await this.#client.query(`analyze ${tableNames.map(quote).join(', ')}`)
  }

  /** Owners whose total is not the sum of their charges and corrections. */
  async findWrongTotals(): Promise<{ owner: string; total: bigint; charges: bigint }[]> {
    const rows = await this.#read(
      `with ledger as (
          select team_id, key_hash, cost_nano from charges
          union all select team_id, key_hash, amount_nano from adjustments where kind <> 'grant'
        ), charged as (
          select 'team:' || team_id as owner, sum(cost_nano) as cost from ledger group by team_id
          union all select 'key:' || key_hash, sum(cost_nano) from ledger where key_hash is not null group by key_hash
          union all select 'event', sum(cost_nano) from ledger
        ), told as (
          select owner, sum(lifetime_nano) as cost from totals where owner = 'event' or owner like 'team:%' or owner like 'key:%' group by owner
        )
        select owner, coalesce(told.cost, 0)::text as total, coalesce(charged.cost, 0)::text as charges
        from charged full join told using (owner) where coalesce(told.cost, 0) <> coalesce(charged.cost, 0) order by owner limit 100`,
    )
    return rows.map(row => ({
      owner: String(row.owner),
      total: BigInt(String(row.total)),
      charges: BigInt(String(row.charges)),
    }))
  }

  async finishCopy(finishedAt: number): Promise<void> {
    await this.#client.query('set synchronous_commit = on')
    await this.#client.query(`update ${copyTable} set finished_at = $1`, [finishedAt])
  }

  async close(): Promise<void> {
    await this.#client.end().catch(() => undefined)
  }

  async #read(text: string, values: readonly unknown[] = []): Promise<ExactRow[]> {
    return (await this.#client.query<ExactRow>(text, [...values])).rows
  }

  async #inTransaction(work: () => Promise<void>): Promise<void> {
    await this.#client.query('begin')
    try {
      await work()
      await this.#client.query('commit')
    } catch (error) {
      await this.#client.query('rollback').catch(() => undefined)
      throw error
    }
  }
}

/** As `json_populate_recordset` reads them: integers as texts, which lose nothing, and bytes in hex. */
function writeRecords(rows: readonly ExactRow[]): string {
  return JSON.stringify(rows, (_, value: unknown) => {
    if (typeof value === 'bigint') return value.toString()
    return value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : value
  })
}
