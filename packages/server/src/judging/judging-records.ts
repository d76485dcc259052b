// Kinds of records of judging, and their bodies.
import type { PublishedResults } from '@fairgate/contracts/judging/results.ts'
import type { JudgementContent } from '@fairgate/contracts/judging/scores.ts'
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

/** A claim link. Times are Unix ms. */
export type JudgeCode = {
  readonly judgeId: string
  readonly codeHash: string
  /** The last four characters. */
  readonly codeName: string
  readonly expiresAt: number
}

/** What a judge has said of a team. */
export type Judgement = Pair &
  JudgementContent & {
    /** `unable`: the judge could not judge. */
    readonly state: 'done' | 'unable'
    /** Of the draft that it was made from. */
    readonly revision: number
    /** Entered from paper by the actor of the record. */
    readonly isPaper: boolean
    readonly reason: string | null
  }

/** What is published: nothing that happens later changes it. `comments`: for the team, by its id. */
export type FrozenResults = Pick<PublishedResults, 'ranking' | 'criteria' | 'teams' | 'ties' | 'method'> & {
  readonly comments: Readonly<Record<string, readonly string[]>>
}

type Bodies = {
  readonly setup: JudgingSetup
  /** New, or changed. */
  readonly judge: Judge
  readonly conflict: Conflict
  /** All assignments from then on, in the order in which each judge reads them. */
  readonly deal: readonly Pair[]
  /** A new claim link, which replaces the judge's earlier one. */
  readonly code: JudgeCode
  /** The judge's claim link ends, and with it all sessions. */
  readonly code_revoked: { readonly judgeId: string }
  /** The judge has signed in with the current claim link for the first time. */
  readonly arrived: { readonly judgeId: string }
  /** Numbers that blind judges know the teams by. Added to the earlier ones; none is ever changed. */
  readonly numbers: readonly { readonly teamId: string; readonly number: number }[]
  /** The judge has opened the team; from then on no deal moves it. */
  readonly begun: Pair
  readonly judgement: Judgement
  /** The judge changes a finished judgement again. */
  readonly reopened: Pair & { readonly reason: string }
  /** All teams that the judge has finished, best first. */
  readonly order: { readonly judgeId: string; readonly teams: readonly string[]; readonly revision: number }
  /** The head judge's choice between teams that are equal after all other steps, best first. */
  readonly tie_decided: { readonly teams: readonly string[]; readonly reason: string }
  /** These judgements are made again. Until it is closed, the earlier ones count. */
  readonly rejudging: {
    readonly rejudgingId: string
    readonly pairs: readonly Pair[]
    readonly reason: string
  }
  readonly rejudging_closed: {
    readonly rejudgingId: string
    readonly isApplied: boolean
    readonly reason: string
  }
  /** The actor has checked the results with this digest. */
  readonly verified: { readonly digest: string; readonly note: string | null }
  /** Unix ms, by the database's clock. */
  readonly publication: { readonly publishAt: number; readonly results: FrozenResults }
  readonly publication_cancelled: Readonly<Record<string, never>>
  /** `answerMs`: how long the team has to answer, and later to appeal. */
  readonly case_opened: {
    readonly caseId: string
    readonly teamId: string
    readonly question: string
    readonly cites: readonly number[]
    readonly calls: readonly string[]
    readonly answerMs: number
  }
  readonly case_answered: { readonly caseId: string; readonly text: string }
  readonly case_decided: { readonly caseId: string; readonly decision: string; readonly reason: string }
  readonly case_appealed: { readonly caseId: string; readonly text: string }
  readonly appeal_decided: { readonly caseId: string; readonly decision: string; readonly reason: string }
  /** Numbered from 1. */
  readonly correction: { readonly number: number; readonly text: string; readonly results: FrozenResults }
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

const kinds: Readonly<Record<keyof Bodies, true>> = {
  setup: true,
  judge: true,
  conflict: true,
  deal: true,
  code: true,
  code_revoked: true,
  arrived: true,
  numbers: true,
  begun: true,
  judgement: true,
  reopened: true,
  order: true,
  tie_decided: true,
  rejudging: true,
  rejudging_closed: true,
  verified: true,
  publication: true,
  publication_cancelled: true,
  correction: true,
  case_opened: true,
  case_answered: true,
  case_decided: true,
  case_appealed: true,
  appeal_decided: true,
}

function isKind(kind: string): kind is keyof Bodies {
  return Object.hasOwn(kinds, kind)
}
