// `fairgate note …`: what organisers and judges write down about teams, sessions and entries.
import {
  type NoteList,
  type NoteReply,
  noteListSchema,
  noteReplySchema,
} from '@fairgate/contracts/management/notes.ts'
import type { Command } from 'commander'
import { reasonOption } from '../acts.ts'
import { addRequest } from '../add-request.ts'
import type { CommandContext } from '../command-context.ts'
import { parseInteger } from '../options.ts'
import { formatItems } from '../output/format.ts'

const help = `
Organisers and judges read all notes, teams none. Only its author or an organiser changes a note.

Examples:
  $ fairgate note add team-01 "Ask about the tests."
  $ fairgate note add team-01 "Odd prompt." --entry 1204
  $ fairgate note add team-01 "Good work in here." --session 6f1c2f0e-…
  $ fairgate note list team-01
  $ fairgate note change nt_… "Asked: they test by hand."
  $ fairgate note delete nt_…`

const aboutOptions = [
  ['--session <id>', 'about a session of the team'],
  ['--entry <number>', 'about an entry of its log', parseInteger(1, Number.MAX_SAFE_INTEGER)],
] as const
const aboutNames = { session: 'session_id', entry: 'seq' }
const noteArgument = ['<note>', 'its id, as the list shows it'] as const

export function addNoteCommands(program: Command, context: CommandContext): void {
  const group = program
    .command('note')
    .description('what organisers and judges write down')
    .addHelpText('after', help)
  addRequest(group, context, {
    verb: 'add',
    description: 'write a note about a team, or about one of its sessions or entries',
    arguments: [
      ['<team>', 'team_id'],
      ['<text>', 'at most 4,000 characters'],
    ],
    options: aboutOptions,
    names: aboutNames,
    request: (about, team_id, text) => {
      const subject = 'seq' in about ? 'entry' : 'session_id' in about ? 'session' : 'team'
      return { post: '/notes', body: { subject, team_id, ...about, text } }
    },
    reply: noteReplySchema,
    describe: note => `${nameOf(note)} is written down.`,
  })
  addRequest(group, context, {
    verb: 'list',
    description: 'notes, the newest first',
    arguments: [['[team]', 'team_id (default: all teams)']],
    options: [
      ...aboutOptions,
      ['--author <name>', 'of this admin key'],
      ['--limit <n>', 'how many', parseInteger(1, 500), 100],
    ],
    names: aboutNames,
    request: (fields, team_id: string | undefined) => ({ get: '/notes', query: { team_id, ...fields } }),
    reply: noteListSchema,
    describe: describeList,
  })
  addRequest(group, context, {
    verb: 'change',
    description: 'change the text of a note',
    arguments: [noteArgument, ['<text>', 'the new text']],
    options: [reasonOption],
    request: (fields, id, text) => ({ post: pathOf(id), body: { text, ...fields } }),
    reply: noteReplySchema,
    describe: note => `${nameOf(note)} is changed.`,
  })
  addRequest(group, context, {
    verb: 'delete',
    description: 'delete a note; the audit keeps its text',
    arguments: [noteArgument],
    options: [reasonOption],
    request: (query, id) => ({ delete: pathOf(id), query }),
    reply: noteReplySchema,
    describe: note => `${nameOf(note)} is deleted.`,
  })
}

function pathOf(id: string): string {
  return `/notes/${encodeURIComponent(id)}`
}

type AnyNote = NoteList['items'][number] | NoteReply

function nameOf(note: AnyNote): string {
  return `Note ${note.note_id} about ${aboutOf(note)}`
}

function aboutOf({ team_id, session_id, seq }: AnyNote): string {
  if (seq !== null) return `${team_id}, entry ${seq}`
  return session_id === null ? team_id : `${team_id}, session ${session_id}`
}

function describeList({ items, total }: NoteList): string {
  const table = formatItems(items, 'No notes. Write one with "fairgate note add TEAM TEXT".', {
    'NOTE ID': 'note_id',
    ABOUT: aboutOf,
    AUTHOR: 'author',
    WRITTEN: 'created_at',
    TEXT: note => note.text.replaceAll(/\s+/g, ' '),
  })
  return items.length > 0 && items.length < total.count
    ? `${table}\n${items.length} of ${total.count} notes.`
    : table
}
