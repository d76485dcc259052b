// Reconstructs what past calls took of the windows from the ledger's rows alone.
import { countTokens } from '../../ledger/count-tokens.ts'
import type { Units } from '../../ledger/price.ts'
import { windowMs } from '../../ledger/request-window.ts'
import type { LeftStream } from '../../store/statements/running-calls.ts'
import type { RecentCharge } from '../../store/statements/window-rows.ts'
import { addTokens, joinWindows, type WindowContents, type WindowName } from './window-contents.ts'

function tokensOf(units: Units): number {
  const { input, output } = countTokens(units)
  return input + output
}

type Caller = Pick<RecentCharge, 'teamId' | 'keyHash' | 'modelId'>

/** Requests and tokens of charges, at the time their calls were admitted. */
export function countCharges(charges: readonly RecentCharge[], now: number): WindowContents[] {
  return countUses(
    charges
      .filter(({ admittedAt: at }) => at <= now && at + windowMs > now)
      .map(charge => [charge, [charge.admittedAt], charge.admittedAt, tokensOf(charge.units)]),
  )
}

/** Tokens that streams cut off by a crash had used beyond their reservations, which is only known now. */
export function countExcess(streams: readonly LeftStream[], now: number): WindowContents[] {
  return countUses(
    streams.map(stream => [stream, [], now, Math.max(0, tokensOf(stream.units) - stream.reservedTokens)]),
  )
}

/** Counts in the windows of every level; those without a limit are dropped later. */
function countUses(
  uses: readonly (readonly [caller: Caller, times: readonly number[], latest: number, tokens: number])[],
): WindowContents[] {
  return joinWindows(
    uses.flatMap(([caller, times, latest, tokens]) => {
      const seconds = tokens === 0 ? [] : [{ latest, tokens }]
      return levelsOf(caller).map(name => ({ name, times, seconds }))
    }),
    lists => lists.flat().sort((left, right) => left - right),
    addTokens,
  )
}

function levelsOf({ teamId, keyHash, modelId }: Caller): WindowName[] {
  return [
    { level: 'service_model', owner: null, model: modelId },
    { level: 'team', owner: teamId, model: null },
    { level: 'team_model', owner: teamId, model: modelId },
    { level: 'key', owner: keyHash, model: null },
    { level: 'key_model', owner: keyHash, model: modelId },
  ]
}
