// Topics of GET /stream and who may follow them. Without schemas, because the first view of the console needs it.
import type { OpenTo } from '../management/roles.ts'

/** `team:` is followed by the id of a team. */
export const streamTopics = {
  stats: 'the figures of `GET /overview`, at most once per second',
  teams: 'changed rows of `GET /teams` in `items`, at most once per second',
  'team:': 'the row of one team, at most twice per second',
  attention: 'changed conditions of `GET /attention` in `items`, at most every two seconds',
  messages:
    'changed announcements of `GET /announcements` and changed questions of `GET /questions` in `items`: all unanswered ones and the last 100 answered ones',
  readiness: 'changed parts of `GET /readiness` in `items`, at most every ten seconds',
  sessions: 'teams with new log entries in `items`, with the entry count and the time of the last entry',
  submissions:
    'teams that have handed in, in `items`, with the number of versions and the time of the last one',
  judging:
    'the number of records of judging, when it changes, so that the routes of judging can be read again',
  event: 'the reply of `GET /event`, when it changes',
  calls:
    'newly recorded calls, including refused ones, in batches, at most twice per second; a batch of more than 50 has only its count',
  'calls:': 'the same for one team',
  entries:
    'new log entries, one line each as in `GET /logbook`, in batches, at most once per second; a batch of more than 50 has only its count',
  'entries:': 'the same for one team',
  'session:':
    'new entries and calls of a session, as in `GET /sessions/{team_id}/{session_id}/items`, at most once per second; id and tool are URL-encoded. Without `?tool=`: sessions with this id from all tools',
} as const
export type TopicName = keyof typeof streamTopics

/** Who may follow a topic, the same as for the routes with the same data. */
const openTo: Readonly<Record<TopicName, OpenTo>> = {
  stats: 'everyone',
  messages: 'everyone',
  event: 'everyone',
  submissions: 'organisers',
  judging: 'head_judges',
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

/** Topics that do not exist are closed to all but organisers. */
export function topicOpenTo(topic: string): OpenTo {
  const end = topic.indexOf(':')
  const name = end < 0 ? topic : topic.slice(0, end + 1)
  return Object.hasOwn(openTo, name) ? openTo[name as TopicName] : 'organisers'
}
