// The topics of the stream for judges of the panel: their queue, their saved judgements, and sessions as they may see them.
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import { assignTeams } from '../judging/assigned-teams.ts'
import type { ReadState } from '../judging/judging-log.ts'
import type { Judging } from '../judging/open-judging.ts'
import { readWindow } from '../judging/scoring-window.ts'
import type { Store } from '../store/store.ts'
import type { World } from '../world/world.ts'
import { coverEntries, coverItem, findSessionId } from './judged-team.ts'
import type { LiveSource, TopicTexts } from './live-feed.ts'
import type { LiveFigures } from './live-figures.ts'
import type { SessionReaderDependencies } from './session-reader.ts'
import { readSessionTopic, watchSessions } from './watch-sessions.ts'

export type PanelSourcesDependencies = Pick<World, 'clock'> &
  Omit<SessionReaderDependencies, 'read'> & {
    readonly judging: Pick<Judging, 'log' | 'disguises'>
    readonly read: SessionReaderDependencies['read'] & Pick<Store['read'], 'listDraftHeads' | 'readCallsPage'>
    /** Rejects with StoreUnavailable. */
    readonly readFigures: () => Promise<Pick<LiveFigures, 'rows'>>
  }

/** Topics that are about the judge who reads. */
const ownTopics: ReadonlySet<string> = new Set(['queue', 'judgements'])

/** The name of a topic within the feed. It has a space, unlike every topic of `GET /stream`. */
export function namePanelTopic(topic: string, judgeId: string): string {
  return `panel:${ownTopics.has(topic) ? judgeId : ''} ${topic}`
}

/** The name of its events: what the reader has asked for. */
export function nameEvent(topic: string): string {
  return topic.startsWith('panel:') ? topic.slice(topic.indexOf(' ') + 1) : topic
}

export function createPanelSources(dependencies: PanelSourcesDependencies): LiveSource[] {
  const { judging, read, readFigures } = dependencies
  const readQueue = watchQueues(dependencies)
  return [
    {
      isOf: topic => topic.startsWith('panel:') && nameEvent(topic) === 'queue',
      everyMs: () => 1000,
      read: async topics => {
        const state = await judging.log.state()
        const teams = assignTeams(state)
        return readEach(
          topics,
          judgeId => new Map([['', readQueue(state, judgeId, teams.get(judgeId) ?? [])]]),
        )
      },
    },
    {
      isOf: topic => topic.startsWith('panel:') && nameEvent(topic) === 'judgements',
      everyMs: () => 1000,
      read: async topics => {
        const [state, heads] = await Promise.all([
          judging.log.state(),
          read.listDraftHeads({ judgeId: null }),
        ])
        const { refOf } = judging.disguises.of(state)
        const ofJudge = Map.groupBy(heads, ({ judgeId }) => judgeId)
        return readEach(topics, judgeId => {
          const texts = (ofJudge.get(judgeId) ?? []).flatMap(({ teamId, revision, device, savedAt }) => {
            const team = refOf(teamId)
            if (team === null) return []
            const reached = state.findProgress({ teamId, judgeId })?.state ?? 'to_read'
            const saved = { team, revision, state: reached, device, saved_at: isoTime(savedAt) }
            return [[team, JSON.stringify(saved)] as const]
          })
          return new Map(texts)
        })
      },
    },
    {
      isOf: topic => topic.startsWith('panel:') && nameEvent(topic) === 'sessions',
      everyMs: () => 1000,
      read: async topics => {
        const [state, { rows }] = await Promise.all([judging.log.state(), readFigures()])
        const { refOf } = judging.disguises.of(state)
        const texts = rows.flatMap(({ team_id: teamId, entries, last_entry }) => {
          const team = refOf(teamId)
          if (team === null || entries === 0) return []
          return [[team, JSON.stringify({ team_id: team, entries, last_entry })] as const]
        })
        return readEach(topics, () => new Map(texts))
      },
    },
    {
      isOf: topic => topic.startsWith('panel:') && nameEvent(topic).startsWith('session:'),
      everyMs: () => 1000,
      reportsGone: false,
      read: async topics => {
        const texts = new Map<string, ReadonlyMap<string, string>>()
        // One at a time, so that many topics use no more of the database at once than one.
        for (const topic of topics) texts.set(topic, await readSession(dependencies, nameEvent(topic)))
        return texts
      },
    },
  ]
}

function readEach(
  topics: ReadonlySet<string>,
  read: (judgeId: string) => ReadonlyMap<string, string>,
): TopicTexts {
  return new Map(
    [...topics].map(topic => [topic, read(topic.slice('panel:'.length, topic.indexOf(' ')))] as const),
  )
}

/** Says when what concerns a judge was last found changed: what it is may be secret, and the page reads it anyway. */
function watchQueues({ clock }: Pick<World, 'clock'>) {
  const known = new Map<string, { readonly signature: string; readonly text: string }>()
  return (state: ReadState, judgeId: string, teams: readonly string[]): string => {
    const now = clock()
    const setup = state.setup()
    const { opensAt, closesAt } = readWindow(setup?.value ?? {})
    const signature = JSON.stringify([
      setup?.version ?? 0,
      opensAt !== null && now < opensAt,
      closesAt !== null && now >= closesAt,
      teams.map(teamId => {
        const { state: reached, reopened } = state.findProgress({ teamId, judgeId }) ?? {}
        return [teamId, reached, reopened]
      }),
      state.findOrder(judgeId)?.revision,
    ])
    const before = known.get(judgeId)
    if (before?.signature === signature) return before.text
    const text = JSON.stringify({ changed_at: isoTime(now) })
    known.set(judgeId, { signature, text })
    return text
  }
}

/** `topic`: with the team and the session as the judge knows them. Empty if there is no such session. */
async function readSession(
  dependencies: PanelSourcesDependencies,
  topic: string,
): Promise<ReadonlyMap<string, string>> {
  const named = readSessionTopic(topic)
  if (named === null) return new Map()
  const disguise = await dependencies.judging.disguises.current()
  const { teamId: team, tool } = named
  const teamId = disguise.findTeam(team)
  if (teamId === null) return new Map()
  const judged = { disguise, teamId, team }
  const sessionId = await findSessionId(dependencies.coverage, judged, named.sessionId)
  if (sessionId === null) return new Map()
  const watch = watchSessions({ ...dependencies, ...coverEntries(disguise) })
  const items = await watch({ teamId, sessionId, tool })
  return new Map(
    [...items].map(([ref, text]) => [ref, JSON.stringify(coverItem(JSON.parse(text), judged))] as const),
  )
}
