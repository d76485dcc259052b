// `fairgate backup …`: creates a backup while the server runs, verifies it, and restores it into either engine.
import type { Command } from 'commander'
import type { Backups } from '../../operate/backup/backups.ts'
import type { RestoredBackup } from '../../operate/backup/restore-backup.ts'
import type { VerifiedBackup } from '../../operate/backup/verify-backup.ts'
import type { CommandContext } from '../command-context.ts'
import { CommandFailure } from '../command-failure.ts'

const help = `
The data is found as "fairgate serve" finds it: FAIRGATE_DATA_DIR (./data) and DATABASE_URL. A backup holds the database as a SQLite file,
whichever engine it was taken from, the copies of videos, and the admin key if one was generated: keep it as safe as the data itself.
It can be restored into either engine, so a backup and a restore also move the data from one to the other.

With DATABASE_URL the data folder may be in use: its fairgate.db stays as it is, and the admin key and videos that it has already are kept.
Every value that was written is read back and compared before anything is committed, and so are the chains of entries and the totals.

Examples:
  $ fairgate backup create /backup/before-the-final
  $ fairgate backup verify /backup/before-the-final
  $ FAIRGATE_DATA_DIR=./new fairgate backup restore /backup/before-the-final
  $ DATABASE_URL=postgres://… fairgate backup restore /backup/before-the-final`

export function addBackupCommands(program: Command, context: CommandContext): void {
  const { loadBackups, variables, writeError, print } = context
  const group = program
    .command('backup')
    .description('create, verify and restore backups')
    .addHelpText('after', help)
  const run = async (
    folder: string,
    work: (backups: Backups) => Promise<VerifiedBackup & Partial<RestoredBackup>>,
  ): Promise<void> => {
    const { manifest, brokenChains, wrongTotals } = await work(await loadBackups())
    const totals = wrongTotals == null ? {} : { wrong_totals: wrongTotals }
    print({ folder, ...manifest, broken_chains: brokenChains, ...totals }, describeBackup)
  }
  const report = (step: string): void => writeError(`${step}\n`)
  group
    .command('create')
    .description('save everything into a new folder while the server runs, then verify it')
    .argument('<folder>', 'folder that does not exist yet')
    .action((folder: string) => run(folder, backups => backups.create(folder, variables, report)))
  group
    .command('verify')
    .description('verify the files, database, row counts and entry chains of a backup')
    .argument('<folder>', 'a backup')
    .action(async (folder: string) => {
      let broken = 0
      await run(folder, async backups => {
        const verified = await backups.verify(folder, report)
        broken = verified.brokenChains.length
        return verified
      })
      if (broken > 0)
        throw new CommandFailure(1, 'The entries of some teams had been changed before the backup was taken.')
    })
  group
    .command('restore')
    .description(
      'restore a backup into an unused data folder, or with DATABASE_URL into an empty database; no server may run there',
    )
    .argument('<folder>', 'a backup')
    .action((folder: string) => run(folder, backups => backups.restore(folder, variables, report)))
}

type DescribedBackup = VerifiedBackup['manifest'] & {
  readonly folder: string
  readonly broken_chains: VerifiedBackup['brokenChains']
  /** Only after a restore into PostgreSQL. */
  readonly wrong_totals?: NonNullable<RestoredBackup['wrongTotals']>
}

function describeBackup(backup: DescribedBackup): string {
  const { folder, created_at, version, engine, tables, files, broken_chains, wrong_totals } = backup
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  const videos = files.filter(({ path }) => path.startsWith('videos/')).length
  const facts: readonly (readonly [string, string])[] = [
    ['folder', folder],
    ['taken', created_at],
    ['from', `${engine}, Fairgate ${version}`],
    ['teams', String(tables.teams ?? 0)],
    ['charges', String(tables.charges ?? 0)],
    ['entries', String(tables.entries ?? 0)],
    ['videos', String(videos)],
    ['size', `${(bytes / 1_000_000).toFixed(1)} MB`],
    ['checked', 'every file, row count and chain of entries'],
    ...(wrong_totals === undefined
      ? []
      : [['compared', 'every value, chain and total in PostgreSQL'] as const]),
  ]
  const lines = facts.map(([name, value]) => `${name.padEnd(8)} ${value}`)
  const broken = broken_chains.map(
    ({ teamId, seq }) =>
      `Entry ${seq} of ${teamId} does not fit its chain: it was changed before the backup was taken.`,
  )
  const wrong = (wrong_totals ?? []).map(
    ({ owner, total_nano, rows_nano }) =>
      `The total of ${owner} is ${total_nano} nano-dollars, but its rows add up to ${rows_nano}, as in the backup.`,
  )
  return [...lines, ...broken, ...wrong].join('\n')
}
