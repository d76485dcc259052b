// `fairgate demo …`: a rehearsed past for a server that is there to be tried.
import {
  type DemoState,
  demoStateSchema,
  type FilledDemo,
  filledDemoSchema,
} from '@fairgate/contracts/management/demo.ts'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'

const help = `
It makes up an event that has been running for five hours, so that every page of the console has something to show: teams,
people, calls, refusals, sessions, announcements. The event is called "Rehearsal: a filled example".
Only a server with the embedded sandbox and without teams takes it. It cannot be taken out again: log and ledger forget nothing.
To start over, stop the server and delete its data folder.

Examples:
  $ fairgate demo fill
  $ fairgate demo show`

export function addDemoCommands(program: Command, { show }: CommandContext): void {
  const group = program
    .command('demo')
    .description('a rehearsed past, to try things out with')
    .addHelpText('after', help)
  group
    .command('fill')
    .description('make up an event that has been running for five hours')
    .action(() => show({ post: '/demo/fill', body: {} }, filledDemoSchema, describeFilled))
  group
    .command('show')
    .description('whether this server has a rehearsed past, or can be filled with one')
    .action(() => show({ get: '/demo' }, demoStateSchema, describeState))
}

function describeFilled({ teams, members, calls, refused, entries, team_page }: FilledDemo): string {
  const lines = [
    `Made up: ${teams} teams with ${members} members, ${calls} calls (${refused} of them refused) and ${entries} log entries.`,
    'To take it out again, stop the server and delete its data folder.',
    ...(team_page === null ? [] : ['', 'The page of one of the teams, signed in once:', `  ${team_page}`]),
  ]
  return lines.join('\n')
}

function describeState({ filled, why_not }: DemoState): string {
  if (filled) return 'This server has a rehearsed past.'
  return why_not ?? 'This server can be filled: fairgate demo fill.'
}
