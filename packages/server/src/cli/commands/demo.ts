// `fairgate demo …`: a rehearsed past for a server that is there to be tried.

import { signInLinkSchema } from '@fairgate/contracts/management/access.ts'
import {
  type DemoState,
  demoStateSchema,
  type FilledDemo,
  filledDemoSchema,
} from '@fairgate/contracts/management/demo.ts'
import type { Command } from 'commander'
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import type { CommandContext } from '../command-context.ts'
import type { ProgramDependencies } from '../dependencies.ts'

const help = `
It makes up an event that has been running for five hours, so that every page of the console has something to show: teams,
people, calls, refusals, sessions, announcements. The event is called "Rehearsal: a filled example".
Only a server with the embedded sandbox and without teams takes it. It cannot be taken out again: log and ledger forget nothing.
To start over, stop the server and delete its data folder.

Examples:
  $ fairgate demo start
  $ fairgate demo fill
  $ fairgate demo show`

type Dependencies = Pick<
  ProgramDependencies,
  'loadRehearsal' | 'onInterrupt' | 'variables' | 'writeError' | 'fetch'
>

export function addDemoCommands(
  program: Command,
  { show, print }: CommandContext,
  dependencies: Dependencies,
): void {
  const group = program
    .command('demo')
    .description('a rehearsed past, to try things out with')
    .addHelpText('after', help)
  group
    .command('fill')
    .description('make up an event that has been running for five hours')
    .action(() => show({ post: '/demo/fill', body: {} }, filledDemoSchema, describeFilled))
  group
    .command('start')
    .description('start a server of its own with a rehearsed past; Ctrl-C removes it')
    .action(() => startDemo(dependencies, print))
  group
    .command('show')
    .description('whether this server has a rehearsed past, or can be filled with one')
    .action(() => show({ get: '/demo' }, demoStateSchema, describeState))
}

/** Shows a filled server beside the real one, whose data it never touches. Returns after Ctrl-C. */
async function startDemo(
  { loadRehearsal, onInterrupt, variables, writeError, fetch }: Dependencies,
  print: CommandContext['print'],
): Promise<void> {
  const interrupted = Promise.withResolvers<void>()
  const forget = onInterrupt(interrupted.resolve)
  writeError('Starting a server with a rehearsed past …\n')
  const own = await (await loadRehearsal()).startServer(variables, null)
  try {
    const { adminUrl, adminKey } = own.server
    const ask = async <Schema extends TSchema>(path: string, schema: Schema): Promise<Static<Schema>> => {
      const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' }
      const reply = await fetch(`${adminUrl}${path}`, { method: 'POST', headers, body: '{}' })
      return Value.Parse(schema, await reply.json())
    }
    const { team_page } = await ask('/demo/fill', filledDemoSchema)
    const { url } = await ask('/session/link', signInLinkSchema)
    print({ console: url, team_page }, describePlaces)
    await interrupted.promise
  } finally {
    await own.stop()
    forget()
  }
}

function describePlaces({
  console,
  team_page,
}: {
  readonly console: string
  readonly team_page: string | null
}) {
  return [
    'These links sign in once:',
    `  console    ${console}`,
    ...(team_page === null ? [] : [`  team page  ${team_page}`]),
    '',
    'Press Ctrl-C to stop the server and remove its data.',
  ].join('\n')
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
