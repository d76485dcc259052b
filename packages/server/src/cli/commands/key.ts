// `fairgate key …`: the gateway keys of the teams.
import { createHash } from 'node:crypto'
import { type KeyRecord, keyInfoSchema } from '@fairgate/contracts/info/key-record.ts'
import {
  deletedKeysSchema,
  type GeneratedKey,
  generatedKeySchema,
  type KeyFields,
  type KeyRow,
  keyListSchema,
  keyRowSchema,
  updatedKeySchema,
} from '@fairgate/contracts/management/key-bodies.ts'
import type { Command } from 'commander'
import Type, { type Static } from 'typebox'
import { addRequest } from '../add-request.ts'
import type { CommandContext } from '../command-context.ts'
import {
  addLimitOptions,
  addTeamFilter,
  buildLimitFields,
  chooseTeam,
  type LimitOptions,
  type None,
  noneHelp,
  nullForNone,
  orNone,
  parseInteger,
  requireChange,
  type TeamOption,
} from '../options.ts'
import {
  absent,
  describeState,
  formatFields,
  formatLimit,
  formatList,
  formatPeriod,
  formatSpend,
  formatTable,
  formatUsd,
} from '../output/format.ts'

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

const keyArgument = ['<key>', 'the hash of the key, or the key itself'] as const

const blockings = [
  ['block', 'stop a key'],
  ['unblock', 'let a key work again'],
] as const

export function addKeyCommands(program: Command, context: CommandContext): void {
  const { show, ask, print } = context
  const group = program.command('key').description('gateway keys of the teams')
  group.addHelpText('after', groupHelp)

  const generate = group
    .command('generate')
    .description('make a key for a team, and print it once')
    .argument('<team>', 'id of the team')
  addKeyOptions(generate)
    .addHelpText('after', generateHelp)
    .action(async (team: string, options: KeyOptions) => {
      const body = { team_id: team, ...buildFields(options) }
      await show({ post: '/key/generate', body }, generatedKeySchema, describeGeneratedKey)
    })

  addTeamFilter(group.command('list'))
    .description('keys of all teams or one, in the order they were made')
    .action(async (argument: string | undefined, options: TeamOption) => {
      print(await listAllKeys(ask, chooseTeam(argument, options)), list => describeKeys(list.keys))
    })
  addRequest(group, context, {
    verb: 'show',
    description: 'one key',
    argument: keyArgument,
    request: key => ({ get: '/key/info', query: { key: hashKeyReference(key) } }),
    reply: keyInfoSchema,
    describe: ({ key, info }) => describeKey(key, info),
  })

  const update = group
    .command('update')
    .description('change a key; in force at once')
    .argument(...keyArgument)
  addKeyOptions(update)
    .addHelpText('after', updateHelp)
    .action(async (key: string, options: KeyOptions) => {
      const body = { key: hashKeyReference(key), ...requireChange(buildFields(options)) }
      await show({ post: '/key/update', body }, updatedKeySchema, row => describeKey(row.token, row))
    })

  for (const [verb, description] of blockings) {
    addRequest(group, context, {
      verb,
      description,
      argument: keyArgument,
      request: key => ({ post: `/key/${verb}`, body: { key: hashKeyReference(key) } }),
      reply: keyRowSchema,
      describe: ({ token, team_id, blocked }) =>
        `Key ${token} of team ${team_id} ${blocked === true ? 'is blocked' : 'is not blocked'}.`,
    })
  }
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

/** Names a key by its SHA-256, because addresses end up in logs. Anything that is not a key is taken for a hash. */
function hashKeyReference(reference: string): string {
  return reference.startsWith('sk-') ? createHash('sha256').update(reference).digest('hex') : reference
}

/** The list with whole rows, which holds no bare hashes. */
const keyRowsSchema = Type.Object({ ...keyListSchema.properties, keys: Type.Array(keyRowSchema) })

const pageSize = 100

/** Reads every page. The reply is the admin door's, as if all keys stood on its first page. */
async function listAllKeys(
  ask: CommandContext['ask'],
  team: string | undefined,
): Promise<Static<typeof keyRowsSchema>> {
  const keys: KeyRow[] = []
  for (let page = 1; ; page += 1) {
    const query = { page, size: pageSize, team_id: team, return_full_object: true }
    const reply = await ask({ get: '/key/list', query }, keyRowsSchema)
    keys.push(...reply.keys)
    if (page >= reply.total_pages || reply.keys.length === 0) {
      return { keys, total_count: keys.length, current_page: 1, total_pages: Math.min(keys.length, 1) }
    }
  }
}

function describeKeys(keys: readonly KeyRow[]): string {
  if (keys.length === 0) return 'No keys. Make one with "fairgate key generate TEAM".'
  return formatTable(
    ['HASH', 'NAME', 'ALIAS', 'TEAM', 'SPENT', 'BUDGET', 'EXPIRES', 'STATE'],
    keys.map(key => [
      key.token,
      key.key_name,
      key.key_alias,
      key.team_id,
      formatUsd(key.spend),
      key.max_budget === null ? absent : formatUsd(key.max_budget),
      key.expires ?? 'never',
      describeState(key.blocked),
    ]),
  )
}

function describeGeneratedKey(key: GeneratedKey): string {
  return `Key of team ${key.team_id}, shown this once:\n\n  ${key.key}\n\n${describeKey(key.token, key)}`
}

function describeKey(hash: string, key: KeyRecord): string {
  return formatFields([
    ['hash', hash],
    ['name', key.key_name],
    ['alias', key.key_alias === '' ? absent : key.key_alias],
    ['team', key.team_id],
    ['state', describeState(key.blocked)],
    ['spent', formatSpend(key.spend, key.max_budget)],
    ['period', formatPeriod(key.budget_duration, key.budget_reset_at)],
    ['rpm', formatLimit(key.rpm_limit)],
    ['tpm', formatLimit(key.tpm_limit)],
    ...describeModelLimits('rpm', key.metadata.model_rpm_limit),
    ...describeModelLimits('tpm', key.metadata.model_tpm_limit),
    ['parallel', String(key.max_parallel_requests)],
    ['models', formatList(key.models, 'those of its team')],
    ['expires', key.expires ?? 'never'],
    ['created', `${key.created_at} by ${key.created_by}`],
    ['updated', `${key.updated_at} by ${key.updated_by}`],
  ])
}

/** A key's metadata may hold anything; only limits per model are understood here. */
function describeModelLimits(name: string, limits: unknown): [string, string][] {
  if (typeof limits !== 'object' || limits === null) return []
  return Object.entries(limits).map(([model, limit]) => [`${name} of ${model}`, String(limit)])
}
