// `fairgate backup`: its progress, result and exit code.
import { expect, test } from 'bun:test'
import type { Backups } from '../../operate/backup/backups.ts'
import type { RestoredBackup } from '../../operate/backup/restore-backup.ts'
import type { VerifiedBackup } from '../../operate/backup/verify-backup.ts'
import { runCli } from '../testing/run-cli.ts'

const whole: VerifiedBackup = {
  manifest: {
    format: 1,
    created_at: '2026-11-21T09:00:00.000Z',
    version: '9.8.7',
    engine: 'sqlite',
    migrations: ['001-directory'],
    tables: { teams: 60, charges: 1234, entries: 5678 },
    files: [
      { path: 'fairgate.db', bytes: 2_500_000, sha256: '0'.repeat(64) },
      { path: 'videos/video_1.mp4', bytes: 500_000, sha256: '0'.repeat(64) },
    ],
  },
  brokenChains: [],
}

function run(
  commandArguments: readonly string[],
  verified: (VerifiedBackup & Partial<RestoredBackup>) | Error = whole,
) {
  const asked: unknown[] = []
  const answer = async () => {
    if (verified instanceof Error) throw verified
    return verified
  }
  const backups: Backups = {
    create: (folder, variables, report) => {
      asked.push(['create', folder, variables.FAIRGATE_DATA_DIR])
      report('copying the database')
      return answer()
    },
    verify: folder => {
      asked.push(['verify', folder])
      return answer()
    },
    restore: async (folder, variables) => {
      asked.push(['restore', folder, variables.FAIRGATE_DATA_DIR])
      return { wrongTotals: null, ...(await answer()) }
    },
  }
  const changes = { loadBackups: async () => backups, variables: { FAIRGATE_DATA_DIR: '/data' } }
  return runCli(['backup', ...commandArguments], [], changes).then(result => ({ ...result, asked }))
}

test('create: steps on stderr, the result on stdout', async () => {
  const { exitCode, stdout, stderr, asked } = await run(['create', '/backup/1'])
  expect([exitCode, stderr, asked]).toEqual([0, 'copying the database\n', [['create', '/backup/1', '/data']]])
  for (const text of ['/backup/1', 'sqlite, Fairgate 9.8.7', '60', '1234', '5678', '3.0 MB'])
    expect(stdout).toContain(text)
})

test('--json prints the manifest', async () => {
  const { stdout } = await run(['restore', '/backup/1', '--json'])
  expect(JSON.parse(stdout)).toMatchObject({ folder: '/backup/1', tables: { teams: 60 }, broken_chains: [] })
})

test('verify ends with 1 if entries had been changed before, and names the first', async () => {
  const { exitCode, stdout, stderr } = await run(['verify', '/backup/1'], {
    ...whole,
    brokenChains: [{ teamId: 'red', seq: 17 }],
  })
  expect(exitCode).toBe(1)
  expect(stdout).toContain('Entry 17 of red does not fit its chain')
  expect(stderr).toContain('had been changed before the backup was taken')
})

test('restore names totals that were wrong in the backup, and does not fail because of them', async () => {
  const wrongTotals = [{ team_id: 'red', owner: 'team:red', total_nano: 12, rows_nano: 5 }]
  const { exitCode, stdout } = await run(['restore', '/backup/1'], { ...whole, wrongTotals })
  expect([exitCode, stdout]).toEqual([
    0,
    expect.stringContaining('The total of team:red is 12 nano-dollars, but its rows add up to 5'),
  ])
})

test.each([['create'], ['verify'], ['restore']])(
  '%s explains its failure, and needs a folder',
  async verb => {
    const failed = await run([verb, '/backup/1'], new Error('The backup lacks the file fairgate.db.'))
    expect([failed.exitCode, failed.stderr.endsWith('The backup lacks the file fairgate.db.\n')]).toEqual([
      1,
      true,
    ])
    expect((await run([verb])).exitCode).toBe(2)
  },
)
