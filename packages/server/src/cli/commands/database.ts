// `fairgate database copy`: moves a SQLite data folder into PostgreSQL.
import { type Command, Option } from 'commander'
import type { CopyReport } from '../../backup/copy-database.ts'
import type { CommandContext } from '../command-context.ts'
import { CommandFailure, refuseUsage } from '../command-failure.ts'
import type { ProgramDependencies } from '../dependencies.ts'
import { formatFields, formatTable } from '../output/format.ts'

const help = `
Stop the server first. The data folder is only read: until a server has taken calls on PostgreSQL, the way back is to start without
DATABASE_URL. Whatever ends the copy, the same command goes on behind the last page that was committed. A server refuses a database
whose copy is not finished. At the end every row of both sides is compared, the chains of entries are recomputed, and totals are
checked against charges.

The address of the target comes from --to-file, FAIRGATE_DATABASE_TO, DATABASE_URL, or --to. PGPASSWORD and ~/.pgpass give a password
that the address lacks. The copy needs a direct connection: behind pgbouncer, name PostgreSQL itself.

Examples:
  $ DATABASE_URL=postgres://fairgate@db.example.org/fairgate fairgate database copy --dry-run
  $ fairgate database copy --from /var/lib/fairgate --to-file /etc/fairgate/database-url
  $ fairgate database copy --to-file /etc/fairgate/database-url --verify-only

Exit codes: 0 done; 1 refused, or the two sides differ, or a check of the contents failed; 2 wrong usage.`

type CopyOptions = {
  readonly from?: string
  readonly to?: string
  readonly toFile?: string
  readonly dryRun?: boolean
  readonly verifyOnly?: boolean
  readonly startOver?: boolean
}

type Dependencies = Pick<
  ProgramDependencies,
  'loadDatabaseCopy' | 'variables' | 'writeError' | 'readTextFile'
>

export function addDatabaseCommands(
  program: Command,
  context: Pick<CommandContext, 'print'>,
  dependencies: Dependencies,
): void {
  const group = program.command('database').description('move data from SQLite to PostgreSQL')
  group
    .command('copy')
    .description('copy a SQLite data folder into an empty PostgreSQL database, and compare the two')
    .option('--from <folder>', 'the data folder (default: FAIRGATE_DATA_DIR, or ./data)')
    .option('--to <url>', 'postgres://user@host:5432/database; other programs can see a password in it')
    .option('--to-file <path>', 'a file that holds the address of the target')
    .addOption(
      new Option('--dry-run', 'say what would be done, and change nothing').conflicts(['verifyOnly']),
    )
    .addOption(
      new Option(
        '--verify-only',
        'compare a finished copy with the data folder, and change nothing',
      ).conflicts(['startOver']),
    )
    .option('--start-over', 'throw away what an unfinished copy has copied, and copy all of it')
    .addHelpText('after', help)
    .action((options: CopyOptions) => runCopy(options, context, dependencies))
}

async function runCopy(
  options: CopyOptions,
  context: Pick<CommandContext, 'print'>,
  dependencies: Dependencies,
): Promise<void> {
  const { variables, writeError, loadDatabaseCopy } = dependencies
  const databaseUrl = await findTarget(options, dependencies)
  const copyDatabase = await loadDatabaseCopy()
  const result = await copyDatabase({
    dataFolder: options.from ?? (variables.FAIRGATE_DATA_DIR?.trim() || 'data'),
    databaseUrl,
    mode: options.dryRun === true ? 'plan' : options.verifyOnly === true ? 'verify' : 'copy',
    startOver: options.startOver === true,
    report: step => writeError(`${step}\n`),
  })
  context.print(result, describeResult)
  if (result.differences.length > 0)
    throw new CommandFailure(
      1,
      result.outcome === 'copied'
        ? 'The copy differs from its source, so no server may use it. Copy again with --start-over.'
        : 'The target differs from the data folder. One of them has been used since the copy, or was changed.',
    )
  if (result.broken_chains.length + result.wrong_totals.length > 0)
    throw new CommandFailure(
      1,
      'The copy is exact and can be used, but its source had been changed before: see above.',
    )
}

/** Throws CommandFailure 2 for an address that is none; the message does not repeat it, since it may hold a password. */
async function findTarget(
  { to, toFile }: CopyOptions,
  { variables, writeError, readTextFile }: Dependencies,
): Promise<string> {
  if (to !== undefined && toFile !== undefined)
    throw refuseUsage('--to and --to-file both name a target. Give one.')
  const [name, text] =
    to !== undefined
      ? ['--to', to]
      : toFile !== undefined
        ? [`the file ${toFile}`, await readAddress(toFile, readTextFile)]
        : (['FAIRGATE_DATABASE_TO', 'DATABASE_URL']
            .map(variable => [variable, variables[variable] ?? ''] as const)
            .find(([, value]) => value.trim() !== '') ?? ['', ''])
  if (name === '')
    throw refuseUsage('no target. Give --to-file, FAIRGATE_DATABASE_TO, DATABASE_URL, or --to.')
  const address = text.trim()
  const url = URL.canParse(address) ? new URL(address) : null
  if (url === null || !['postgres:', 'postgresql:'].includes(url.protocol))
    throw refuseUsage(`${name} must be an address such as postgres://user:password@host:5432/fairgate.`)
  if (to !== undefined && (url.password !== '' || url.searchParams.has('password')))
    writeError(
      'Warning: every program on this machine can read a password on the command line. Prefer --to-file or FAIRGATE_DATABASE_TO.\n',
    )
  return address
}

async function readAddress(path: string, readTextFile: Dependencies['readTextFile']): Promise<string> {
  try {
    return await readTextFile(path)
  } catch (error) {
    throw new CommandFailure(
      1,
      `The file ${path} cannot be read: ${error instanceof Error ? error.message : error}`,
    )
  }
}

const outcomes: Readonly<Record<CopyReport['outcome'], string>> = {
  would_copy: 'would copy everything',
  would_go_on: 'would go on with an unfinished copy',
  would_verify: 'is copied already; would compare the two',
  copied: 'copied',
  verified: 'compared; nothing was copied',
}

const targets: Readonly<Record<CopyReport['target'], string>> = {
  empty: 'empty',
  unfinished_copy: 'an unfinished copy',
  finished_copy: 'a finished copy',
  in_use_otherwise: 'no copy, with data of its own',
}

function describeResult(result: CopyReport): string {
  const { from, source_bytes, to, postgres_version, target, outcome, tables, seconds } = result
  const isPlan = outcome.startsWith('would_')
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  const fields = formatFields([
    ['from', `${from}, ${(source_bytes / 1_000_000).toFixed(1)} MB`],
    ['to', `${to}, PostgreSQL ${postgres_version}, ${targets[target]}`],
    ['outcome', outcomes[outcome]],
    ['rows', String(rows)],
    ...(isPlan ? [] : [['time', `${seconds.toFixed(1)} s`] as const]),
  ])
  const list = formatTable(
    ['TABLE', 'ROWS', ...(isPlan ? ['COPIED BEFORE'] : ['SHA-256 OF BOTH'])],
    tables
      .filter(table => table.rows > 0 || table.digest === null)
      .filter(table => !isPlan || table.rows > 0)
      .map(({ table, rows: count, copied_before, digest }) => [
        table,
        String(count),
        isPlan ? String(copied_before) : (digest ?? 'DIFFERS'),
      ]),
  )
  const findings = describeFindings(result)
  const next = isPlan ? [] : describeFilesLeft(result)
  return [fields, list, ...findings, ...next].filter(text => text !== '').join('\n\n')
}

function describeFindings({ differences, broken_chains, wrong_totals }: CopyReport): string[] {
  const lines = [
    ...differences.map(({ table, key, problem, columns }) => {
      if (problem === 'missing') return `${table}: the row ${key} is missing in the target.`
      if (problem === 'extra') return `${table}: the row ${key} is in the target alone.`
      return `${table}: the row ${key} differs in ${columns.join(', ')}.`
    }),
    ...broken_chains.map(
      ({ teamId, seq }) => `Entry ${seq} of ${teamId} does not fit its chain. It was so in the source.`,
    ),
    ...wrong_totals.map(
      ({ owner, total_nano, charges_nano }) =>
        `The total of ${owner} is ${total_nano} nano-dollars, and its charges sum up to ${charges_nano}. It was so in the source.`,
    ),
  ]
  return lines.length === 0 ? [] : [lines.join('\n')]
}

const advice: Readonly<Record<string, string>> = {
  'admin-key': 'the admin key. A server elsewhere needs it there, or in FAIRGATE_ADMIN_KEY.',
  'join-key':
    'the key that matches calls with entries. Every server needs this very file (FAIRGATE_JOIN_KEY_FILE). It is in no backup.',
  'videos/': 'the copies of finished videos. A server elsewhere needs them in its own data folder.',
}

function describeFilesLeft({ files_left }: CopyReport): string[] {
  if (files_left.length === 0) return []
  const list = formatTable(
    ['LEFT IN THE DATA FOLDER', 'FILES', 'MB', 'WHAT IT IS'],
    files_left.map(({ path, files, bytes }) => [
      path,
      String(files),
      (bytes / 1_000_000).toFixed(1),
      advice[path] ?? 'no part of the data of Fairgate',
    ]),
  )
  return [`${list}\n\nOn this machine keep FAIRGATE_DATA_DIR as it is, and the server finds them.`]
}
