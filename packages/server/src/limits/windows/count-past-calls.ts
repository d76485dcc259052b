// What calls of the past took of the windows, told from the ledger's rows alone.
import type { Units } from '../../ledger/price.ts'
import { windowMs } from '../../ledger/request-window.ts'
import type { SecondOfTokens } from '../../ledger/token-window.ts'
import type { LeftStream } from '../../store/statements/running-calls.ts'
import type { RecentCharge } from '../../store/statements/window-rows.ts'
import { idOfWindow, type WindowContents, type WindowName } from './window-contents.ts'

const tokenUnits = [
  'inputText',
  'inputAudio',
  'inputImage',
  'inputVideo',
  'cachedInput',
  'outputText',
  'reasoning',
  'outputAudio',
  'outputImage',
]

/** 0 for units that are not tokens. */
export function tokensOf(units: Units): number {
  return Object.entries(units).reduce(
    (sum, [unit, count]) =>
      tokenUnits.includes(unit) && Number.isSafeInteger(count) && count > 0 ? sum + count : sum,
    0,
  )
}

type Use = {
  readonly caller: Pick<RecentCharge, 'teamId' | 'keyHash' | 'modelId'>
  /** Unix ms; null when only its tokens count. */
  readonly admittedAt: number | null
  readonly tokens: { readonly at: number; readonly count: number }
}

/** Requests and tokens of charges, at the moment their calls were admitted. */
export function countCharges(charges: readonly RecentCharge[], now: number): WindowContents[] {
  const counted = charges.filter(({ admittedAt: at }) => at <= now && at + windowMs > now)
  return countUses(
    counted.map(charge => ({
      caller: charge,
      admittedAt: charge.admittedAt,
      tokens: { at: charge.admittedAt, count: tokensOf(charge.units) },
    })),
  )
}

/** What streams that a crash cut had used beyond their reservations; that becomes known only now. */
export function countExcess(streams: readonly LeftStream[], now: number): WindowContents[] {
  return countUses(
    streams.map(stream => ({
      caller: stream,
      admittedAt: null,
      tokens: { at: now, count: Math.max(0, tokensOf(stream.units) - stream.reservedTokens) },
    })),
  )
}

/** In the windows of every level; those without a limit are forgotten again by themselves. */
function countUses(uses: readonly Use[]): WindowContents[] {
  const windows = new Map<
    string,
    { name: WindowName; times: number[]; seconds: Map<number, SecondOfTokens> }
  >()
  for (const { caller, admittedAt, tokens } of uses) {
    for (const name of levelsOf(caller)) {
      const id = idOfWindow(name)
      const window = windows.get(id) ?? { name, times: [], seconds: new Map<number, SecondOfTokens>() }
      windows.set(id, window)
      if (admittedAt !== null) window.times.push(admittedAt)
      if (tokens.count === 0) continue
      const second = Math.floor(tokens.at / 1000)
      const known = window.seconds.get(second)
      window.seconds.set(second, {
        latest: Math.max(tokens.at, known?.latest ?? tokens.at),
        tokens: tokens.count + (known?.tokens ?? 0),
      })
    }
  }
  return [...windows.values()].map(({ name, times, seconds }) => ({
    name,
    times: times.sort((left, right) => left - right),
    seconds: [...seconds.values()].sort((left, right) => left.latest - right.latest),
  }))
}

function levelsOf({ teamId, keyHash, modelId }: Use['caller']): WindowName[] {
  return [
    { level: 'service_model', owner: null, model: modelId },
    { level: 'team', owner: teamId, model: null },
    { level: 'team_model', owner: teamId, model: modelId },
    { level: 'key', owner: keyHash, model: null },
    { level: 'key_model', owner: keyHash, model: modelId },
  ]
}
