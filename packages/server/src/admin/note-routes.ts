// GET and POST /notes, POST and DELETE /notes/{note_id}: what organisers and judges write down.

import { isoTime } from '@fairgate/contracts/iso-time.ts'
import {
  listNotesQuerySchema,
  type NoteList,
  type NoteReply,
  newNoteBodySchema,
  noteListSchema,
  noteReplySchema,
  removeNoteQuerySchema,
  updateNoteBodySchema,
} from '@fairgate/contracts/management/notes.ts'
import type { Directory } from '../directory/create-directory.ts'
import { type AdminRoute, defineAdminRoute } from './admin-route.ts'
import { answer, changeRoute, lookupRoute } from './management-route.ts'
import type { NoteDesk } from './note-desk.ts'

const tag = 'Notes'
const pathExamples = { note_id: 'nt_1' }

export type NotesDependencies = {
  readonly desk: Pick<NoteDesk, 'list' | 'create' | 'update' | 'remove'>
  readonly directory: Pick<Directory, 'version'>
  /** Unix ms. */
  readonly clock: () => number
}

export function noteRoutes({ desk, directory, clock }: NotesDependencies): AdminRoute[] {
  const moment = () => ({ as_of: isoTime(clock()), version: directory.version() })
  return [
    lookupRoute({
      tag,
      openTo: 'judges',
      path: '/notes',
      summary: 'Notes about teams, sessions and entries, the newest first',
      query: listNotesQuerySchema,
      reply: noteListSchema,
      errors: ['invalid_request', 'team_not_found', 'unavailable'],
      look: async (query, _call, caller): Promise<NoteList> => {
        const { items, next, count } = await desk.list(query, caller)
        return { items: [...items], next, total: { count }, ...moment() }
      },
    }),
    changeRoute({
      tag,
      openTo: 'judges',
      path: '/notes',
      summary: 'Write a note about a team, a session or an entry',
      description: 'Organisers and judges read it, teams never do. Its author is the key that writes it.',
      body: newNoteBodySchema,
      reply: noteReplySchema,
      errors: ['team_not_found', 'entry_not_found', 'conflict'],
      change: async (body, _actor, _params, caller): Promise<NoteReply> => ({
        ...(await desk.create(body, caller)),
        ...moment(),
      }),
    }),
    changeRoute({
      tag,
      openTo: 'judges',
      path: '/notes/:note_id',
      pathExamples,
      summary: 'Change the text of a note',
      description: 'Only its author or an organiser can. The audit keeps the text of before.',
      body: updateNoteBodySchema,
      reply: noteReplySchema,
      errors: ['note_not_found', 'conflict'],
      change: async (body, _actor, { note_id: id = '' }, caller): Promise<NoteReply> => ({
        ...(await desk.update(id, body, caller)),
        ...moment(),
      }),
    }),
    defineAdminRoute<undefined, typeof removeNoteQuerySchema>({
      method: 'DELETE',
      tag,
      openTo: 'judges',
      path: '/notes/:note_id',
      pathExamples,
      summary: 'Delete a note',
      description: 'Only its author or an organiser can. The audit keeps its text.',
      query: removeNoteQuerySchema,
      replies: { 200: noteReplySchema },
      errors: ['admin_unauthorized', 'invalid_request', 'note_not_found', 'unavailable'],
      handle: async (caller, { params: { note_id: id = '' }, query: { reason } }) => {
        const removed: NoteReply = { ...(await desk.remove(id, reason, caller)), ...moment() }
        return answer(removed)
      },
    }),
  ]
}
