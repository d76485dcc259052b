// Conditions that need an organiser: their kinds, and the wording that all rules share.
import type { ConditionRecord } from '@fairgate/contracts/console/attention.ts'
import { formatLocalMoment } from '@fairgate/contracts/text/zoned-time.ts'

export type ConditionKind = ConditionRecord['kind']

export type Subject = {
  readonly kind: 'event' | 'team' | 'upstream' | 'upstream_key' | 'server'
  readonly id: string
  /** The name that people use. */
  readonly name: string
}

export type Condition = {
  /** The same for as long as the condition lasts, on every process. */
  readonly id: string
  readonly kind: ConditionKind
  readonly severity: ConditionRecord['severity']
  readonly subjects: readonly Subject[]
  /** One sentence. It contains team names as their teams wrote them: show it with hidden characters made visible. */
  readonly text: string
  /** Unix ms: when it was first found; `now` for a new one. */
  readonly since: number
  /** How an organiser can respond; null if no command helps. */
  readonly action: { readonly text: string; readonly command: string } | null
}

/** Facts that hold for all teams at the moment. */
export type Surroundings = {
  /** Unix ms. */
  readonly now: number
  /** IANA name: the zone in which times are shown. */
  readonly timeZone: string
  readonly isGatewayOpen: boolean
  /** The current phase if the gateway is open in it; null if there is none. */
  readonly openPhase: string | null
}

/** A condition as the rules find it; its start is tracked elsewhere. */
export type Found = Omit<Condition, 'since'>

/** To the minute, which changes less often than an estimate does; with the day if it is not today. */
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
