// Kinds of records of judging, and their bodies.
import type { JudgingSetup } from '@fairgate/contracts/judging/setup.ts'
import type { JudgingRow } from '../store/statements/judging-records.ts'
import type { Pair } from './deal-teams.ts'

export type Judge = {
  readonly judgeId: string
  readonly name: string
  readonly email: string | null
  readonly tags: readonly string[]
  /** Empty: every team. */
  readonly tracks: readonly string[]
  /** Null: as the set-up says. */
  readonly minutes: number | null
  /** Gets no more teams. */
  readonly isAbsent: boolean
}

export type Conflict = Pair & { readonly reason: string }

type Bodies = {
  readonly setup: JudgingSetup
  /** New, or changed. */
  readonly judge: Judge
  readonly conflict: Conflict
  /** All assignments from then on, in the order in which each judge reads them. */
  readonly deal: readonly Pair[]
}

export type JudgingRecord = {
  readonly [Kind in keyof Bodies]: { readonly kind: Kind; readonly body: Bodies[Kind] }
}[keyof Bodies]

export type DatedRecord = JudgingRecord & {
  readonly seq: number
  readonly at: number
  readonly actor: string
}

/** Throws for a row that another version has written. */
export function readRecord({ kind, body, ...row }: JudgingRow): DatedRecord {
  if (!isKind(kind)) throw new Error(`The database has a record of judging of an unknown kind, "${kind}".`)
  return { ...row, kind, body: JSON.parse(body) } as DatedRecord
}

const kinds: Readonly<Record<keyof Bodies, true>> = { setup: true, judge: true, conflict: true, deal: true }

function isKind(kind: string): kind is keyof Bodies {
  return Object.hasOwn(kinds, kind)
}
