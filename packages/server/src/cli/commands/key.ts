// `fairgate key …`: the gateway keys of the teams.
import { type KeyRecord, keyInfoSchema } from '@fairgate/contracts/info/key-record.ts'
import {
  type DeletedKeyList,
  deletedKeyListSchema,
  deletedKeysSchema,
  type GeneratedKey,
  generatedKeySchema,
  type KeyFields,
  type KeyRow,
  keyListSchema,
  keyRowSchema,
  type RegeneratedKey,
  regeneratedKeySchema,
  updatedKeySchema,
} from '@fairgate/contracts/management/key-bodies.ts'
import type { Command } from 'commander'
import Type, { type Static } from 'typebox'
import { dryRunOption, type PlainOptions, reasonOption, showAct } from '../acts.ts'
import { addAct, addRequest } from '../add-request.ts'
import type { CommandContext } from '../command-context.ts'
import { hashSecret } from '../hash-secret.ts'
import {
  addLimitChangeOptions,
  addLimitOptions,
  addTeamFilter,
  buildLimitFields,
  buildModelEntries,
  changeHelp,
  chooseTeam,
  collectModelFigure,
  collectModelName,
  type LimitOptions,
  type None,
  noneHelp,
  nullForNone,
  orNone,
  parseBudget,
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
  readonly member?: string | None
  readonly maxParallel?: number | None
  readonly modelBudget?: Record<string, number>
  readonly setModelBudget?: Record<string, number>
  readonly unsetModelBudget?: readonly string[]
  readonly duration?: string
}

const groupHelp = `
A key is named by its alias, its last four characters, its hash or the beginning of it (see "fairgate key
list"), or by itself: then only the hash is sent. With its team in front, as in team-01/laptop, the name
is looked up among the keys of that team. A name that several keys have is refused with their hashes.

Examples:
  $ fairgate key generate team-01 --alias laptop --duration 30d
  $ fairgate key list team-01
  $ fairgate key block 5f2c91
  $ fairgate key update team-01/laptop --rpm 30`

const generateHelp = `
The key is shown once: only its hash is kept. ${noneHelp}

Examples:
  $ fairgate key generate team-01 --alias laptop --budget 5 --duration 30d
  $ fairgate key generate team-01 --json`

const updateHelp = `
${noneHelp}
${changeHelp}

Examples:
  $ fairgate key update 5f2c… --budget 10 --duration none
  $ fairgate key update 5f2c… --budget 2.50 --set-model-budget mm-2.5-pro=1`

const regenerateHelp = `
The key keeps its hash as its name, and with it what it spent and what counts against its limits.

Examples:
  $ fairgate key regenerate team-01/laptop --grace 15m
  $ fairgate key regenerate x7Qa`

const keyArgument = [
  '<key>',
  'the alias of the key, its last four characters, its hash, or the key itself',
] as const

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
  addKeyOptions(addLimitOptions(generate, teamModels))
    .addHelpText('after', generateHelp)
    .action(async (team: string, options: KeyOptions) => {
      const body = { team_id: team, ...buildFields(options) }
      await show({ post: '/key/generate', body }, generatedKeySchema, describeGeneratedKey)
    })

  addTeamFilter(group.command('list'))
    .description('keys of all teams or one, in the order they were made')
    .option('--deleted', 'what deleted keys were called instead')
    .action(async (argument: string | undefined, options: TeamOption & { readonly deleted?: boolean }) => {
      if (options.deleted === true)
        return print(await listDeletedKeys(ask, chooseTeam(argument, options)), describeDeletedKeys)
      print(await listAllKeys(ask, chooseTeam(argument, options)), list => describeKeys(list.keys))
    })
  addRequest(group, context, {
    verb: 'show',
    description: 'one key',
    argument: keyArgument,
    request: key => ({ get: '/key/info', query: { key: hashSecret(key) } }),
    reply: keyInfoSchema,
    describe: ({ key, info }) => describeKey(key, info),
  })

  const update = group
    .command('update')
    .description('change a key; in force at once')
    .argument(...keyArgument)
  addKeyOptions(addLimitChangeOptions(update, teamModels))
    .option(
      '--set-model-budget <model=usd>',
      'the same, and other models keep theirs',
      collectModelFigure(parseBudget),
    )
    .option('--unset-model-budget <model>', 'no budget for this model; repeatable', collectModelName)
    .addHelpText('after', updateHelp)
    .action(async (key: string, options: KeyOptions) => {
      const body = { key: hashSecret(key), ...requireChange(buildFields(options)) }
      await show({ post: '/key/update', body }, updatedKeySchema, row => describeKey(row.token, row))
    })

  for (const [verb, description] of blockings) {
    addAct(group, context, {
      verb,
      description,
      argument: keyArgument,
      request: key => ({ post: `/key/${verb}`, body: { key: hashSecret(key) } }),
      reply: keyRowSchema,
      describe: ({ token, team_id, blocked }) =>
        `Key ${token} of team ${team_id} ${blocked === true ? 'is blocked' : 'is not blocked'}.`,
    })
  }
  group
    .command('regenerate')
    .description('give a key a new secret, and print it once; settings and spend stay')
    .argument(...keyArgument)
    .option(
      '--grace <time>',
      'how long the old secret works yet: 90s, 15m, 12h or 7d (default: it stops at once)',
    )
    .option(...reasonOption)
    .option(...dryRunOption)
    .addHelpText('after', regenerateHelp)
    .action(async (key: string, { grace, ...options }: PlainOptions & { readonly grace?: string }) => {
      const path = `/key/${encodeURIComponent(hashSecret(key))}/regenerate`
      const body = grace === undefined ? {} : { grace }
      await showAct(context, { post: path, body }, options, regeneratedKeySchema, describeRegeneratedKey)
    })
  group
    .command('delete')
    .description(
      'delete keys for good, all or none; what they spent stays charged to their team, and reports keep their names',
    )
    .argument('<keys...>', 'aliases, last four characters or hashes of the keys, or the keys themselves')
    .option(...reasonOption)
    .option(...dryRunOption)
    .action(async (keys: string[], options: PlainOptions) => {
      const request = { post: '/key/delete', body: { keys: keys.map(hashSecret) } }
      await showAct(context, request, options, deletedKeysSchema, reply =>
        reply.deleted_keys.map(hash => `Key ${hash} is deleted.`).join('\n'),
      )
    })
}

const teamModels = 'those of the team'

function addKeyOptions(command: Command): Command {
  return command
    .option('--alias <alias>', 'name for people')
    .option(
      '--member <member>',
      'id of the member whose key it is (none: the whole team)',
      orNone(text => text),
    )
    .option(
      '--model-budget <model=usd>',
      'USD for one model in each period; repeatable',
      collectModelFigure(parseBudget),
    )
    .option(
      '--max-parallel <n>',
      'simultaneous requests (none: the default of the service)',
      orNone(parseInteger(1, 1_000_000)),
    )
    .option('--duration <time>', 'time to expiry from now: 90s, 12h, 30d or 4w')
}

function buildFields(options: KeyOptions): KeyFields {
  const { alias, member, maxParallel, duration, modelBudget, setModelBudget, unsetModelBudget } = options
  return {
    ...(alias === undefined ? {} : { key_alias: alias }),
    ...(member === undefined ? {} : { member_id: nullForNone(member) }),
    ...buildLimitFields(options),
    ...(modelBudget === undefined ? {} : { model_max_budget: modelBudget }),
    ...buildModelEntries('set_model_max_budget', setModelBudget, unsetModelBudget),
    ...(maxParallel === undefined ? {} : { max_parallel_requests: nullForNone(maxParallel) }),
    ...(duration === undefined ? {} : { duration: nullForNone(duration) }),
  }
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

async function listDeletedKeys(
  ask: CommandContext['ask'],
  team: string | undefined,
): Promise<DeletedKeyList> {
  const items: DeletedKeyList['items'] = []
  for (let after: string | undefined; ; ) {
    const reply = await ask(
      { get: '/key/deleted', query: { team_id: team, limit: 500, after } },
      deletedKeyListSchema,
    )
    items.push(...reply.items)
    if (reply.next === null) return { ...reply, items }
    after = reply.next
  }
}

function describeDeletedKeys({ items }: DeletedKeyList): string {
  if (items.length === 0) return 'No key was deleted.'
  return formatTable(
    ['HASH', 'NAME', 'ALIAS', 'TEAM', 'DELETED', 'BY'],
    items.map(key => [key.key, key.key_name, key.key_alias, key.team_id, key.deleted_at, key.deleted_by]),
  )
}

function describeRegeneratedKey(key: RegeneratedKey): string {
  const until = key.old_key_until
  const old = until === null ? 'The old secret has stopped.' : `The old secret works until ${until}.`
  return `${describeGeneratedKey(key)}\n\n${old}`
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
