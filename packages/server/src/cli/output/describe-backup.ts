// A backup as lines for people: where it is, when it was taken, and how much is in it.
import type { VerifiedBackup } from '../../backup/verify-backup.ts'

type DescribedBackup = VerifiedBackup['manifest'] & {
  readonly folder: string
  readonly broken_chains: VerifiedBackup['brokenChains']
}

export function describeBackup(backup: DescribedBackup): string {
  const { folder, created_at, version, engine, tables, files, broken_chains } = backup
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
  ]
  const lines = facts.map(([name, value]) => `${name.padEnd(8)} ${value}`)
  const broken = broken_chains.map(
    ({ teamId, seq }) =>
      `Entry ${seq} of ${teamId} does not fit its chain: it was changed before the backup was taken.`,
  )
  return [...lines, ...broken].join('\n')
}
