// GET /stream: what organisers watch, as server-sent events.
import {
  mostTopics,
  type StreamQuery,
  streamEventSchema,
  streamQuerySchema,
  streamTopics,
  type TopicName,
} from '@fairgate/contracts/console/stream.ts'
import type { Role } from '@fairgate/contracts/management/access.ts'
import Type from 'typebox'
import type { Directory } from '../../directory/create-directory.ts'
import { refuseValue, requireTeam } from '../../directory/refusals.ts'
import { serverSentEventsResponse, streamOf } from '../../http/server-sent-events.ts'
import { beatMs, type LiveFeed } from '../../insight/live-feed.ts'
import { keptMs } from '../../insight/live-state.ts'
import { readSessionTopic } from '../../insight/watch-sessions.ts'
import { type OpenTo, requireRole } from '../../people/roles.ts'
import { type Every, watchAccess } from '../../people/watch-access.ts'
import type { AuthenticateAdmin } from '../authenticate-admin.ts'
import { type AdminRoute, lookupRoute } from '../management-route.ts'

/** Who reads is asked for again and again: a stream lasts longer than a session may. */
export type StreamAccess = { readonly authenticate: AuthenticateAdmin; readonly every: Every }

export function streamRoute(
  feed: Pick<LiveFeed, 'open'>,
  directory: Pick<Directory, 'findTeam'>,
  { authenticate, every }: StreamAccess,
): AdminRoute {
  return lookupRoute({
    openTo: 'everyone',
    path: '/stream',
    tag: 'Overview',
    summary: 'Follow the event live, as server-sent events',
    description:
      'Each event is named after its topic, and its data has `as_of` and `version`. A reader is first sent everything of its topics and ' +
      'then what has changed, each thing once and at its newest, however slowly it reads. Topics of many things have them in `items`, and ' +
      `in \`gone\` the names of those that are there no more. \`beat\` comes every ${beatMs / 1000} s with the time of the server (\`now\`) and ` +
      'the topics that could not be read (`stale`). With `Last-Event-ID` a reader of the same topics goes on at its place, within ' +
      `${keptMs / 60_000} minutes and on the same process; else \`reset\` comes first, and everything follows. The stream ends when the ` +
      'server is about to stop: connect again.',
    query: streamQuerySchema,
    headers: Type.Object({
      'last-event-id': Type.Optional(
        Type.String({
          description: 'The `id` of the last event that was seen, as browsers send it by themselves',
        }),
      ),
    }),
    reply: streamEventSchema,
    replyHeaders: ['cache-control', 'x-accel-buffering'],
    errors: ['invalid_request', 'team_not_found', 'too_many_streams', 'unavailable'],
    isStrict: true,
    keepsOpen: true,
    look: async (query, call, { role, session, credential }) => {
      const topics = readTopics(query, directory)
      requireTopics(role, topics)
      const reader = await feed.open(topics, call.request.headers.get('last-event-id'), {
        // Organisers may share a key, and each has a session of their own.
        owner: session?.cookie ?? credential,
        address: call.remoteAddress,
      })
      // Nobody reads the body of a reply to HEAD, nor that of one whose client has left by now.
      const { signal } = call.request
      if (call.method === 'HEAD' || signal.aborted) reader.end()
      else signal.addEventListener('abort', () => reader.end())
      const response = serverSentEventsResponse(reader, {
        headers: { 'cache-control': 'no-store' },
        onCancel: () => reader.end(),
      })
      const stop = watchAccess(every, {
        check: async () => requireTopics((await authenticate(call.request)).role, topics),
        end: () => reader.end(),
      })
      void streamOf(response)?.ended.then(stop)
      return response
    },
  })
}

/** Who may read the routes that these topics are taken from. */
const openTo: Readonly<Record<TopicName, OpenTo>> = {
  stats: 'everyone',
  messages: 'everyone',
  event: 'everyone',
  attention: 'operators',
  readiness: 'operators',
  teams: 'judges',
  'team:': 'judges',
  sessions: 'judges',
  calls: 'judges',
  'calls:': 'judges',
  entries: 'judges',
  'entries:': 'judges',
  'session:': 'judges',
}

/** Throws ApiError `admin_forbidden`. */
function requireTopics(role: Role, topics: ReadonlySet<string>): void {
  for (const [name, roles] of Object.entries(openTo))
    for (const topic of topics)
      if (topic === name || (name.endsWith(':') && topic.startsWith(name))) requireRole(role, roles)
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
        `there is no topic "${topic}". There are: ${Object.keys(streamTopics).join(', ')}.`,
      )
  }
  if (topics.size > mostTopics) throw refuseValue('topics', `${mostTopics} topics are the most.`)
  return topics
}

/** Of a topic about one team; null for any other. */
function readTeamOf(topic: string): string | null {
  for (const prefix of ['team:', 'calls:', 'entries:'])
    if (topic.startsWith(prefix)) return topic.slice(prefix.length)
  return readSessionTopic(topic)?.teamId ?? null
}
