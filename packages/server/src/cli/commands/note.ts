// `fairgate note …`: what organisers and judges write down about teams, sessions and entries.
import {
  type NoteList,
  type NoteReply,
  noteListSchema,
  noteReplySchema,
} from '@fairgate/contracts/management/notes.ts'
import type { Command } from 'commander'
import { reasonOption } from '../acts.ts'
import type { CommandContext } from '../command-context.ts'
import { parseInteger } from '../options.ts'
import { formatTable } from '../output/format.ts'

const help = `
Organisers and judges read all notes, teams none. Only its author or an organiser changes a note.

Examples:
  $ fairgate note add team-01 "Ask about the tests."
  $ fairgate note add team-01 "Odd prompt." --entry 1204
  $ fairgate note add team-01 "Good work in here." --session 6f1c2f0e-…
  $ fairgate note list team-01
  $ fairgate note change nt_… "Asked: they test by hand."
  $ fairgate note delete nt_…`

type About = { readonly session?: string; readonly entry?: number }
const sessionOption = ['--session <id>', 'about a session of the team'] as const
const noteArgument = ['<note>', 'its id, as the list shows it'] as const
type Reason = { readonly reason?: string }

export function addNoteCommands(program: Command, { show }: CommandContext): void {
  const parseEntry = parseInteger(1, Number.MAX_SAFE_INTEGER)
  const group = program
    .command('note')
    .description('what organisers and judges write down')
    .addHelpText('after', help)
  group
    .command('add')
    .description('write a note about a team, or about one of its sessions or entries')
    .argument('<team>', 'team_id')
    .argument('<text>', 'at most 4,000 characters')
    .option(...sessionOption)
    .option('--entry <number>', 'about an entry of its log', parseEntry)
    .action((team: string, text: string, { session, entry }: About) => {
      const subject = entry !== undefined ? 'entry' : session !== undefined ? 'session' : 'team'
      const about = {
        ...(session === undefined ? {} : { session_id: session }),
        ...(entry === undefined ? {} : { seq: entry }),
      }
      const body = { subject, team_id: team, ...about, text }
      return show({ post: '/notes', body }, noteReplySchema, note => `${nameOf(note)} is written down.`)
    })
  group
    .command('list')
    .description('notes, the newest first')
    .argument('[team]', 'team_id (default: all teams)')
    .option(...sessionOption)
    .option('--entry <number>', 'about an entry of its log', parseEntry)
    .option('--author <name>', 'of this admin key')
    .option('--limit <n>', 'how many', parseInteger(1, 500), 100)
    .action(
      (
        team: string | undefined,
        { session, entry, ...others }: About & { readonly author?: string; readonly limit: number },
      ) =>
        show(
          { get: '/notes', query: { team_id: team, session_id: session, seq: entry, ...others } },
          noteListSchema,
          describeList,
        ),
    )
  group
    .command('change')
    .description('change the text of a note')
    .argument(...noteArgument)
    .argument('<text>', 'the new text')
    .option(...reasonOption)
    .action((id: string, text: string, options: Reason) =>
      show(
        { post: pathOf(id), body: { text, ...options } },
        noteReplySchema,
        note => `${nameOf(note)} is changed.`,
      ),
    )
  group
    .command('delete')
    .description('delete a note; the audit keeps its text')
    .argument(...noteArgument)
    .option(...reasonOption)
    .action((id: string, query: Reason) =>
      show({ delete: pathOf(id), query }, noteReplySchema, note => `${nameOf(note)} is deleted.`),
    )
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
  if (items.length === 0) return 'No notes. Write one with "fairgate note add TEAM TEXT".'
  const table = formatTable(
    ['NOTE ID', 'ABOUT', 'AUTHOR', 'WRITTEN', 'TEXT'],
    items.map(note => [
      note.note_id,
      aboutOf(note),
      note.author,
      note.created_at,
      note.text.replaceAll(/\s+/g, ' '),
    ]),
  )
  return items.length < total.count ? `${table}\n${items.length} of ${total.count} notes.` : table
}
