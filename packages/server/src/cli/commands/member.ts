// `fairgate member …`: the people of the teams, who own keys and log tokens.
import {
  type People,
  type PersonReply,
  peopleSchema,
  personReplySchema,
} from '@fairgate/contracts/management/people.ts'
import { type Command, Option } from 'commander'
import { dryRunOption, reasonOption, showPreview } from '../acts.ts'
import { addRequest } from '../add-request.ts'
import type { CommandContext } from '../command-context.ts'
import {
  addTeamFilter,
  chooseTeam,
  type None,
  nullForNone,
  orNone,
  requireChange,
  type TeamOption,
} from '../options.ts'
import { absent, formatFields, formatTable } from '../output/format.ts'

const help = `
Examples:
  $ fairgate member add team-01 "Haeun Kim" --email haeun@example.org
  $ fairgate member list team-01
  $ fairgate member update mb_… --name "Haeun Lee"
  $ fairgate member update mb_… --free-seat
  $ fairgate member remove mb_… --keys block --reason "left the event"`

const memberArgument = ['<member>', 'id of the member, as the list shows it'] as const

type ListOptions = TeamOption & { readonly removed?: boolean }
type AddOptions = { readonly email?: string; readonly reason?: string; readonly dryRun?: boolean }
type RemoveOptions = { readonly keys?: string; readonly reason?: string; readonly dryRun?: boolean }
type UpdateOptions = {
  readonly name?: string
  readonly email?: string | None
  readonly freeSeat?: boolean
  readonly reason?: string
}

export function addMemberCommands(program: Command, context: CommandContext): void {
  const { ask, print, show } = context
  const group = program.command('member').description('people of the teams').addHelpText('after', help)
  group
    .command('add')
    .description('add a member to a team')
    .argument('<team>', 'id of the team')
    .argument('<name>', 'name for people; no two members of a team have the same')
    .option('--email <address>', 'for organisers; nothing is sent to it')
    .option(...reasonOption)
    .option(...dryRunOption)
    .action(async (team: string, name: string, { dryRun, ...options }: AddOptions) => {
      const request = { post: '/people', body: { team_id: team, name, ...options } }
      if (dryRun === true) return await showPreview(context, request)
      await show(request, personReplySchema, describePerson)
    })
  addTeamFilter(group.command('list'))
    .description('members of all teams or one')
    .option('--removed', 'removed members too')
    .action(async (argument: string | undefined, options: ListOptions) => {
      const query = { team_id: chooseTeam(argument, options), removed: options.removed, limit: 500 }
      let people = await ask({ get: '/people', query }, peopleSchema)
      while (people.next !== null) {
        const page = await ask({ get: '/people', query: { ...query, after: people.next } }, peopleSchema)
        people = { ...page, items: [...people.items, ...page.items] }
      }
      print(people, describePeople)
    })
  addRequest(group, context, {
    verb: 'show',
    description: 'one member with keys and log tokens',
    argument: memberArgument,
    request: member => ({ get: pathOf(member) }),
    reply: personReplySchema,
    describe: describePerson,
  })
  group
    .command('update')
    .description('change a member')
    .argument(...memberArgument)
    .option('--name <name>', 'another name')
    .option(
      '--email <address>',
      'another address; "none" takes it away',
      orNone(text => text),
    )
    .option('--free-seat', 'let the member claim again, as after a lost laptop')
    .option(...reasonOption)
    .action(async (member: string, { name, email, freeSeat, reason }: UpdateOptions) => {
      const changes = requireChange({
        ...(name === undefined ? {} : { name }),
        ...(email === undefined ? {} : { email: nullForNone(email) }),
        ...(freeSeat === undefined ? {} : { free_seat: freeSeat }),
      })
      const body = { ...changes, ...(reason === undefined ? {} : { reason }) }
      await show({ post: pathOf(member), body }, personReplySchema, describePerson)
    })
  group
    .command('remove')
    .description('remove a member from a team; the name stays for reports')
    .argument(...memberArgument)
    .addOption(
      new Option(
        '--keys <what>',
        'what becomes of working keys and log tokens: block stops them, keep leaves them to the team',
      ).choices(['block', 'keep']),
    )
    .option(...reasonOption)
    .option(...dryRunOption)
    .action(async (member: string, { dryRun, ...query }: RemoveOptions) => {
      const request = { delete: pathOf(member), query }
      if (dryRun === true) return await showPreview(context, request)
      await show(
        request,
        personReplySchema,
        ({ name, team_id }) => `${name} is no longer a member of team ${team_id}.`,
      )
    })
}

function pathOf(member: string): string {
  return `/people/${encodeURIComponent(member)}`
}

function describePeople({ items }: People): string {
  if (items.length === 0) return 'No members. Add one with "fairgate member add TEAM NAME".'
  return formatTable(
    ['MEMBER ID', 'NAME', 'TEAM', 'E-MAIL', 'KEYS', 'TOKENS', 'SEAT'],
    items.map(person => [
      person.member_id,
      person.name,
      person.team_id,
      person.email ?? absent,
      String(person.keys.length),
      String(person.log_tokens.length),
      describeSeat(person),
    ]),
  )
}

function describeSeat({ claimed_at, removed_at }: Pick<PersonReply, 'claimed_at' | 'removed_at'>): string {
  if (removed_at !== null) return `removed ${removed_at}`
  return claimed_at === null ? 'free' : `claimed ${claimed_at}`
}

function describePerson(person: PersonReply): string {
  return formatFields([
    ['member', person.member_id],
    ['name', person.name],
    ['team', person.team_id],
    ['e-mail', person.email ?? absent],
    ['seat', describeSeat(person)],
    ...person.keys.map(
      key =>
        [
          'key',
          `${key.key_name} ${key.key_alias} (${key.blocked ? 'blocked' : 'not blocked'}) ${key.token}`,
        ] as const,
    ),
    ...person.log_tokens.map(
      token =>
        [
          'log token',
          `${token.token_name} ${token.token_id} (${token.revoked_at === null ? 'works' : 'revoked'})`,
        ] as const,
    ),
    ['added', `${person.created_at} by ${person.created_by}`],
  ])
}
