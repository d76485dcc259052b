// A judge's start page: what to read next and why, and how far the judge is.
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type { QueueItem, QueueReply } from '@fairgate/contracts/judging/reading.ts'
import type { Directory } from '../directory/create-directory.ts'
import type { Store } from '../store/store.ts'
import type { World } from '../world/world.ts'
import { assignTeams, isFinished } from './assigned-teams.ts'
import type { Disguise } from './disguise.ts'
import { type JudgingLog, type ReadState, requireJudge, requireSetup } from './judging-log.ts'
import { isWhole } from './order-teams.ts'
import { type Disguises, isShownBy, listOwnFinished } from './scoring-service.ts'
import { readWindow } from './scoring-window.ts'
import type { SubmissionTitles } from './submission-titles.ts'

export type JudgeQueueDependencies = Pick<World, 'clock'> & {
  readonly log: JudgingLog
  readonly read: Pick<Store['read'], 'listDraftHeads'>
  readonly directory: Pick<Directory, 'event'>
  readonly disguises: Disguises
  readonly titles: SubmissionTitles
}

/** Known without reading anything; null if the team was not read yet. */
export type FactsOf = (teamId: string) => { readonly sessions: number; readonly costNano: number } | null

type Around = {
  readonly disguise: Disguise
  readonly factsOf: FactsOf
  readonly titles: ReadonlyMap<string, string>
  /** Unix ms. */
  readonly savedAt: ReadonlyMap<string, number | null>
}

export class JudgeQueue {
  readonly #given: JudgeQueueDependencies

  constructor(given: JudgeQueueDependencies) {
    this.#given = given
  }

  /** Throws ApiError `judge_not_found`, and `conflict` without a set-up. */
  async read(judgeId: string, factsOf: FactsOf): Promise<Omit<QueueReply, 'as_of'>> {
    const { log, read, directory, clock, disguises, titles } = this.#given
    const [disguise, heads] = await Promise.all([disguises.current(), read.listDraftHeads({ judgeId })])
    const first = await log.state()
    const own = assignTeams(first).get(judgeId) ?? []
    const around: Around = {
      disguise,
      factsOf,
      titles: await titles.read(own),
      savedAt: new Map(heads.map(({ teamId, savedAt }) => [teamId, savedAt])),
    }
    const state = await log.state()
    const { name } = requireJudge(state, judgeId)
    const setup = requireSetup(state)
    const items = describeItems(state, judgeId, around)
    const { opensAt, closesAt } = readWindow(setup)
    const now = clock()
    const next = items.find(item => item.state === 'begun') ?? items.find(item => item.state === 'to_read')
    const finished = listOwnFinished(state, judgeId, isShownBy(disguise))
    const order = state.findOrder(judgeId)
    const isOrdered = order !== undefined && isWhole(finished, order.teams)
    const { name: event, timeZone } = directory.event()
    return {
      event: { name: event, time_zone: timeZone },
      judge: { judge_id: judgeId, name },
      blind: disguise.isBlind,
      criteria: setup.criteria,
      gates: setup.gates ?? [],
      judges_per_team: setup.judges_per_team,
      minutes_per_team: setup.minutes_per_team,
      open: (opensAt === null || now >= opensAt) && (closesAt === null || now < closesAt),
      opens_at: opensAt === null ? null : isoTime(opensAt),
      closes_at: closesAt === null ? null : isoTime(closesAt),
      next: next?.team ?? null,
      done: items.length - items.filter(isUnread).length,
      items,
      order: { due: finished.length > 0 && !items.some(isUnread) && !isOrdered, saved: isOrdered },
    }
  }
}

const isUnread = ({ state }: QueueItem) => state === 'begun' || state === 'to_read'

function describeItems(state: ReadState, judgeId: string, around: Around): QueueItem[] {
  const calibration = state.setup()?.value.calibration_team ?? null
  const own = assignTeams(state).get(judgeId) ?? []
  const firstUnread = own.find(teamId => state.findProgress({ teamId, judgeId }) === undefined)
  return own.flatMap(teamId => {
    const { disguise, factsOf, titles, savedAt } = around
    const team = disguise.refOf(teamId)
    if (team === null) return []
    const pair = { teamId, judgeId }
    const progress = state.findProgress(pair)
    const facts = factsOf(teamId)
    const at = (isFinished(state, pair) ? progress?.judgement?.at : savedAt.get(teamId)) ?? null
    const title = titles.get(teamId) ?? null
    return [
      {
        team,
        name: disguise.nameOf(teamId),
        state: progress?.state ?? 'to_read',
        calibration: teamId === calibration,
        why: explainPlace({
          state: progress?.state ?? 'to_read',
          isReopened: (progress?.reopened ?? null) !== null,
          isCalibration: teamId === calibration,
          isNext: teamId === firstUnread,
        }),
        title: title === null ? null : disguise.cover(teamId, title),
        sessions: facts?.sessions ?? null,
        cost_nano: facts?.costNano ?? null,
        at: at === null ? null : isoTime(at),
      },
    ]
  })
}

function explainPlace(given: {
  readonly state: QueueItem['state']
  readonly isReopened: boolean
  readonly isCalibration: boolean
  readonly isNext: boolean
}): string {
  const { state, isReopened, isCalibration, isNext } = given
  if (state === 'done') return 'You have finished this team.'
  if (state === 'unable') return 'You could not judge this team.'
  if (isReopened) return 'You have opened this team again.'
  if (state === 'begun') return 'You have begun this team.'
  if (isCalibration) return 'Every judge reads this team first, so that all use the same scale.'
  return isNext
    ? 'Next in your order. The orders of judges differ on purpose.'
    : 'Later in your order. The orders of judges differ on purpose.'
}
