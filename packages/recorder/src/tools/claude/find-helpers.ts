// Finds the transcripts of Claude Code's subagents for which no hook ran: they were stopped with the session that started them.
import { basename, dirname, extname, join } from 'node:path'
import type { Files } from '../../spool/files.ts'
import type { SessionNote } from '../session-notes.ts'

export function findHelpers({ list }: Pick<Files, 'list'>, notes: readonly SessionNote[]): SessionNote[] {
  const noted = new Set(notes.map(({ transcript }) => transcript))
  return notes
    .filter(({ tool }) => tool === 'claude')
    .flatMap(note => {
      const { transcript } = note
      const folder = join(dirname(transcript), basename(transcript, extname(transcript)), 'subagents')
      return list(folder)
        .filter(name => name.endsWith('.jsonl'))
        .map(name => ({ ...note, transcript: join(folder, name), from: 0 }))
    })
    .filter(({ transcript }) => !noted.has(transcript))
}
