// Compares the ledger with the clients' answers and the upstream's bill: every answer charged once, nothing twice, every sum equal.
import type { LoggedCall } from '@fairgate/sandbox/hostile/call-log.ts'
import type { Management } from '../management.ts'
import { type Place, readCharges, readCorrections, runStored, type StoredCharge } from '../stored-rows.ts'
import { type Account, type ChaosCall, isStorageTrouble } from './account.ts'
import { billOf } from './bills.ts'
import { describe } from './make-calls.ts'
import type { ChaosTeam } from './teams.ts'

export async function judgeLedger(
  place: Place,
  manage: Management,
  teams: readonly ChaosTeam[],
  account: Account,
  byMark: ReadonlyMap<string, readonly LoggedCall[]>,
): Promise<void> {
  for (const team of teams) {
    const rows = [...(await readCharges(place, team.id)), ...(await readCorrections(place, team.id))]
    account.count('charges', rows.length)
    const calls = account.calls.filter(call => call.team === team.id)
    await judgeTotals(place, manage, team, rows, account)
    judgeCalls(calls, rows, account, byMark)
  }
}

async function judgeTotals(
  place: Place,
  manage: Management,
  { id }: ChaosTeam,
  rows: readonly StoredCharge[],
  account: Account,
): Promise<void> {
  const sum = rows.reduce((total, row) => total + row.cost_nano, 0)
  const totals = await runStored<{ owner: string; lifetime_nano: number; spent_nano: number }>(
    place,
    'select owner, lifetime_nano, spent_nano from totals where team_id = ?',
    [id],
  )
  // One row for each process that has written it.
  const sumOf = (isOwner: (owner: string) => boolean) =>
    totals
      .filter(({ owner }) => isOwner(owner))
      .reduce((all, { lifetime_nano: lifetime }) => all + Number(lifetime), 0)
  const total = sumOf(owner => owner === `team:${id}`)
  if (total !== sum) account.violate('the sum of charges is not the total', `${id}: ${sum}, ${total}`)
  const ofKeys = sumOf(owner => owner.startsWith('key:'))
  if (ofKeys !== sum) account.violate("the keys' totals are not the team's", `${id}: ${ofKeys}, ${sum}`)
  const { team_info } = await manage.teamInfo(id)
  if (Math.round(team_info.spend * 1e9) !== sum)
    account.violate('spend is not the sum of charges', `${id}: ${team_info.spend}, ${sum / 1e9}`)
  if (team_info.held !== 0) account.violate('money is still held', `${id}: ${team_info.held}`)
  account.figures['nano-dollars charged'] = (account.figures['nano-dollars charged'] ?? 0) + sum
}

function judgeCalls(
  calls: readonly ChaosCall[],
  rows: readonly StoredCharge[],
  account: Account,
  byMark: ReadonlyMap<string, readonly LoggedCall[]>,
): void {
  const charges = new Map(rows.filter(({ outcome }) => outcome !== 'refunded').map(row => [row.call_id, row]))
  const refunds = new Map(rows.filter(({ outcome }) => outcome === 'refunded').map(row => [row.call_id, row]))
  const timesSent = new Map<string, number>()
  for (const { mark } of calls) timesSent.set(mark, (timesSent.get(mark) ?? 0) + 1)
  const known = new Set<string>()
  /** Calls with an unknown id: each may have been charged, once. */
  let unknown = 0
  const chargedOnce = new Map<string, Set<string>>()
  for (const call of calls) {
    if (call.callId === null) {
      unknown += 1
      continue
    }
    known.add(call.callId)
    const charge = charges.get(call.callId)
    if (call.idempotencyKey !== null && isMoney(charge) && !refunds.has(`${call.callId}/refund`)) {
      const once = chargedOnce.get(call.idempotencyKey) ?? new Set()
      chargedOnce.set(call.idempotencyKey, once.add(call.callId))
    }
    judgeCall(call, charge, refunds.get(`${call.callId}/refund`), charges, account)
    if (charge === undefined || call.status !== 200 || !call.isWhole || timesSent.get(call.mark) !== 1)
      continue
    const bill = billOf(call.endpoint.name, byMark.get(call.mark) ?? [])
    if (bill === null) continue
    account.count('calls with a bill')
    // A cost above the hold, without a fault of the upstream, is charged at the hold and flagged.
    const isRight = charge.flag === 'usage_above_hold' ? charge.cost_nano <= bill : charge.cost_nano === bill
    if (!isRight)
      account.violate(
        'a charge is not the bill',
        `${describe(call)}: ${charge.cost_nano}, billed ${bill}, units ${charge.units}, flag ${charge.flag}`,
      )
  }
  for (const [idempotencyKey, once] of chargedOnce)
    if (once.size > 1)
      account.violate(
        'an idempotency key was charged twice',
        [...once].map(callId => `${idempotencyKey}: ${JSON.stringify(charges.get(callId))}`).join(', '),
      )
  const orphans = [...charges.keys()].filter(callId => !known.has(callId))
  account.count('charges of calls without a known id', orphans.length)
  if (orphans.length > unknown)
    account.violate(
      'charges that belong to no call',
      `${orphans.length}, but only ${unknown} calls have no known id: ${orphans.slice(0, 3).join(', ')}`,
    )
}

/** A call that failed or was interrupted at no cost leaves its Idempotency-Key free. */
const isMoney = (charge: StoredCharge | undefined): boolean =>
  charge !== undefined && (charge.cost_nano > 0 || charge.outcome === 'completed')

/**
 * With an Idempotency-Key the answer of a 503 is kept, and charged once for all repeats. A process that was killed before its database was
 * back may have written the charge without the refund: only its memory knew that the client got no answer.
 */
function mayBeKept({ status, idempotencyKey, answeredAt }: ChaosCall, { interruptions }: Account): boolean {
  if (status !== 503) return false
  if (idempotencyKey !== null) return true
  const away = interruptions.find(
    ({ kind, from, to }) => isStorageTrouble(kind) && from <= answeredAt && to + settleMs >= answeredAt,
  )
  if (away === undefined) return false
  return interruptions.some(
    ({ kind, from }) => kind === 'SIGKILL' && from >= away.from && from <= away.to + settleMs,
  )
}

/** Waiting charges are retried each second once the database is back. */
const settleMs = 5000

function judgeCall(
  call: ChaosCall,
  charge: StoredCharge | undefined,
  refund: StoredCharge | undefined,
  charges: ReadonlyMap<string, StoredCharge>,
  account: Account,
): void {
  const net = (charge?.cost_nano ?? 0) + (refund?.cost_nano ?? 0)
  if (charge !== undefined && charge.cost_nano < 0) account.violate('a charge below zero', describe(call))
  if (refund !== undefined && refund.cost_nano + (charge?.cost_nano ?? 0) !== 0)
    account.violate('a refund is not the charge', describe(call))
  if (call.originalCallId !== null) {
    if (charge !== undefined) account.violate('a replay was charged', describe(call))
    if (!charges.has(call.originalCallId)) account.violate('a replay of what was not charged', describe(call))
    return
  }
  if (!call.isWhole) return
  if (call.status === 200) {
    const isStream = call.endpoint.form === 'events' || call.endpoint.form === 'array'
    // A stream has its status before anything else, so one that ended with an error may have cost nothing.
    const mayBeFree = isStream && (call.fault !== null || call.ending.includes('"error"'))
    if (charge === undefined && !mayBeFree) account.violate('an answer without a charge', describe(call))
    if (call.cost !== null && charge !== undefined && call.cost !== charge.cost_nano)
      account.violate(
        'a cost header is not the charge',
        `${describe(call)}: ${call.cost}, ${charge.cost_nano}`,
      )
    return
  }
  if (call.cost === null && net !== 0 && !mayBeKept(call, account))
    account.violate(
      call.status === 503 ? '503 and charged, not refunded' : 'an error was charged',
      `${describe(call)}: ${net}`,
    )
  if (call.cost !== null && call.cost !== charge?.cost_nano)
    account.violate(
      'a cost header is not the charge',
      `${describe(call)}: ${call.cost}, ${charge?.cost_nano}`,
    )
}
