// What needs an organiser: its kinds, and the words that all rules share.
import type { ConditionRecord } from '@fairgate/contracts/console/attention.ts'
import { formatLocalMoment } from '@fairgate/contracts/text/zoned-time.ts'

export type ConditionKind = ConditionRecord['kind']

export type Subject = {
  readonly kind: 'event' | 'team' | 'upstream' | 'upstream_key' | 'server'
  readonly id: string
  /** As people call it. */
  readonly name: string
}

export type Condition = {
  /** The same for as long as it lasts, on every process. */
  readonly id: string
  readonly kind: ConditionKind
  readonly severity: ConditionRecord['severity']
  readonly subjects: readonly Subject[]
  /** One sentence. Names of teams stand in it as their teams wrote them: show it with hidden characters made visible. */
  readonly text: string
  /** Unix ms: since when it is known; `now` for one that is new. */
  readonly since: number
  /** What an organiser can do about it; null where no command helps. */
  readonly action: { readonly text: string; readonly command: string } | null
}

/** What holds for all teams at the moment. */
export type Surroundings = {
  /** Unix ms. */
  readonly now: number
  /** IANA name: in which times are told. */
  readonly timeZone: string
  readonly isGatewayOpen: boolean
  /** The present one, in which the gateway is open; null where there is none. */
  readonly openPhase: string | null
}

/** As the rules find it: since when it lasts is known elsewhere. */
export type Found = Omit<Condition, 'since'>

/** To the minute, which changes less often than an estimate does; with the day where it is another one than now. */
export function showTime(moment: number, { now, timeZone }: Pick<Surroundings, 'now' | 'timeZone'>): string {
  const local = formatLocalMoment(Math.floor(moment / 60_000) * 60_000, timeZone)
  const today = formatLocalMoment(now, timeZone).slice(0, dayLength)
  const shown = local.startsWith(today) ? local.slice(dayLength + 1) : local.replace('T', ' ')
  return `${shown} (${timeZone})`
}

/** `2026-11-21` */
const dayLength = 10

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
