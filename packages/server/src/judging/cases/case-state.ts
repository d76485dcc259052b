// What the record of judging says of cases: who asked, answered, decided and appealed, in this order. Pure.
import type { DatedRecord } from '../judging-records.ts'

/** Unix ms. `actor`: the name for the audit; of a team, the person who has the key. */
type Dated = { readonly at: number; readonly actor: string }
export type Decision = Dated & { readonly decision: string; readonly reason: string }
export type Saying = Dated & { readonly text: string }

/** `answerMs`: how long the team has to answer, and after the decision to appeal. */
export type Case = Dated & {
  readonly caseId: string
  readonly teamId: string
  readonly question: string
  readonly cites: readonly number[]
  readonly calls: readonly string[]
  readonly answerMs: number
  readonly answer: Saying | null
  readonly decision: Decision | null
  readonly appeal: Saying | null
  readonly appealDecision: Decision | null
}

export type CaseState = 'asked' | 'answered' | 'decided' | 'appealed' | 'final'

/** A decision is final once the team has not appealed in time. `now`: Unix ms. */
export function stateOf(one: Case, now: number): CaseState {
  if (one.appealDecision !== null) return 'final'
  if (one.appeal !== null) return 'appealed'
  if (one.decision !== null) return now >= appealUntil(one.decision, one) ? 'final' : 'decided'
  return one.answer === null ? 'asked' : 'answered'
}

export const answerUntil = ({ at, answerMs }: Case): number => at + answerMs
export const appealUntil = ({ at }: Decision, { answerMs }: Pick<Case, 'answerMs'>): number => at + answerMs

export class CaseBook {
  readonly #cases = new Map<string, Case>()

  readonly list = (): readonly Case[] => [...this.#cases.values()]
  readonly find = (caseId: string): Case | undefined => this.#cases.get(caseId)

  apply({ kind, body, at, actor }: DatedRecord): void {
    if (kind === 'case_opened')
      this.#cases.set(body.caseId, {
        ...body,
        ...{ at, actor, answer: null, decision: null, appeal: null, appealDecision: null },
      })
    else if (kind === 'case_answered') this.#change(body.caseId, { answer: { text: body.text, at, actor } })
    else if (kind === 'case_decided') this.#change(body.caseId, { decision: { ...body, at, actor } })
    else if (kind === 'case_appealed') this.#change(body.caseId, { appeal: { text: body.text, at, actor } })
    else if (kind === 'appeal_decided') this.#change(body.caseId, { appealDecision: { ...body, at, actor } })
  }

  #change(caseId: string, change: Partial<Case>): void {
    const known = this.#cases.get(caseId)
    if (known !== undefined) this.#cases.set(caseId, { ...known, ...change })
  }
}
