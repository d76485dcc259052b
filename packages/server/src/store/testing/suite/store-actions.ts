// Reads and writes that the groups of the store's suite share.
import type { Charge } from '../../../ledger/charge.ts'
import type { AuditRecord } from '../../statements/audit.ts'
import type { OwnerSpend } from '../../statements/charges.ts'
import type { LedgerBatch } from '../../statements/ledger-batch.ts'
import type { ProcessRef } from '../../statements/processes.ts'
import type { SweepOutcome } from '../../statements/sweep-calls.ts'
import type { TeamRow } from '../../statements/teams.ts'
import type { Store } from '../../store.ts'
import { buildAuditEntry, buildTeamRow } from '../build-directory-rows.ts'
import { emptyBatch } from '../build-ledger-rows.ts'

export type Current = () => Store

/** As many as PostgreSQL has connections for; more would have to wait for one. */
export const atOnce = 10

export const commit = (store: Store, batch: Partial<LedgerBatch>) =>
  store.write.commitLedger({ ...emptyBatch, ...batch })
export const charge = (store: Store, ...charges: readonly Charge[]) => commit(store, { charges })
const byOwner = (totals: readonly OwnerSpend[]) =>
  Object.fromEntries(totals.map(total => [total.owner, [total.periodStart, total.spent, total.lifetime]]))
export const readTotals = async (store: Store) => byOwner(await store.read.readTotals())

/** A process other than the one that rows are built for. */
export const anotherProcess: ProcessRef = { processId: 'process-2', slot: 1 }

/** Ends the calls of dead processes, on behalf of another process, `limit` calls at a time. */
export async function sweep(store: Store, limit = 100): Promise<Omit<SweepOutcome, 'isOver'>> {
  const sum = { charged: 0, refunded: 0, released: 0 }
  const { processId } = anotherProcess
  for (const deadProcessId of await store.read.findDeadProcesses({ processId, withUnknown: true })) {
    for (let isOver = false; !isOver; ) {
      const piece = await store.write.sweepCalls({ process: anotherProcess, deadProcessId, now: 9000, limit })
      sum.charged += piece.charged
      sum.refunded += piece.refunded
      sum.released += piece.released
      isOver = piece.isOver
    }
  }
  return sum
}

export const insertTeam = (store: Store, teamId: string, changes: Partial<TeamRow> = {}) =>
  store.write.insertTeam({
    team: buildTeamRow(teamId, changes),
    audit: buildAuditEntry('team.new', { team_id: teamId, target: teamId }),
  })
export const readAudit = (store: Store): Promise<AuditRecord[]> =>
  store.read.listAudit({ limit: 1000, beforeId: null, teamId: null })
export const actionsOf = (rows: readonly AuditRecord[]) => rows.map(({ action }) => action)

/** The directory without the numbers of its changes. */
export async function readDirectory(store: Store) {
  const { teams, keys, logTokens, members } = await store.read.readDirectory({ after: null })
  return {
    teams: teams.map(({ version: _version, ...row }) => row),
    keys: keys.map(({ version: _version, ...row }) => row),
    logTokens: logTokens.map(({ version: _version, ...row }) => row),
    members: members.map(({ version: _version, ...row }) => row),
  }
}
/** The number of the last change. */
export const readVersion = async (store: Store) => (await store.read.readDirectory({ after: null })).version
