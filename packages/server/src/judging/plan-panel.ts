// Decides what a set-up and a list of judges change, for the routes and for the event file. Pure.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { NewJudge } from '@fairgate/contracts/judging/panel.ts'
import type { JudgingSetup } from '@fairgate/contracts/judging/setup.ts'
import type { PlannedChange } from '@fairgate/contracts/management/planned-action.ts'
import { type Acting, toAuditRow } from '../directory/audit.ts'
import { planChange } from '../directory/planned-action.ts'
import { refuseValue } from '../directory/refusals.ts'
import { checkSetup } from './check-setup.ts'
import { refuseScoredChange } from './check-setup-change.ts'
import type { Change, ReadState } from './judging-log.ts'
import type { Judge } from './judging-records.ts'

type Planned = Omit<Change<unknown>, 'made'>

/** A jury of this size is dealt in a fraction of a second. */
const maxJudges = 200

/** Throws ApiError `invalid_request`, and `conflict` if it would change what was scored already. */
export function planSetup(
  state: ReadState,
  setup: JudgingSetup,
  hasTeam: (teamId: string) => boolean,
  acting: Acting,
): Planned {
  checkSetup(setup, hasTeam)
  const before = state.setup()?.value ?? null
  if (before !== null && state.allProgress().some(({ judgement }) => judgement?.state === 'done'))
    refuseScoredChange(before, setup)
  const audit = (action: string, was: object | null, is: object) =>
    toAuditRow(acting, { action, target: '', before: was, after: is })
  return {
    records: [{ kind: 'setup', body: setup }],
    audit: [
      audit('judging.setup', before, setup),
      // From now on judges see names.
      ...(state.isBlind() && setup.blind !== true
        ? [audit('judging.unblind', { blind: true }, { blind: false })]
        : []),
    ],
  }
}

/** Adds judges, or changes those of the same name. Throws ApiError `invalid_request`, and `conflict` if they are too many. */
export function planJudges(
  state: ReadState,
  listed: readonly NewJudge[],
  tracks: JudgingSetup['tracks'],
  newId: () => string,
  acting: Acting,
): Planned & { readonly changes: readonly PlannedChange[] } {
  const known = new Map(state.judges().map(judge => [foldName(judge.name), judge]))
  const seen = new Set<string>()
  const pairs = listed.map(({ name, email, tags, tracks: own = [], minutes }, at) => {
    const folded = foldName(name)
    if (seen.has(folded))
      throw refuseValue(`judges[${at}].name`, `"${name}" is there twice. Names of judges are unique.`)
    seen.add(folded)
    checkTracks(`judges[${at}].tracks`, tracks, own)
    const before = known.get(folded) ?? null
    const judge: Judge = {
      judgeId: before?.judgeId ?? `jdg_${newId()}`,
      name: before?.name ?? name,
      email: email ?? null,
      tags: tags ?? [],
      tracks: own,
      minutes: minutes ?? null,
      isAbsent: before?.isAbsent ?? false,
    }
    return { before, judge }
  })
  const changed = pairs.filter(({ before, judge }) => !Bun.deepEquals(before, judge))
  const added = changed.filter(({ before }) => before === null).length
  if (known.size + added > maxJudges)
    throw new ApiError('conflict', {
      message: `These would be ${known.size + added} judges; at most ${maxJudges} are possible.`,
    })
  return {
    changes: changed.flatMap(({ before, judge }) => describeJudgeChange(before, judge)),
    records: changed.map(({ judge: body }) => ({ kind: 'judge', body }) as const),
    audit: changed.map(({ before, judge: after }) =>
      toAuditRow(acting, { action: 'judging.judge', target: after.judgeId, before, after }),
    ),
  }
}

/** Throws ApiError `invalid_request` for a track that the set-up does not have. */
export function checkTracks(
  param: string,
  known: JudgingSetup['tracks'] = [],
  tracks: readonly string[],
): void {
  const unknown = tracks.find(track => !known.some(({ id }) => id === track))
  if (unknown !== undefined)
    throw refuseValue(param, `the set-up has no track "${unknown}". Write the set-up first.`)
}

function describeJudgeChange(before: Judge | null, judge: Judge): PlannedChange[] {
  if (before === null) return planChange('judge', judge.name, null, 'added')
  const list = (items: readonly string[]) => items.join('; ')
  return [
    ...planChange('email', judge.name, before.email, judge.email),
    ...planChange('tags', judge.name, list(before.tags), list(judge.tags)),
    ...planChange('tracks', judge.name, list(before.tracks), list(judge.tracks)),
    ...planChange('minutes', judge.name, before.minutes, judge.minutes),
  ]
}

const foldName = (name: string) => name.trim().toLowerCase()
