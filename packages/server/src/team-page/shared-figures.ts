// Reads the figures that all pages of a team share, and feeds the live stream with them.
import type { Self } from '@fairgate/contracts/console/self.ts'
import type { TeamRow } from '@fairgate/contracts/console/teams.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import { listShown } from '../directory/announcements.ts'
import type { Directory } from '../directory/create-directory.ts'
import { submissionAsked } from '../directory/event/event.ts'
import type { Team } from '../directory/types.ts'
import type { LiveSource } from '../insight/live-feed.ts'
import type { LiveFigures } from '../insight/live-figures.ts'
import { type LimitsInUseDependencies, readLimitsInUse } from '../insight/team-detail.ts'
import type { CaseCount } from '../judging/cases/case-service.ts'
import type { Judging } from '../judging/open-judging.ts'
import type { Board } from '../store/statements/boards.ts'
import type { QuestionSum } from '../store/statements/questions.ts'
import type { SubmissionHead } from '../store/statements/submissions.ts'
import type { Store } from '../store/store.ts'
import { FreshValue } from '../world/fresh-value.ts'
import type { World } from '../world/world.ts'
import { buildSelfFigures } from './build-self.ts'

/** Figures that all pages of a team share. */
type TeamFigures = {
  readonly row: TeamRow
  readonly board: Board | null
  readonly limits: Self['limits_now']
  readonly questions: QuestionSum | null
  readonly submission: SubmissionHead | null
  /** Null as long as judging has nothing to say to the team. */
  readonly judging: Self['judging']
}

type FiguresSources = LimitsInUseDependencies &
  Pick<World, 'clock'> & {
    readonly directory: Directory
    readonly readFigures: () => Promise<LiveFigures>
    readonly read: Pick<Store['read'], 'listBoards' | 'listSubmissionHeads' | 'sumQuestions'>
    readonly judging: {
      readonly results: Pick<Judging['results'], 'whenPublished'>
      readonly cases: Pick<Judging['cases'], 'countByTeam'>
    }
  }

/** Figures that are this old are read again. */
const freshMs = 1000
const topicPrefix = 'self:'

/** The team's topic in the live feed of team pages. */
export function topicOf(teamId: string): string {
  return `${topicPrefix}${teamId}`
}

/** Reads the figures of all teams, and the limits of each team, at most once a second for any number of pages. */
export class SharedFigures {
  readonly #given: FiguresSources
  readonly #all: FreshValue<AllFigures>
  readonly #limits = new Map<string, FreshValue<TeamFigures['limits']>>()

  constructor(given: FiguresSources) {
    this.#given = given
    this.#all = new FreshValue(() => this.#readAll(), given.clock, freshMs)
  }

  /** Null for an unknown team. Rejects with StoreUnavailable. */
  async readTeam(team: Team): Promise<TeamFigures | null> {
    const [shared, limits] = await Promise.all([this.#all.read(), this.#readLimits(team)])
    // A team that was created within this second is only in the next figures.
    const isNew = !shared.rows.has(team.teamId) && this.#given.directory.findTeam(team.teamId) !== undefined
    const { rows, boards, questions, submissions, published, cases } = isNew
      ? await this.#all.renew()
      : shared
    const row = rows.get(team.teamId)
    if (row === undefined) return null
    const { teamId } = team
    return {
      row,
      limits,
      board: boards.get(teamId) ?? null,
      questions: questions.get(teamId) ?? null,
      submission: submissions.get(teamId) ?? null,
      judging: describeJudging(published, cases.get(teamId)),
    }
  }

  #readLimits({ teamId }: Team): Promise<TeamFigures['limits']> {
    const { directory, clock } = this.#given
    const kept = this.#limits.get(teamId)
    if (kept !== undefined) return kept.read()
    const value = new FreshValue(
      async () => {
        const team = directory.findTeam(teamId)
        return team === undefined ? [] : await readLimitsInUse(this.#given, team, clock())
      },
      clock,
      freshMs,
    )
    this.#limits.set(teamId, value)
    return value.read()
  }

  async #readAll(): Promise<AllFigures> {
    const { readFigures, read, directory, judging } = this.#given
    const [figures, boards, questions, submissions, published, cases] = await Promise.all([
      readFigures(),
      read.listBoards(),
      read.sumQuestions(null),
      submissionAsked(directory.event()) === null ? [] : read.listSubmissionHeads(null),
      judging.results.whenPublished(),
      judging.cases.countByTeam(),
    ])
    return {
      rows: figures.rowOf,
      boards: new Map(boards.map(board => [board.teamId, board])),
      questions: new Map(questions.map(sum => [sum.teamId, sum])),
      submissions: new Map(submissions.map(head => [head.teamId, head])),
      published,
      cases,
    }
  }

  /** Writes once a second for each team that any reader follows. */
  readonly source: LiveSource = {
    isOf: () => true,
    everyMs: () => 1000,
    read: async topics =>
      new Map(
        await Promise.all(
          [...topics].map(
            async topic => [topic, await this.#write(topic.slice(topicPrefix.length))] as const,
          ),
        ),
      ),
  }

  async #write(teamId: string): Promise<ReadonlyMap<string, string>> {
    const { directory, clock } = this.#given
    const now = clock()
    const team = directory.findTeam(teamId)
    const shared = team === undefined ? null : await this.readTeam(team)
    if (shared === null) return new Map()
    const announcements = listShown(directory.announcements(), teamId, now)
    const figures = buildSelfFigures({ ...shared, now, event: directory.event(), directory, announcements })
    return new Map([['', JSON.stringify(figures)]])
  }
}

type AllFigures = {
  readonly rows: ReadonlyMap<string, TeamRow>
  readonly boards: ReadonlyMap<string, Board>
  readonly questions: ReadonlyMap<string, QuestionSum>
  readonly submissions: ReadonlyMap<string, SubmissionHead>
  readonly published: Published
  readonly cases: ReadonlyMap<string, CaseCount>
}

type Published = Awaited<ReturnType<Judging['results']['whenPublished']>>

function describeJudging(published: Published, count: CaseCount | undefined): Self['judging'] {
  if (published === null && count === undefined) return null
  const changes = [published?.correctedAt, count?.changedAt].filter(at => at !== undefined && at !== null)
  return {
    published_at: isoTime(published?.at ?? null),
    cases: count?.cases ?? 0,
    to_answer: count?.toAnswer ?? 0,
    answer_until: count?.answerUntil ?? null,
    changed_at: isoTime(changes.length === 0 ? null : Math.max(...changes)),
  }
}
