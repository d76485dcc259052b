// The judging of an event file: what applying it changes, and what an export writes.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { JudgingSetup } from '@fairgate/contracts/judging/setup.ts'
import type { EventFileJudging } from '@fairgate/contracts/management/event-file.ts'
import type { PlannedChange } from '@fairgate/contracts/management/planned-action.ts'
import type { JudgingOfFile, PlanJudging } from '../directory/event/apply-commands.ts'
import { type JudgingLog, type ReadState, toAppend } from './judging-log.ts'
import { planJudges, planSetup } from './plan-panel.ts'

export type JudgingFile = JudgingOfFile & {
  /** Null before the first set-up and the first judge. */
  readonly describe: () => Promise<EventFileJudging | null>
}

export function createJudgingFile(log: JudgingLog, newId: () => string): JudgingFile {
  return {
    openPlan: async file => planFrom(await log.state(), file, newId),
    describe: async () => describe(await log.state()),
  }
}

/** What the file does not name stays; no judge is ever removed. */
function planFrom(
  state: ReadState,
  { setup, judges = [] }: EventFileJudging,
  newId: () => string,
): PlanJudging {
  return (hasTeam, acting) =>
    nameMembers(() => {
      const before = state.setup()?.value
      const after = setup === undefined || Bun.deepEquals(before, setup) ? null : setup
      const first = after === null ? nothing : planSetup(state, after, hasTeam, acting)
      const second = planJudges(state, judges, (after ?? before)?.tracks, newId, acting)
      const change = {
        records: [...first.records, ...second.records],
        audit: [...first.audit, ...second.audit],
      }
      return {
        changes: [
          ...(after === null ? [] : listSetupChanges(before ?? {}, after)),
          ...second.changes.map(({ what, ...others }) => ({ ...others, what: `judging.${what}` })),
        ],
        warnings:
          after !== null && state.isBlind() && after.blind !== true
            ? ['Judging would no longer be blind: judges would see the names of teams and people.']
            : [],
        append: toAppend(state.head(), change, acting),
      }
    })
}

function describe(state: ReadState): EventFileJudging | null {
  const setup = state.setup()?.value
  const judges = state.judges().map(({ name, email, tags, tracks, minutes }) => ({
    name,
    ...(email === null ? {} : { email }),
    ...(tags.length === 0 ? {} : { tags: [...tags] }),
    ...(tracks.length === 0 ? {} : { tracks: [...tracks] }),
    ...(minutes === null ? {} : { minutes }),
  }))
  if (setup === undefined && judges.length === 0) return null
  return { ...(setup === undefined ? {} : { setup }), ...(judges.length === 0 ? {} : { judges }) }
}

const nothing = { records: [], audit: [] }

/** A line for each member of the set-up. Lists are shown as JSON, cut where a line ends. */
function listSetupChanges(before: Partial<JudgingSetup>, after: JudgingSetup): PlannedChange[] {
  const [was, is] = [new Map(Object.entries(before)), new Map(Object.entries(after))]
  return [...new Set([...was.keys(), ...is.keys()])]
    .filter(member => !Bun.deepEquals(was.get(member), is.get(member)))
    .map(member => ({
      what: `judging.setup.${member}`,
      subject: 'judging',
      from: showValue(was.get(member)),
      to: showValue(is.get(member)),
      count: 1,
    }))
}

function showValue(value: unknown): PlannedChange['from'] {
  if (value === undefined || value === null) return null
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  return JSON.stringify(value).slice(0, 200)
}

/** Refusals name members as the file has them. */
function nameMembers<Result>(plan: () => Result): Result {
  try {
    return plan()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { code, message } = error
    const param = error.param ?? 'judges'
    throw new ApiError(code, {
      param: `judging.${param}`,
      message: message.replaceAll(`'${param}'`, `'judging.${param}'`),
    })
  }
}
