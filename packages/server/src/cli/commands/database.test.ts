// `fairgate database copy`: where it finds the two sides, what it says, and how it ends when something is wrong.
import { expect, test } from 'bun:test'
import type { CopyDatabase, CopyReport } from '../../backup/copy-database.ts'
import { runCli } from '../testing/run-cli.ts'

const url = 'postgres://fairgate:s3cret@db.example.org/fairgate'

const copied: CopyReport = {
  from: '/data/fairgate.db',
  source_bytes: 2_500_000,
  to: 'postgres://db.example.org/fairgate',
  postgres_version: '17.2',
  target: 'empty',
  outcome: 'copied',
  tables: [
    { table: 'teams', rows: 60, copied_before: 0, digest: 'a'.repeat(64) },
    { table: 'entries', rows: 5678, copied_before: 1000, digest: 'b'.repeat(64) },
    { table: 'window_rows', rows: 0, copied_before: 0, digest: 'c'.repeat(64) },
  ],
  seconds: 12.345,
  differences: [],
  broken_chains: [],
  wrong_totals: [],
  files_left: [
    { path: 'admin-key', files: 1, bytes: 55 },
    { path: 'join-key', files: 1, bytes: 65 },
    { path: 'notes.txt', files: 1, bytes: 65 },
    { path: 'videos/', files: 3, bytes: 12_000_000 },
  ],
}

type Asked = Omit<Parameters<CopyDatabase>[0], 'report'>

async function run(
  commandArguments: readonly string[],
  {
    variables = { DATABASE_URL: url },
    result = copied,
    files = {},
  }: {
    variables?: Readonly<Record<string, string>>
    result?: CopyReport | Error
    files?: Readonly<Record<string, string>>
  } = {},
) {
  const asked: Asked[] = []
  const copyDatabase: CopyDatabase = async ({ report, ...request }) => {
    asked.push(request)
    report('copying entries: 1000 of 5678 rows')
    if (result instanceof Error) throw result
    return result
  }
  const ended = await runCli(['database', 'copy', ...commandArguments], [], {
    loadDatabaseCopy: async () => copyDatabase,
    variables,
    readTextFile: async path => {
      const text = files[path]
      if (text === undefined) throw new Error('ENOENT: no such file')
      return text
    },
  })
  return { ...ended, asked }
}

test('steps on stderr; on stdout what was copied, and what stays in the data folder with what to do', async () => {
  const { exitCode, stdout, stderr, asked } = await run([])
  expect([exitCode, stderr]).toEqual([0, 'copying entries: 1000 of 5678 rows\n'])
  expect(asked).toEqual([{ dataFolder: 'data', databaseUrl: url, mode: 'copy', startOver: false }])
  for (const text of [
    '2.5 MB',
    'PostgreSQL 17.2',
    '5738',
    '12.3 s',
    'b'.repeat(64),
    'FAIRGATE_JOIN_KEY_FILE',
  ])
    expect(stdout).toContain(text)
  expect(stdout).toContain('no part of the data of Fairgate')
  expect(stdout).not.toContain('window_rows')
  expect(stdout + stderr).not.toContain('s3cret')
})

test.each([
  [[], { FAIRGATE_DATA_DIR: '/data' }, { dataFolder: '/data', mode: 'copy', startOver: false }],
  [['--from', '/other'], { FAIRGATE_DATA_DIR: '/data' }, { dataFolder: '/other' }],
  [['--dry-run'], {}, { mode: 'plan' }],
  [['--dry-run', '--start-over'], {}, { mode: 'plan', startOver: true }],
  [['--verify-only'], {}, { mode: 'verify' }],
  [['--start-over'], {}, { mode: 'copy', startOver: true }],
])('%j', async (options, variables, expected) => {
  const { asked } = await run(options, { variables: { DATABASE_URL: url, ...variables } })
  expect(asked).toMatchObject([expected])
})

test.each([
  ['--to before all', ['--to', 'postgres://a/b'], 'postgres://a/b'],
  ['a file', ['--to-file', '/url'], 'postgresql://file/b'],
  ['FAIRGATE_DATABASE_TO before DATABASE_URL', [], 'postgres://variable/b'],
])('the target: %s', async (_, options, expected) => {
  const variables = { DATABASE_URL: url, FAIRGATE_DATABASE_TO: 'postgres://variable/b' }
  const { asked, stderr } = await run(options, { variables, files: { '/url': 'postgresql://file/b\n' } })
  expect(asked[0]?.databaseUrl).toBe(expected)
  expect(stderr).not.toContain('Warning')
})

test.each([['postgres://me:s3cret@a/b'], ['postgres://me@a/b?password=s3cret']])(
  'a password on the command line is warned of, and not repeated: %s',
  async to => {
    const { exitCode, stdout, stderr } = await run(['--to', to])
    expect(exitCode).toBe(0)
    expect(stderr).toContain('Warning: every program on this machine can read a password on the command line')
    expect(stdout + stderr).not.toContain('s3cret')
  },
)

test.each([
  ['no target', [], {}, 2, 'no target. Give --to-file'],
  [
    'an address of something else',
    ['--to', 'mysql://me:s3cret@a/b'],
    {},
    2,
    '--to must be an address such as',
  ],
  ['no address', [], { DATABASE_URL: 's3cret' }, 2, 'DATABASE_URL must be an address such as'],
  ['two targets', ['--to', url, '--to-file', '/url'], {}, 2, 'both name a target'],
  ['a file that is not there', ['--to-file', '/none'], {}, 1, 'The file /none cannot be read: ENOENT'],
  ['an empty file', ['--to-file', '/empty'], {}, 2, 'the file /empty must be an address'],
  ['to plan and to verify', ['--dry-run', '--verify-only'], { DATABASE_URL: url }, 2, 'cannot be used with'],
  [
    'to verify and to start over',
    ['--verify-only', '--start-over'],
    { DATABASE_URL: url },
    2,
    'cannot be used with',
  ],
])('refused: %s', async (_, options, variables: Readonly<Record<string, string>>, code, message) => {
  const { exitCode, stderr, asked } = await run(options, { variables, files: { '/empty': '' } })
  expect([exitCode, asked]).toEqual([code, []])
  expect(stderr).toContain(message)
  expect(stderr).not.toContain('s3cret')
})

test('--json prints the whole report', async () => {
  expect(JSON.parse((await run(['--json'])).stdout)).toEqual(copied)
})

test('a plan says how far an earlier copy has come', async () => {
  const result: CopyReport = {
    ...copied,
    outcome: 'would_go_on',
    target: 'unfinished_copy',
    tables: copied.tables.map(table => ({ ...table, digest: null })),
  }
  const { exitCode, stdout } = await run(['--dry-run'], { result })
  expect(exitCode).toBe(0)
  expect(stdout).toContain('would go on with an unfinished copy')
  expect(stdout).toMatch(/entries +5678 +1000/)
  expect(stdout).not.toContain('LEFT IN THE DATA FOLDER')
})

test('rows that differ are named, and the end is 1', async () => {
  const result: CopyReport = {
    ...copied,
    differences: [
      { table: 'teams', key: 'team_id=red', problem: 'differs', columns: ['alias', 'blocked'] },
      { table: 'teams', key: 'team_id=blue', problem: 'missing', columns: [] },
      { table: 'entries', key: 'team_id=red seq=7', problem: 'extra', columns: [] },
    ],
  }
  const { exitCode, stdout, stderr } = await run([], { result })
  expect(exitCode).toBe(1)
  expect(stdout).toContain('teams: the row team_id=red differs in alias, blocked.')
  expect(stdout).toContain('teams: the row team_id=blue is missing in the target.')
  expect(stdout).toContain('entries: the row team_id=red seq=7 is in the target alone.')
  expect(stderr).toContain('no server may use it. Copy again with --start-over')
  const later = await run([], { result: { ...result, outcome: 'verified' } })
  expect(later.stderr).toContain('One of them has been used since the copy, or was changed')
})

test('what was wrong in the source before ends with 1, and says that the copy is exact', async () => {
  const result: CopyReport = {
    ...copied,
    broken_chains: [{ teamId: 'red', seq: 17 }],
    wrong_totals: [{ owner: 'team:red', total_nano: '12', charges_nano: '10' }],
  }
  const { exitCode, stdout, stderr } = await run([], { result })
  expect(exitCode).toBe(1)
  expect(stdout).toContain('Entry 17 of red does not fit its chain. It was so in the source.')
  expect(stdout).toContain('The total of team:red is 12 nano-dollars, and its charges sum up to 10.')
  expect(stderr).toContain('The copy is exact and can be used')
})

test('what is in the way is said, with 1', async () => {
  const { exitCode, stdout, stderr } = await run([], { result: new Error('The target is in use: x.') })
  expect([exitCode, stdout, stderr.endsWith('The target is in use: x.\n')]).toEqual([1, '', true])
})
