// GET /recorders: a team's recorders, from their entries and their own reports.
import {
  type RecorderItem,
  type RecorderWarning,
  recordersQuerySchema,
  recordersReplySchema,
} from '@fairgate/contracts/console/recorders.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import { describeClockDifference } from '@fairgate/contracts/logbook/clock-difference.ts'
import type { Directory } from '../../directory/create-directory.ts'
import { requireTeam } from '../../directory/refusals.ts'
import { listMembers } from '../../insight/list-members.ts'
import type { RecorderRecord } from '../../record/session-book.ts'
import type { SeenRecorder } from '../../store/statements/recorders.ts'
import { type AdminRoute, lookupRoute, type Management } from '../management-route.ts'

export function recordersRoute({ coverage, recorders, directory, clock }: Management): AdminRoute {
  return lookupRoute({
    tag: 'Overview',
    openTo: 'judges',
    path: '/recorders',
    summary: "List a team's recorders: who records what, and whether it lags behind",
    description:
      'One item per clone that has sent entries or that a recorder has reported. A recorder reports when it sends, so the number of waiting entries on a silent ' +
      'laptop is from its last report.',
    query: recordersQuerySchema,
    reply: recordersReplySchema,
    errors: ['invalid_request', 'team_not_found', 'unavailable'],
    isStrict: true,
    keepsOpen: true,
    look: async query => {
      const { teamId } = requireTeam(directory, query.team_id)
      const [book, reported] = await Promise.all([coverage.readBook(teamId), recorders.list(teamId)])
      const now = clock()
      const logged = new Map(book.recorders().map(recorder => [recorder.cloneId, recorder]))
      const said = Map.groupBy(reported, ({ cloneId }) => cloneId)
      const items = [...new Set([...logged.keys(), ...said.keys()])].map(id =>
        describeRecorder(id, logged.get(id) ?? null, said.get(id) ?? [], recorders.version, now, directory),
      )
      const heardAt = ({ last_seen, last_received }: RecorderItem) =>
        [last_seen ?? '', last_received ?? ''].sort().at(-1) ?? ''
      items.sort((left, right) => {
        const [leftAt, rightAt] = [heardAt(left), heardAt(right)]
        if (leftAt !== rightAt) return leftAt > rightAt ? -1 : 1
        return left.clone_id < right.clone_id ? -1 : 1
      })
      return { as_of: isoTime(now), version: directory.version(), items, next: null }
    },
  })
}

function describeRecorder(
  cloneId: string,
  logged: RecorderRecord | null,
  /** One report for each token that it used. */
  reported: readonly SeenRecorder[],
  offered: string,
  now: number,
  directory: Directory,
): RecorderItem {
  const seen = reported.toSorted((left, right) => left.seenAt - right.seenAt).at(-1) ?? null
  const tokens = [...new Set([...(logged?.tokenIds ?? []), ...reported.map(({ tokenId }) => tokenId)])]
  const tools = (logged?.tools ?? []).toSorted((left, right) => right.lastAt - left.lastAt)
  const waitsSince = seen?.oldestAt ?? null
  return {
    clone_id: cloneId,
    students: [...(logged?.students ?? [])],
    members: listMembers(tokens, directory),
    token_ids: tokens,
    version: seen?.version ?? null,
    last_seen: isoTime(seen?.seenAt ?? null),
    last_event: isoTime(tools[0]?.lastAt ?? null),
    last_received: isoTime(logged?.lastReceivedAt ?? null),
    entries: logged?.entries ?? 0,
    missing: logged?.missing ?? 0,
    unsent: seen?.unsent ?? null,
    spool_age_ms: waitsSince === null ? null : Math.max(0, now - waitsSince),
    tools: tools.map(({ tool, entries, lastAt, lastEvent }) => ({
      tool,
      entries,
      last_at: isoTime(lastAt),
      last_event: lastEvent,
    })),
    warnings: listWarnings(logged, seen, offered, now),
  }
}

const longestWaitMs = 3_600_000

/** The most urgent first. */
function listWarnings(
  logged: RecorderRecord | null,
  seen: SeenRecorder | null,
  offered: string,
  now: number,
): RecorderItem['warnings'] {
  const warnings: { code: RecorderWarning; text: string }[] = []
  if (seen !== null && seen.gone.length > 0)
    warnings.push({
      code: 'hooks_gone',
      text: `The hooks of ${seen.gone.join(', ')} are missing, so nothing they do is recorded. Run "fairgate-recorder init" in the clone.`,
    })
  const clock = describeClockDifference(seen?.clockBehindMs ?? 0)
  if (clock !== null)
    warnings.push({
      code: 'clock_wrong',
      text: `The laptop's clock is ${clock} the server's, and entries use its time. Correct it, then push.`,
    })
  if (seen !== null && seen.oldestAt !== null && now - seen.oldestAt > longestWaitMs)
    warnings.push({
      code: 'entries_waiting',
      text: `${countOf(seen.unsent, 'entry waits', 'entries wait')} on the laptop. Push, or run "fairgate-recorder send".`,
    })
  if (seen !== null && seen.rejected > 0)
    warnings.push({
      code: 'entries_refused',
      text: `${countOf(seen.rejected, 'entry was', 'entries were')} refused. "fairgate-recorder status" shows why.`,
    })
  if (logged !== null && logged.missing > 0)
    warnings.push({
      code: 'numbers_missing',
      text: `${countOf(logged.missing, 'number has', 'numbers have')} no entry: they are still waiting, were refused, or were removed.`,
    })
  if (seen === null)
    warnings.push({
      code: 'says_nothing',
      text: 'It does not report its status. Install the recorder again from the logbook.',
    })
  else if (seen.version !== offered)
    warnings.push({
      code: 'other_version',
      text: `It has version ${seen.version}, but the logbook offers ${offered}. Install it again from the logbook.`,
    })
  return warnings
}

function countOf(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`
}
