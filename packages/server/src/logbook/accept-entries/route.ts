// POST /api/ingest: 202 means that every entry not listed as rejected is on disk (spec 4.2).
import {
  type IngestReply,
  ingestBodySchema,
  ingestReplySchema,
  type Rejection,
} from '@fairgate/contracts/logbook/ingest.ts'
import { maximumBodyBytes } from '@fairgate/contracts/logbook/limits.ts'
import { recorderHeader } from '@fairgate/contracts/logbook/recorder-report.ts'
import Type from 'typebox'
import { defineBytesRoute, type Route } from '../../http/route.ts'
import { type LogTokenCaller, teamHeader } from '../authenticate-log-token.ts'
import type { EntryPreparer } from './entry-preparer.ts'
import type { GroupCommit } from './group-commit.ts'

export type AcceptEntriesDependencies = {
  readonly preparer: Pick<EntryPreparer, 'prepare'>
  readonly groupCommit: Pick<GroupCommit, 'commit'>
  /** Receives the status report of the sending recorder; null if it sends none. */
  readonly noteRecorder: (caller: LogTokenCaller, report: string | null) => void
  readonly observeEntries: (outcome: 'stored' | 'duplicate' | 'rejected', count: number) => void
}

export function acceptEntriesRoute(dependencies: AcceptEntriesDependencies): Route<LogTokenCaller> {
  const { noteRecorder } = dependencies
  return defineBytesRoute<LogTokenCaller>({
    method: 'POST',
    path: '/api/ingest',
    tag: 'Entries',
    summary: 'Store log entries',
    description:
      'Accepts up to 500 entries. Entries that are already stored are skipped, so sending again is always safe. ' +
      'A refused entry never blocks the others: it is listed in `rejected`, and all others are on disk. ' +
      'If the event has locked the board but still accepts what happened before the lock, such entries are stored and marked late. ' +
      'The response header `x-gateway-team` names the team that the log token belongs to.',
    headers: Type.Object({
      [recorderHeader]: Type.Optional(
        Type.String({
          description:
            'Status of the recorder, for organisers: its version, the number of waiting entries and the missing hooks. Nothing else depends on it',
        }),
      ),
    }),
    body: ingestBodySchema,
    maxBodyBytes: maximumBodyBytes,
    replies: { 202: ingestReplySchema },
    replyHeaders: ['x-gateway-team'],
    errors: [
      'unauthorized',
      'locked',
      'invalid_json',
      'invalid_request',
      'too_many_entries',
      'payload_too_large',
      'unsupported_media_type',
      'unavailable',
    ],
    handle: async (caller, context) => {
      context.keepOpen()
      const { received, entries, rejected, warnings } = await dependencies.preparer.prepare(context.body)
      const { teamId, tokenId } = caller
      noteRecorder(caller, context.request.headers.get(recorderHeader))
      const sender = { tokenId, clientAddress: context.remoteAddress }
      const committed = await dependencies.groupCommit.commit({ teamId, sender, entries })
      const { stored, duplicates, head } = committed
      rejected.push(...listLocked(committed.refused ?? [], received, rejected))
      rejected.sort((one, other) => one.index - other.index)
      dependencies.observeEntries('stored', stored)
      dependencies.observeEntries('duplicate', duplicates)
      dependencies.observeEntries('rejected', rejected.length)
      const reply: IngestReply = { received, stored, duplicates, rejected, warnings, head }
      context.note({
        team_id: teamId,
        received,
        stored,
        duplicates,
        // The log names every refused entry and its reason.
        rejected: rejected.map(({ index, code }) => `${index}:${code}`),
      })
      return Response.json(reply, { status: 202, headers: { [teamHeader]: teamId } })
    },
  })
}

/** `places`: indexes of the prepared entries, which exclude those already rejected. */
function listLocked(
  places: readonly number[],
  received: number,
  rejected: readonly Rejection[],
): readonly Rejection[] {
  if (places.length === 0) return []
  const faulty = new Set(rejected.map(({ index }) => index))
  const prepared = Array.from({ length: received }, (_, index) => index).filter(index => !faulty.has(index))
  return places.flatMap(place => {
    const index = prepared[place]
    return index === undefined ? [] : [{ index, code: 'locked' as const, message: lockedMessage }]
  })
}

const lockedMessage = "The team's board is locked at this 'ts'. Only earlier entries are accepted."
