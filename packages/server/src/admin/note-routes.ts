// Routes for notes of organisers and judges: GET and POST /notes, POST and DELETE /notes/{note_id}.

import {
  listNotesQuerySchema,
  type NoteList,
  newNoteBodySchema,
  noteListSchema,
  noteReplySchema,
  removeNoteQuerySchema,
  updateNoteBodySchema,
} from '@fairgate/contracts/management/notes.ts'
import { type AdminRoute, changeRoute, lookupRoute, type Management } from './management-route.ts'

const facts = { tag: 'Notes', openTo: 'judges' } as const

export function noteRoutes({ notes: service, moment, stamp }: Management): AdminRoute[] {
  return [
    lookupRoute({
      ...facts,
      path: '/notes',
      summary: 'List notes about teams, sessions and entries, newest first',
      query: listNotesQuerySchema,
      reply: noteListSchema,
      errors: ['invalid_request', 'team_not_found', 'unavailable'],
      look: async (query, _call, caller): Promise<NoteList> => {
        const { items, next, count } = await service.list(query, caller)
        return { items: [...items], next, total: { count }, ...moment() }
      },
    }),
    changeRoute({
      ...facts,
      path: '/notes',
      summary: 'Write a note about a team, a session or an entry',
      description: 'Organisers and judges can read it, teams cannot. Its author is the calling key.',
      body: newNoteBodySchema,
      reply: noteReplySchema,
      errors: ['team_not_found', 'entry_not_found', 'conflict'],
      change: async (body, _actor, _params, caller) => stamp(await service.create(body, caller)),
    }),
    changeRoute({
      ...facts,
      path: '/notes/:note_id',
      summary: 'Change the text of a note',
      description: 'Only its author or an organiser can do this. The audit keeps the old text.',
      body: updateNoteBodySchema,
      reply: noteReplySchema,
      errors: ['note_not_found', 'conflict'],
      change: async (body, _actor, { note_id: id = '' }, caller) =>
        stamp(await service.update(id, body, caller)),
    }),
    changeRoute({
      ...facts,
      path: '/notes/:note_id',
      summary: 'Delete a note',
      description: 'Only its author or an organiser can do this. The audit keeps its text.',
      query: removeNoteQuerySchema,
      reply: noteReplySchema,
      errors: ['note_not_found'],
      change: async ({ reason }, _actor, { note_id: id = '' }, caller) =>
        stamp(await service.remove(id, reason, caller)),
    }),
  ]
}
