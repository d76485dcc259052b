// Makes the desk of notes, out of the store and of what knows the entries of a team.

import type { Store } from '../store/store.ts'
import { NoteDesk, type NoteDeskDependencies } from './note-desk.ts'

export type NoteParts = Omit<NoteDeskDependencies, 'read' | 'write' | 'hasEntry' | 'newId'> & {
  readonly store: Pick<Store, 'read' | 'write'>
}

export function createNoteDesk({ store, ...parts }: NoteParts): NoteDesk {
  return new NoteDesk({
    ...parts,
    read: store.read,
    write: store.write,
    hasEntry: async (teamId, seq) => ((await store.read.readBoard({ teamId }))?.headSeq ?? 0) >= seq,
    newId: () => Bun.randomUUIDv7(),
  })
}
