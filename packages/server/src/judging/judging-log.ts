// The record of judging: its current state, and changes that are decided on that state and appended to it.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { JudgingSetup } from '@fairgate/contracts/judging/setup.ts'
import type { ActionBody } from '@fairgate/contracts/management/planned-action.ts'
import type { Acting } from '../directory/audit.ts'
import { type ActionResult, carryOutPlan, type Plan } from '../directory/planned-action.ts'
import type { AuditEntry } from '../store/statements/audit.ts'
import type { SaveDraftInput } from '../store/statements/judging-drafts.ts'
import type { AppendJudgingInput } from '../store/statements/judging-records.ts'
import type { Store } from '../store/store.ts'
import type { World } from '../world/world.ts'
import { type JudgingRecord, readRecord } from './judging-records.ts'
import { JudgingState } from './judging-state.ts'

export type ReadState = Omit<JudgingState, 'apply'>

/** `made`: what the caller gets once it is written. Without records nothing is written, and no audit either. */
export type Change<Made> = {
  readonly records: readonly JudgingRecord[]
  readonly audit: readonly AuditEntry[]
  /** Saved in the same commit. If it was saved by others meanwhile, the change is decided again. */
  readonly draft?: SaveDraftInput | null
  readonly made: Made
}

/** Called again, on the newer state, if another writer was faster: it must have no effect of its own. */
type Decide<Decided> = (state: ReadState, acting: Acting) => Decided

export type JudgingLogDependencies = Pick<World, 'clock'> & {
  readonly read: Pick<Store['read'], 'readJudging'>
  readonly write: Pick<Store['write'], 'appendJudging'>
}

/** Each attempt means that another process has succeeded, and at most these many judges write at one moment. */
const maxAttempts = 200

export class JudgingLog {
  readonly #given: JudgingLogDependencies
  readonly #state = new JudgingState()
  #lastTurn: Promise<unknown> = Promise.resolve()

  constructor(given: JudgingLogDependencies) {
    this.#given = given
  }

  /** As of the newest record of any process. Reads only the records that are new. */
  async state(): Promise<ReadState> {
    for (const row of await this.#given.read.readJudging({ after: this.#state.head() }))
      this.#state.apply(readRecord(row))
    return this.#state
  }

  /** A change with a dry run. Throws what `decide` throws, `preview_outdated`, and `conflict` after 200 faster writers. */
  async act<Made>(
    body: ActionBody,
    actor: string,
    decide: Decide<Change<Made> & { readonly plan: Plan }>,
  ): Promise<ActionResult<Made>> {
    return await this.#repeat(actor, body.reason, async (state, acting) => {
      const { plan, ...change } = decide(state, acting)
      const head = state.head()
      let isWritten = true
      const result = await carryOutPlan(plan, body, async () => {
        isWritten = await this.#append(head, change, acting)
        return change.made
      })
      return isWritten ? { made: result } : null
    })
  }

  /** `decide` may read what is not part of the state. Throws what it throws, and `conflict` after 200 faster writers. */
  async change<Made>(
    actor: string,
    reason: string | null | undefined,
    decide: Decide<Change<Made> | Promise<Change<Made>>>,
  ): Promise<Made> {
    return await this.#repeat(actor, reason, async (state, acting) => {
      // Another request may bring the state forward while this one decides.
      const head = state.head()
      const change = await decide(state, acting)
      return (await this.#append(head, change, acting)) ? change : null
    })
  }

  /**
   * Decides again from the newest state for as long as another process was faster, which `attempt` reports with null. Changes of this process
   * take turns: forty judges who sign in at the same moment would make each other decide again forty times.
   */
  async #repeat<Made>(
    actor: string,
    reason: string | null | undefined,
    attempt: (state: ReadState, acting: Acting) => Promise<{ readonly made: Made } | null>,
  ): Promise<Made> {
    const run = async () => {
      for (let count = 0; count < maxAttempts; count += 1) {
        const result = await attempt(await this.state(), { now: this.#given.clock(), actor, reason })
        if (result !== null) return result.made
      }
      throw new ApiError('conflict')
    }
    const turn = this.#lastTurn.then(run)
    this.#lastTurn = turn.catch(() => undefined)
    return await turn
  }

  async #append(after: number, change: Omit<Change<unknown>, 'made'>, acting: Acting): Promise<boolean> {
    const input = toAppend(after, change, acting)
    return input === null ? true : await this.#given.write.appendJudging(input)
  }
}

/** What the store appends; null for nothing. `after`: the last record of the state that the change was decided on. */
export function toAppend(
  after: number,
  { records, audit, draft = null }: Omit<Change<unknown>, 'made'>,
  { now, actor }: Acting,
): AppendJudgingInput | null {
  if (records.length === 0) return null
  return {
    after,
    records: records.map(({ kind, body }) => ({ kind, body: JSON.stringify(body), at: now, actor })),
    audit,
    draft,
  }
}

/** Throws ApiError `judge_not_found`. */
export function requireJudge(state: ReadState, judgeId: string) {
  const judge = state.findJudge(judgeId)
  if (judge !== undefined) return judge
  throw new ApiError('judge_not_found', { param: 'judge_id' })
}

/** Throws ApiError `conflict` before the first set-up. */
export function requireSetup(state: ReadState): JudgingSetup {
  const setup = state.setup()
  if (setup !== null) return setup.value
  throw new ApiError('conflict', {
    message: 'Judging has no set-up yet. The organisers write it first, with PUT /judging/setup.',
  })
}
