// `fairgate key …`: the gateway keys of the teams.
import { keyInfoSchema } from '@fairgate/contracts/info/key-record.ts'
import {
  deletedKeysSchema,
  generatedKeySchema,
  type KeyFields,
  keyRowSchema,
  updatedKeySchema,
} from '@fairgate/contracts/management/key-bodies.ts'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addLimitOptions, buildLimitFields, type LimitOptions, noneHelp } from '../options/limit-options.ts'
import { type None, nullForNone, orNone } from '../options/none.ts'
import { parseInteger } from '../options/parse-number.ts'
import { requireChange } from '../options/require-change.ts'
import { addTeamFilter, chooseTeam, type TeamOption } from '../options/team-filter.ts'
import { describeGeneratedKey, describeKey, describeKeys } from '../output/describe-key.ts'
import { hashKeyReference } from './hash-key-reference.ts'
import { listAllKeys } from './list-all-keys.ts'

type KeyOptions = LimitOptions & {
  readonly alias?: string
  readonly maxParallel?: number | None
  readonly duration?: string
}

const groupHelp = `
A key is named by its hash (see "fairgate key list") or by itself; only the hash is sent.

Examples:
  $ fairgate key generate team-01 --alias laptop --duration 30d
  $ fairgate key list team-01
  $ fairgate key block 5f2c…`

const generateHelp = `
The key is shown once: only its hash is kept. ${noneHelp}

Examples:
  $ fairgate key generate team-01 --alias laptop --budget 5 --duration 30d
  $ fairgate key generate team-01 --json`

const updateHelp = `
${noneHelp}
What is not named stays as it is.

Examples:
  $ fairgate key update 5f2c… --budget 10 --duration none`

const keyArgument = 'the hash of the key, or the key itself'

export function addKeyCommands(program: Command, context: CommandContext): void {
  const group = program.command('key').description('gateway keys of the teams')
  group.addHelpText('after', groupHelp)
  addGenerateCommand(group, context)
  addReadCommands(group, context)
  addUpdateCommand(group, context)
  addBlockCommand(group, context, 'block', 'stop a key')
  addBlockCommand(group, context, 'unblock', 'let a key work again')
  addDeleteCommand(group, context)
}

function addGenerateCommand(group: Command, { show }: CommandContext): void {
  const command = group
    .command('generate')
    .description('make a key for a team, and print it once')
    .argument('<team>', 'id of the team')
  addKeyOptions(command)
    .addHelpText('after', generateHelp)
    .action(async (team: string, options: KeyOptions) => {
      const body = { team_id: team, ...buildFields(options) }
      await show({ post: '/key/generate', body }, generatedKeySchema, describeGeneratedKey)
    })
}

function addReadCommands(group: Command, { show, ask, print }: CommandContext): void {
  addTeamFilter(group.command('list'))
    .description('keys of all teams or one, in the order they were made')
    .action(async (argument: string | undefined, options: TeamOption) => {
      print(await listAllKeys(ask, chooseTeam(argument, options)), list => describeKeys(list.keys))
    })
  group
    .command('show')
    .description('one key')
    .argument('<key>', keyArgument)
    .action(async (key: string) => {
      const request = { get: '/key/info', query: { key: hashKeyReference(key) } }
      await show(request, keyInfoSchema, reply => describeKey(reply.key, reply.info))
    })
}

function addUpdateCommand(group: Command, { show }: CommandContext): void {
  const command = group
    .command('update')
    .description('change a key; in force at once')
    .argument('<key>', keyArgument)
  addKeyOptions(command)
    .addHelpText('after', updateHelp)
    .action(async (key: string, options: KeyOptions) => {
      const body = { key: hashKeyReference(key), ...requireChange(buildFields(options)) }
      await show({ post: '/key/update', body }, updatedKeySchema, row => describeKey(row.token, row))
    })
}

function addBlockCommand(
  group: Command,
  { show }: CommandContext,
  verb: 'block' | 'unblock',
  description: string,
): void {
  group
    .command(verb)
    .description(description)
    .argument('<key>', keyArgument)
    .action(async (key: string) => {
      await show({ post: `/key/${verb}`, body: { key: hashKeyReference(key) } }, keyRowSchema, row => {
        const state = row.blocked === true ? 'is blocked' : 'is not blocked'
        return `Key ${row.token} of team ${row.team_id} ${state}.`
      })
    })
}

function addDeleteCommand(group: Command, { show }: CommandContext): void {
  group
    .command('delete')
    .description('delete keys for good, all or none; what they spent stays charged to their team')
    .argument('<keys...>', 'hashes of the keys, or the keys themselves')
    .action(async (keys: string[]) => {
      await show(
        { post: '/key/delete', body: { keys: keys.map(hashKeyReference) } },
        deletedKeysSchema,
        reply => reply.deleted_keys.map(hash => `Key ${hash} is deleted.`).join('\n'),
      )
    })
}

function addKeyOptions(command: Command): Command {
  command.option('--alias <alias>', 'name for people')
  return addLimitOptions(command, 'those of the team')
    .option(
      '--max-parallel <n>',
      'simultaneous requests (none: the default of the service)',
      orNone(parseInteger(1, 1_000_000)),
    )
    .option('--duration <time>', 'time to expiry from now: 90s, 12h, 30d or 4w')
}

function buildFields(options: KeyOptions): KeyFields {
  const { alias, maxParallel, duration } = options
  return {
    ...(alias === undefined ? {} : { key_alias: alias }),
    ...buildLimitFields(options),
    ...(maxParallel === undefined ? {} : { max_parallel_requests: nullForNone(maxParallel) }),
    ...(duration === undefined ? {} : { duration: nullForNone(duration) }),
  }
}
