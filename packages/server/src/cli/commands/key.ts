// `fairgate key …`: the gateway keys of the teams.
import { type KeyRecord, keyInfoSchema } from '@fairgate/contracts/info/key-record.ts'
import {
  deletedKeyListSchema,
  deletedKeysSchema,
  type GeneratedKey,
  generatedKeySchema,
  type KeyRow,
  keyListSchema,
  keyRowSchema,
  regeneratedKeySchema,
  updatedKeySchema,
} from '@fairgate/contracts/management/key-bodies.ts'
import type { Command } from 'commander'
import Type from 'typebox'
import { addAction, addCommand, addRequest } from '../add-request.ts'
import { type CommandContext, readPages } from '../command-context.ts'
import {
  changeHelp,
  collectModelFigure,
  collectModelName,
  hashSecret,
  limitNames,
  listLimitOptions,
  modelLimitOptions,
  noneHelp,
  orNone,
  parseBudget,
  parseInteger,
  requireChange,
  textOrNone,
} from '../options.ts'
import {
  describeState,
  formatFields,
  formatItems,
  formatList,
  formatSpend,
  formatUsd,
  listLimits,
} from '../output/format.ts'

const groupHelp = `
Name a key by its alias, its last four characters, its hash or the beginning of the hash (see "fairgate key
list"), or by the key itself: then only its hash is sent. With a team in front, as in team-01/laptop, only the
keys of that team are searched. A name that fits more than one key is refused with their hashes.

Examples:
  $ fairgate key generate team-01 --alias laptop --duration 30d
  $ fairgate key list team-01
  $ fairgate key show team-01/laptop
  $ fairgate key update team-01/laptop --rpm 30
  $ fairgate key block 5f2c91 --reason "leaked"
  $ fairgate key unblock 5f2c91
  $ fairgate key delete team-01/laptop team-01/ci`

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
The key keeps its hash as its name, and with it its spend and what counts against its limits.

Examples:
  $ fairgate key regenerate team-01/laptop --grace 15m
  $ fairgate key regenerate x7Qa`

const keyArgument = ['<key>', 'alias, last four characters or hash of the key, or the key itself'] as const

const blockings = [
  ['block', 'block a key'],
  ['unblock', 'unblock a key'],
] as const

const teamModels = 'those of the team'

const keyOptions = [
  ['--alias <alias>', 'display name'],
  ['--member <member>', 'id of the member who owns the key (none: the whole team)', textOrNone],
  [
    '--model-budget <model=usd>',
    'USD for one model in each period; repeatable',
    collectModelFigure(parseBudget),
  ],
  [
    '--max-parallel <n>',
    'simultaneous requests (none: the default of the service)',
    orNone(parseInteger(1, 1_000_000)),
  ],
  ['--duration <span>', 'time to expiry from now: 90s, 12h, 30d or 4w', textOrNone],
] as const

const keyNames = {
  ...limitNames,
  alias: 'key_alias',
  member: 'member_id',
  maxParallel: 'max_parallel_requests',
  modelBudget: 'model_max_budget',
  setModelBudget: 'set_model_max_budget',
  unsetModelBudget: 'set_model_max_budget',
}

export function addKeyCommands(program: Command, context: CommandContext): void {
  const { ask, print } = context
  const group = program.command('key').description('manage gateway keys')
  group.addHelpText('after', groupHelp)
  addRequest(group, context, {
    verb: 'generate',
    description: 'create a key for a team and print it once',
    arguments: [['<team>', 'id of the team']],
    options: [...listLimitOptions(teamModels), ...keyOptions],
    names: keyNames,
    help: generateHelp,
    request: (fields, team) => ({ post: '/key/generate', body: { team_id: team, ...fields } }),
    reply: generatedKeySchema,
    describe: describeGeneratedKey,
  })
  addCommand(
    group,
    {
      verb: 'list',
      description: 'list the keys of all teams or one, oldest first',
      isOfTeams: true,
      options: [['--deleted', 'list deleted keys instead']],
    },
    async ({ team_id, deleted }) => {
      if (deleted !== true) return print(await listAllKeys(ask, team_id), describeKeys, 'items')
      const query = { team_id, limit: 500 }
      const list = await readPages(
        after => ask({ get: '/key/deleted', query: { ...query, after } }, deletedKeyListSchema),
        page => page.next,
      )
      print(
        list,
        ({ items }) =>
          formatItems(items, 'No deleted keys.', {
            HASH: 'key',
            NAME: 'key_name',
            ALIAS: 'key_alias',
            TEAM: 'team_id',
            DELETED: 'deleted_at',
            BY: 'deleted_by',
          }),
        'items',
      )
    },
  )
  addRequest(group, context, {
    verb: 'show',
    description: 'show one key',
    arguments: [keyArgument],
    request: (_, key) => ({ get: '/key/info', query: { key: hashSecret(key) } }),
    reply: keyInfoSchema,
    describe: ({ key, info }) => describeKey(key, info),
  })
  addRequest(group, context, {
    verb: 'update',
    description: 'change a key; applies at once',
    arguments: [keyArgument],
    options: [
      ...listLimitOptions(teamModels),
      ...modelLimitOptions,
      ...keyOptions,
      [
        '--set-model-budget <model=usd>',
        'the same; other models keep theirs',
        collectModelFigure(parseBudget),
      ],
      ['--unset-model-budget <model>', 'no budget for this model; repeatable', collectModelName],
    ],
    names: keyNames,
    help: updateHelp,
    request: (fields, key) => ({
      post: '/key/update',
      body: { key: hashSecret(key), ...requireChange(fields) },
    }),
    reply: updatedKeySchema,
    describe: row => describeKey(row.token, row),
  })
  for (const [verb, description] of blockings) {
    addAction(group, context, {
      verb,
      description,
      arguments: [keyArgument],
      request: (_, key) => ({ post: `/key/${verb}`, body: { key: hashSecret(key) } }),
      reply: keyRowSchema,
      describe: ({ token, team_id, blocked }) =>
        `Key ${token} of team ${team_id} ${blocked === true ? 'is blocked' : 'is not blocked'}.`,
    })
  }
  addAction(group, context, {
    verb: 'regenerate',
    description: 'replace the secret of a key and print it once; settings and spend stay',
    arguments: [keyArgument],
    options: [
      ['--grace <span>', 'how long the old secret still works: 90s, 15m, 12h or 7d (default: not at all)'],
    ],
    help: regenerateHelp,
    request: (body, key) => ({ post: `/key/${encodeURIComponent(hashSecret(key))}/regenerate`, body }),
    reply: regeneratedKeySchema,
    describe: key => {
      const until = key.old_key_until
      const old = until === null ? 'The old secret no longer works.' : `The old secret works until ${until}.`
      return `${describeGeneratedKey(key)}\n\n${old}`
    },
  })
  addAction(group, context, {
    verb: 'delete',
    description: 'delete keys, all or none; their spend stays with the team, and reports keep their names',
    arguments: [['<keys...>', 'aliases, last four characters or hashes of the keys, or the keys themselves']],
    request: (_, ...keys) => ({ post: '/key/delete', body: { keys: keys.map(hashSecret) } }),
    reply: deletedKeysSchema,
    describe: ({ deleted_keys }) => deleted_keys.map(hash => `Key ${hash} is deleted.`).join('\n'),
  })
}

/** The list with full rows and no bare hashes. */
const keyRowsSchema = Type.Object({ ...keyListSchema.properties, keys: Type.Array(keyRowSchema) })

const pageSize = 100

/** Reads every page. */
async function listAllKeys(ask: CommandContext['ask'], team: unknown): Promise<readonly KeyRow[]> {
  const keys: KeyRow[] = []
  for (let page = 1; ; page += 1) {
    const query = { page, size: pageSize, team_id: team, return_full_object: true }
    const reply = await ask({ get: '/key/list', query }, keyRowsSchema)
    keys.push(...reply.keys)
    if (page >= reply.total_pages || reply.keys.length === 0) return keys
  }
}

function describeKeys(keys: readonly KeyRow[]): string {
  return formatItems(keys, 'No keys. Create one with "fairgate key generate TEAM".', {
    HASH: 'token',
    NAME: 'key_name',
    ALIAS: 'key_alias',
    TEAM: 'team_id',
    SPENT: key => formatUsd(key.spend),
    BUDGET: key => (key.max_budget === null ? null : formatUsd(key.max_budget)),
    EXPIRES: key => key.expires ?? 'never',
    STATE: key => describeState(key.blocked),
  })
}

function describeGeneratedKey(key: GeneratedKey): string {
  return `Key of team ${key.team_id}, not shown again:\n\n  ${key.key}\n\n${describeKey(key.token, key)}`
}

function describeKey(hash: string, key: KeyRecord): string {
  return formatFields([
    ['hash', hash],
    ['name', key.key_name],
    ['alias', key.key_alias || null],
    ['team', key.team_id],
    ['state', describeState(key.blocked)],
    ['spent', formatSpend(key.spend, key.max_budget)],
    ...listLimits(key),
    ['parallel', key.max_parallel_requests],
    ['models', formatList(key.models, 'those of its team')],
    ['expires', key.expires ?? 'never'],
    ['created', `${key.created_at} by ${key.created_by}`],
    ['updated', `${key.updated_at} by ${key.updated_by}`],
  ])
}
