// POST /api/ingest: 202 means that every entry which is not listed as rejected is on disk (spec 4.2).
import { type IngestReply, ingestBodySchema, ingestReplySchema } from '@fairgate/contracts/logbook/ingest.ts'
import { maximumBodyBytes } from '@fairgate/contracts/logbook/limits.ts'
import { defineBytesRoute, type Route } from '../../http/route.ts'
import { type LogTokenCaller, teamHeader } from '../authenticate-log-token.ts'
import type { EntryPreparer } from './entry-preparer.ts'
import type { GroupCommit } from './group-commit.ts'

export type AcceptEntriesDependencies = {
  readonly preparer: Pick<EntryPreparer, 'prepare'>
  readonly groupCommit: Pick<GroupCommit, 'commit'>
  readonly observeEntries: (outcome: 'stored' | 'duplicate' | 'rejected', count: number) => void
}

export function acceptEntriesRoute(dependencies: AcceptEntriesDependencies): Route<LogTokenCaller> {
  return defineBytesRoute<LogTokenCaller>({
    method: 'POST',
    path: '/api/ingest',
    tag: 'Entries',
    summary: 'Store log entries',
    description:
      'Takes up to 500 entries. Entries that were stored before are dropped, so sending again is always safe. ' +
      'A refused entry never blocks its neighbours: it is listed in `rejected`, and all others are on disk. ' +
      'The header `x-gateway-team` of the reply names the team that the log token belongs to.',
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
      const sender = { tokenId, clientAddress: context.remoteAddress }
      const { stored, duplicates, head } = await dependencies.groupCommit.commit({ teamId, sender, entries })
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
