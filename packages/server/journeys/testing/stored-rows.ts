// Reads and changes stored rows without the server, so that journeys can compare them with replies and bills.
import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { Client } from 'pg'

/** The data of a server: a folder, and a PostgreSQL database if it runs on one. */
export type Place = { readonly dataFolder: string; readonly databaseUrl: string | null }

export type StoredCharge = {
  readonly call_id: string
  readonly model_id: string
  readonly endpoint: string
  readonly cost_nano: number
  readonly outcome: string
  readonly flag: string | null
  readonly units: string
}

export async function readCharges(place: Place, teamId: string): Promise<StoredCharge[]> {
  const rows = await runStored<StoredCharge>(
    place,
    'select call_id, model_id, endpoint, cost_nano, outcome, flag, units from charges where team_id = ? order by settled_at, call_id',
    [teamId],
  )
  return rows.map(row => ({ ...row, cost_nano: Number(row.cost_nano) }))
}

/** Refunds and other corrections of calls, in addition to their charges: for example if the process died before its answer. */
export async function readCorrections(place: Place, teamId: string): Promise<StoredCharge[]> {
  const rows = await runStored<{ call_id: string; amount_nano: number }>(
    place,
    'select call_id, amount_nano from adjustments where team_id = ? and call_id is not null',
    [teamId],
  )
  return rows.map(({ call_id, amount_nano }) => ({
    ...{ call_id: `${call_id}/refund`, model_id: '', endpoint: '', cost_nano: Number(amount_nano) },
    ...{ outcome: 'refunded', flag: null, units: '{}' },
  }))
}

/** The amount that a crash now would charge each open stream. */
export async function readOpenCosts(place: Place): Promise<number[]> {
  const rows = await runStored<{ cost_nano: number }>(
    place,
    'select cost_nano from running_calls where kind = ?',
    ['stream'],
  )
  return rows.map(row => Number(row.cost_nano))
}

/** Resolves when nothing remains of past calls; with shared limits, a dead process's lease must be over first. */
export async function untilSwept(place: Place): Promise<void> {
  while ((await runStored(place, 'select call_id from running_calls', [])).length > 0) await Bun.sleep(50)
}

/** Resolves when all charged calls are rows of `calls`: within about a second, even if they are not requested. */
export async function untilFiled(place: Place): Promise<void> {
  while ((await runStored(place, 'select note_id from unfiled_calls', [])).length > 0) await Bun.sleep(20)
}

/** Recorded costs by call id, of charged calls only. */
export async function readRecordedCosts(place: Place, teamId: string): Promise<Map<string, number>> {
  const rows = await runStored<{ call_id: string; cost_nano: number }>(
    place,
    "select call_id, cost_nano from calls where team_id = ? and outcome not in ('refused', 'replayed') and model_served is not null",
    [teamId],
  )
  return new Map(rows.map(({ call_id, cost_nano }) => [call_id, Number(cost_nano)]))
}

export function sumCost(charges: readonly StoredCharge[]): number {
  return charges.reduce((sum, charge) => sum + charge.cost_nano, 0)
}

/** `text` in SQLite's syntax; returns the rows of a query. */
export async function runStored<Row>(place: Place, text: string, values: readonly string[]): Promise<Row[]> {
  if (place.databaseUrl !== null) return runOnPostgres<Row>(place.databaseUrl, text, values)
  const database = new Database(join(place.dataFolder, 'fairgate.db'))
  try {
    database.run('PRAGMA busy_timeout = 5000')
    return database.query<Row, string[]>(text).all(...values)
  } finally {
    database.close()
  }
}

async function runOnPostgres<Row>(url: string, text: string, values: readonly string[]): Promise<Row[]> {
  let number = 0
  const numbered = text.replaceAll('?', () => {
    number += 1
    return `$${number}`
  })
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(numbered, [...values])).rows as Row[]
  } finally {
    await client.end()
  }
}
