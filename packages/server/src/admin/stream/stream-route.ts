// GET /stream: live data for organisers as server-sent events.
import {
  maxTopics,
  type StreamQuery,
  streamEventSchema,
  streamQuerySchema,
} from '@fairgate/contracts/console/stream.ts'
import { streamTopics, topicOpenTo } from '@fairgate/contracts/console/topics.ts'
import type { Directory } from '../../directory/create-directory.ts'
import { refuseValue, requireTeam } from '../../directory/refusals.ts'
import { beatMs } from '../../insight/live-feed.ts'
import { keptMs } from '../../insight/live-state.ts'
import { readSessionTopic } from '../../insight/watch-sessions.ts'
import { requireRole, type Standing } from '../../people/roles.ts'
import { liveHeaders, readLastId, serveLive } from '../../people/serve-live.ts'
import { type AdminRoute, lookupRoute, type Management } from '../management-route.ts'

export function streamRoute({ feed, directory, access }: Management): AdminRoute {
  return lookupRoute({
    openTo: 'everyone',
    path: '/stream',
    tag: 'Overview',
    summary: 'Follow the event live, as server-sent events',
    description:
      'Each event is named after its topic, and its data has `as_of` and `version`. A reader first gets everything of its topics and ' +
      'then changes, each thing once and in its newest state, however slowly it reads. Topics of many things have them in `items`, and ' +
      `in \`gone\` the names of removed ones. \`beat\` comes every ${beatMs / 1000} s with the server's time (\`now\`) and ` +
      'the topics that could not be read (`stale`). With `Last-Event-ID` a reader of the same topics continues at its position, within ' +
      `${keptMs / 60_000} minutes and in the same process; otherwise \`reset\` comes first, then everything. The stream ends when the ` +
      'server is about to stop; connect again.',
    query: streamQuerySchema,
    headers: liveHeaders,
    reply: streamEventSchema,
    replyHeaders: ['cache-control', 'x-accel-buffering'],
    errors: ['invalid_request', 'team_not_found', 'too_many_streams', 'unavailable'],
    isStrict: true,
    keepsOpen: true,
    look: async (query, call, caller) => {
      const topics = readTopics(query, directory)
      requireTopics(caller, topics)
      const reader = await feed.open(topics, readLastId(call), {
        // Organisers may share a key, but each has their own session.
        owner: caller.session?.cookie ?? caller.credential,
        address: call.remoteAddress,
      })
      // The caller is checked repeatedly, because a stream can outlast its session.
      return serveLive(call, reader, access.every, async () =>
        requireTopics(await access.authenticate(call.request), topics),
      )
    },
  })
}

/** Throws ApiError `admin_forbidden`. */
function requireTopics(caller: Standing, topics: ReadonlySet<string>): void {
  for (const topic of topics) requireRole(caller, topicOpenTo(topic))
}

/** Throws ApiError `invalid_request`, `team_not_found`. */
function readTopics(
  { topics: text }: StreamQuery,
  directory: Pick<Directory, 'findTeam'>,
): ReadonlySet<string> {
  const topics = new Set(text.split(','))
  for (const topic of topics) {
    const teamId = readTeamOf(topic)
    if (teamId !== null) requireTeam(directory, teamId)
    else if (topic.endsWith(':') || !Object.hasOwn(streamTopics, topic))
      throw refuseValue(
        'topics',
        `there is no topic "${topic}". Topics: ${Object.keys(streamTopics).join(', ')}.`,
      )
  }
  if (topics.size > maxTopics) throw refuseValue('topics', `at most ${maxTopics} topics are allowed.`)
  return topics
}

/** The team of a topic about one team; null for any other. */
function readTeamOf(topic: string): string | null {
  for (const prefix of ['team:', 'calls:', 'entries:'])
    if (topic.startsWith(prefix)) return topic.slice(prefix.length)
  return readSessionTopic(topic)?.teamId ?? null
}
