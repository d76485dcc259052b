// The sources of the stream's topics: figures that are read once for all readers, and the event, which is in memory.
import type { ConditionRecord } from '@fairgate/contracts/console/attention.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type { ReadinessItem } from '@fairgate/contracts/management/readiness.ts'
import { type Announcement, buildAnnouncementRecord, stateAt } from '../directory/announcements.ts'
import type { Directory } from '../directory/create-directory.ts'
import { buildEventRecord } from '../directory/event/event-record.ts'
import { buildQuestionRecord } from '../directory/questions.ts'
import type { CoverageReader } from '../record/coverage-reader.ts'
import type { Store } from '../store/store.ts'
import type { World } from '../world/world.ts'
import type { LiveSource, TopicTexts } from './live-feed.ts'
import type { LiveFigures } from './live-figures.ts'
import { watchCalls } from './watch-calls.ts'
import { watchEntries } from './watch-entries.ts'
import { readSessionTopic, watchSessions } from './watch-sessions.ts'

export type LiveSourcesDependencies = Pick<World, 'clock'> & {
  /** Rejects with StoreUnavailable. */
  readonly readFigures: () => Promise<LiveFigures>
  readonly listConditions: () => Promise<readonly ConditionRecord[]>
  readonly readReadiness: () => Promise<readonly ReadinessItem[]>
  /** Rejects with StoreUnavailable. */
  readonly countJudgingRecords: () => Promise<number>
  readonly directory: Directory
  readonly coverage: CoverageReader
  readonly read: Store['read']
}

const figureTopics: ReadonlySet<string> = new Set(['stats', 'teams', 'sessions'])
const prefix = 'team:'
const callsPrefix = 'calls:'
const entriesPrefix = 'entries:'

export function createLiveSources(dependencies: LiveSourcesDependencies): LiveSource[] {
  const { readFigures, listConditions, readReadiness, countJudgingRecords, directory, clock } = dependencies
  const readCalls = watchCalls(dependencies)
  const readEntries = watchEntries(dependencies)
  const readSession = watchSessions(dependencies)
  return [
    {
      isOf: topic => figureTopics.has(topic) || topic.startsWith(prefix),
      everyMs: topics => ([...topics].some(topic => topic.startsWith(prefix)) ? 500 : 1000),
      read: async topics => {
        const figures = await readFigures()
        return new Map([...topics].map(topic => [topic, writeFigures(topic, figures)]))
      },
    },
    {
      isOf: topic => topic === 'attention',
      everyMs: () => 2000,
      read: async () => {
        const conditions = await listConditions()
        return new Map([
          ['attention', new Map(conditions.map(one => [one.condition_id, JSON.stringify(one)]))],
        ])
      },
    },
    {
      isOf: topic => topic === 'readiness',
      everyMs: () => 10_000,
      read: async () => {
        const items = await readReadiness()
        return new Map([['readiness', new Map(items.map(item => [item.part, JSON.stringify(item)]))]])
      },
    },
    {
      isOf: topic => topic === 'messages',
      everyMs: () => 1000,
      read: async () => {
        const now = clock()
        const teams = directory.teams()
        const shown = directory
          .announcements()
          .filter(one => !['over', 'removed'].includes(stateAt(one, now)))
        const counts = await dependencies.read.countAnnouncementReads(null)
        const countOf = ({ announcementId: id }: Announcement) =>
          counts.find(({ announcementId }) => announcementId === id) ?? { teams: 0, members: 0 }
        const texts = shown.map(one => {
          const record = buildAnnouncementRecord(one, teams, now, countOf(one))
          return [record.announcement_id, JSON.stringify(record)] as const
        })
        return new Map([['messages', new Map([...texts, ...(await readQuestions(dependencies))])]])
      },
    },
    {
      isOf: topic => topic === 'submissions',
      everyMs: () => 1000,
      read: async () => {
        const heads = await dependencies.read.listSubmissionHeads(null)
        const texts = heads.map(({ teamId: team_id, version, receivedMicros }) => {
          const handed_in_at = isoTime(Math.floor(receivedMicros / 1000))
          return [team_id, JSON.stringify({ team_id, version, handed_in_at })] as const
        })
        return new Map([['submissions', new Map(texts)]])
      },
    },
    {
      isOf: topic => topic === 'judging',
      everyMs: () => 1000,
      read: async () => new Map([['judging', one({ records: await countJudgingRecords() })]]),
    },
    {
      isOf: topic => topic === 'event',
      everyMs: () => 500,
      read: async () => {
        const {
          as_of: _,
          version: settings,
          ...event
        } = buildEventRecord(directory.event(), directory.eventVersion(), clock())
        return new Map([['event', one({ ...event, settings_version: settings })]])
      },
    },
    {
      isOf: topic => topic === 'calls' || topic.startsWith(callsPrefix),
      everyMs: () => 500,
      reportsGone: false,
      read: topics =>
        readEach(topics, topic => readCalls(topic === 'calls' ? null : topic.slice(callsPrefix.length))),
    },
    {
      isOf: topic => topic === 'entries' || topic.startsWith(entriesPrefix),
      everyMs: () => 1000,
      reportsGone: false,
      read: async topics => {
        const teamOf = (topic: string) => (topic === 'entries' ? null : topic.slice(entriesPrefix.length))
        const reported = await readEntries([...topics].map(teamOf))
        return new Map([...topics].map(topic => [topic, reported.get(teamOf(topic)) ?? new Map()]))
      },
    },
    {
      isOf: topic => readSessionTopic(topic) !== null,
      everyMs: () => 1000,
      reportsGone: false,
      read: topics =>
        readEach(topics, async topic => {
          const named = readSessionTopic(topic)
          return named === null ? new Map() : await readSession(named)
        }),
    },
  ]
}

const maxWaiting = 1000
const maxAnswered = 100

/** All waiting questions, and the last answered ones: id → JSON, as `GET /questions` shows it. Rejects with StoreUnavailable. */
async function readQuestions({
  read,
  directory,
}: LiveSourcesDependencies): Promise<(readonly [string, string])[]> {
  const all = { teamId: null, after: null } as const
  const [waiting, answered] = await Promise.all([
    read.listQuestions({ ...all, state: 'waiting', order: 'oldest first', limit: maxWaiting }),
    read.listQuestions({ ...all, state: 'answered', order: 'newest first', limit: maxAnswered }),
  ])
  return [...waiting, ...answered].map(row => [
    row.question_id,
    JSON.stringify(buildQuestionRecord(row, directory)),
  ])
}

/** One at a time, so that many topics use no more of the database at once than one. */
async function readEach(
  topics: ReadonlySet<string>,
  read: (topic: string) => Promise<ReadonlyMap<string, string>>,
): Promise<TopicTexts> {
  const texts = new Map<string, ReadonlyMap<string, string>>()
  for (const topic of topics) texts.set(topic, await read(topic))
  return texts
}

function writeFigures(topic: string, { overview, rows, rowOf }: LiveFigures): ReadonlyMap<string, string> {
  if (topic === 'stats') {
    const { as_of: _, version: __, ...stats } = overview
    return one(stats)
  }
  if (topic === 'teams') return new Map(rows.map(row => [row.team_id, JSON.stringify(row)]))
  if (topic === 'sessions')
    return new Map(
      rows
        .filter(({ entries }) => entries > 0)
        .map(({ team_id, entries, last_entry }) => [
          team_id,
          JSON.stringify({ team_id, entries, last_entry }),
        ]),
    )
  const row = rowOf.get(topic.slice(prefix.length))
  return row === undefined ? new Map() : one(row)
}

function one(thing: object): ReadonlyMap<string, string> {
  return new Map([['', JSON.stringify(thing)]])
}
