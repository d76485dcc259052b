// Reads the ledger as it is on disk, past the server: what a journey compares replies and bills with.
import { Database } from 'bun:sqlite'
import { join } from 'node:path'

export type StoredCharge = {
  readonly call_id: string
  readonly cost_nano: number
  readonly outcome: string
  readonly flag: string | null
  readonly units: string
}

export function readCharges(dataFolder: string, teamId: string): StoredCharge[] {
  return query<StoredCharge>(
    dataFolder,
    'select call_id, cost_nano, outcome, flag, units from charges where team_id = ? order by settled_at',
    teamId,
  )
}

export function countOpenStreams(dataFolder: string): number {
  return query(dataFolder, 'select call_id from open_streams').length
}

/** What a crash now would charge each stream that is being served. */
export function readOpenCosts(dataFolder: string): number[] {
  return query<{ cost_nano: number }>(dataFolder, 'select cost_nano from open_streams').map(
    row => row.cost_nano,
  )
}

export function sumCost(charges: readonly StoredCharge[]): number {
  return charges.reduce((sum, charge) => sum + charge.cost_nano, 0)
}

function query<Row>(dataFolder: string, text: string, ...values: string[]): Row[] {
  const database = new Database(join(dataFolder, 'fairgate.db'), { readonly: true })
  try {
    return database.query<Row, string[]>(text).all(...values)
  } finally {
    database.close()
  }
}
