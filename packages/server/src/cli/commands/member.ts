// `fairgate member …`: members of teams, who own keys and log tokens.
import { type PersonReply, peopleSchema, personReplySchema } from '@fairgate/contracts/management/people.ts'
import { type Command, Option } from 'commander'
import { reasonOption } from '../actions.ts'
import { addAction, addCommand, addRequest } from '../add-request.ts'
import { type CommandContext, readPages } from '../command-context.ts'
import { requireChange, textOrNone } from '../options.ts'
import { type Field, formatFields, formatItems } from '../output/format.ts'

const help = `
Examples:
  $ fairgate member add team-01 "Haeun Kim" --email haeun@example.org
  $ fairgate member list team-01
  $ fairgate member show mb_…
  $ fairgate member update mb_… --name "Haeun Lee"
  $ fairgate member update mb_… --free-seat
  $ fairgate member remove mb_… --keys block --reason "left the event"`

const memberArgument = ['<member>', 'id of the member, as the list shows it'] as const

export function addMemberCommands(program: Command, context: CommandContext): void {
  const { ask, print } = context
  const group = program
    .command('member')
    .description('manage the members of teams')
    .addHelpText('after', help)
  addAction(group, context, {
    verb: 'add',
    description: 'add a member to a team',
    arguments: [
      ['<team>', 'id of the team'],
      ['<name>', 'display name, unique within the team'],
    ],
    options: [['--email <address>', 'e-mail address, for organisers; nothing is sent to it']],
    request: (fields, team_id, name) => ({ post: '/people', body: { team_id, name, ...fields } }),
    reply: personReplySchema,
    describe: describePerson,
  })
  addCommand(
    group,
    {
      verb: 'list',
      description: 'list the members of all teams or one',
      isOfTeams: true,
      options: [['--removed', 'include removed members']],
    },
    async filter => {
      const people = await readPages(
        after => ask({ get: '/people', query: { ...filter, limit: 500, after } }, peopleSchema),
        page => page.next,
      )
      print(
        people,
        ({ items }) =>
          formatItems(items, 'No members. Add one with "fairgate member add TEAM NAME".', {
            'MEMBER ID': 'member_id',
            NAME: 'name',
            TEAM: 'team_id',
            'E-MAIL': 'email',
            KEYS: person => person.keys.length,
            TOKENS: person => person.log_tokens.length,
            SEAT: describeSeat,
          }),
        'items',
      )
    },
  )
  addRequest(group, context, {
    verb: 'show',
    description: 'show one member with keys and log tokens',
    arguments: [memberArgument],
    request: (_, member) => ({ get: pathOf(member) }),
    reply: personReplySchema,
    describe: describePerson,
  })
  addRequest(group, context, {
    verb: 'update',
    description: 'change a member',
    arguments: [memberArgument],
    options: [
      ['--name <name>', 'new name'],
      ['--email <address>', 'new address; "none" removes it', textOrNone],
      ['--free-seat', 'let the member claim again, for instance after a lost laptop'],
      reasonOption,
    ],
    request: ({ reason, ...changes }, member) => ({
      post: pathOf(member),
      body: { ...requireChange(changes), reason },
    }),
    reply: personReplySchema,
    describe: describePerson,
  })
  addAction(group, context, {
    verb: 'remove',
    description: 'remove a member from a team; reports keep the name',
    arguments: [memberArgument],
    options: [
      new Option(
        '--keys <what>',
        'what to do with working keys and log tokens: block them, or keep them for the team',
      ).choices(['block', 'keep']),
    ],
    request: (query, member) => ({ delete: pathOf(member), query }),
    reply: personReplySchema,
    describe: ({ name, team_id }) => `${name} is no longer a member of team ${team_id}.`,
  })
}

function pathOf(member: string): string {
  return `/people/${encodeURIComponent(member)}`
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
    ['e-mail', person.email],
    ['seat', describeSeat(person)],
    ...person.keys.map((key): Field => {
      const state = key.blocked ? 'blocked' : 'not blocked'
      return ['key', `${key.key_name} ${key.key_alias} (${state}) ${key.token}`]
    }),
    ...person.log_tokens.map((token): Field => {
      const state = token.revoked_at === null ? 'works' : 'revoked'
      return ['log token', `${token.token_name} ${token.token_id} (${state})`]
    }),
    ['added', `${person.created_at} by ${person.created_by}`],
  ])
}
