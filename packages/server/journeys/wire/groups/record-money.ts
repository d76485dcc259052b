// Records a team's ledger rows: the cost of its calls, to the nano-dollar.
import type { Wire } from '../start-wire.ts'

/**
 * Keys are left out: their hashes differ from run to run, and the sums do not. Ids of calls are in the order of the calls, whereas
 * refunds come in any order.
 */
export function recordMoney(wire: Wire, teamId: string): void {
  wire.rows(
    'charges',
    `select call_id, model_id, endpoint, units, cost_nano, outcome, flag, reported, admitted_at, settled_at
     from charges where team_id = '${teamId}' order by call_id`,
  )
  wire.rows(
    'totals',
    `select period_start, spent_nano, lifetime_nano from totals where team_id = '${teamId}' order by spent_nano, lifetime_nano`,
  )
  wire.rows('open streams', `select call_id, cost_nano from running_calls where team_id = '${teamId}'`)
}
