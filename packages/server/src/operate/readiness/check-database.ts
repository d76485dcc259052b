// Checks the database: reachable, of a supported version, with settings that do not lose committed data, and with connections left.
import type { PostgresFacts } from '../../store/postgres/inspect-server.ts'
import type { SqliteFacts } from '../../store/sqlite/inspect-file.ts'
import { type Found, fault, ok, warning } from './finding.ts'

/** PostgreSQL's project publishes no fixes for older ones from November 2026 on (postgresql.org/support/versioning). */
const oldestSupported = 150_000
/** A process opens ten for its pool, and a few more for lock, lease, notifications and limits. */
const connectionsOfAProcess = 20

export function checkPostgres(
  facts: Omit<PostgresFacts, 'clock' | 'agreed'>,
  surroundings: { readonly isServing: boolean; readonly hasDirectUrl: boolean },
): Found {
  const { version, maxConnections, reservedConnections, usedConnections, isStandby, isPooled } = facts
  if (isStandby)
    return fault(
      'the database server is a standby and accepts no writes',
      'Set DATABASE_URL to the primary, or to all servers, separated by commas.',
    )
  const left = maxConnections - reservedConnections - usedConnections
  const connections = `${left} of ${maxConnections} connections are left`
  return [
    ok(`PostgreSQL ${version}`),
    facts.versionNumber < oldestSupported
      ? warning(`PostgreSQL ${version} no longer gets fixes`, 'Upgrade to PostgreSQL 15 or newer.')
      : [],
    judgeSettings(facts),
    left < connectionsOfAProcess
      ? warning(
          connections,
          'Raise max_connections: each process, also one that replaces another, needs about 20. Or stop other programs that use the server.',
        )
      : ok(connections),
    judgeWay(isPooled, surroundings.hasDirectUrl),
    judgeLock(facts.locks, surroundings.isServing),
  ].flat()
}

/** The risk of each PostgreSQL setting when it is off. */
const neededSettings = [
  ['fsync', 'fsync', 'a power cut loses charges of answered calls, or the whole database', ''],
  ['fullPageWrites', 'full_page_writes', 'a power cut can leave torn pages', ''],
  [
    'synchronousCommit',
    'synchronous_commit',
    'a crash of the database loses charges of the last second',
    ' and check the settings of role and database.',
  ],
] as const

function judgeSettings(facts: Pick<PostgresFacts, 'fsync' | 'fullPageWrites' | 'synchronousCommit'>): Found {
  const findings = neededSettings.flatMap(([fact, name, loss, more]) =>
    facts[fact] === 'off'
      ? fault(
          `${name} is off: ${loss}`,
          `Run: alter system set ${name} = on; select pg_reload_conf();${more}`,
        )
      : [],
  )
  return findings.length > 0
    ? findings
    : ok(`fsync and full_page_writes are on, synchronous_commit is ${facts.synchronousCommit}`)
}

function judgeWay(isPooled: boolean, hasDirectUrl: boolean): Found {
  if (!isPooled || hasDirectUrl) return []
  return fault(
    'DATABASE_URL leads through a pooler, which holds no lock and forwards no notifications',
    'Set DATABASE_DIRECT_URL to the address of PostgreSQL itself.',
  )
}

function judgeLock(locks: number, isServing: boolean): Found {
  if (isServing)
    return locks > 0
      ? ok('a process holds the database lock')
      : warning(
          'no process holds the database lock',
          'Check the direct connection to PostgreSQL (DATABASE_DIRECT_URL). The server takes the lock again by itself.',
        )
  return locks === 0
    ? ok('no process uses the database')
    : warning(
        `${locks} ${locks === 1 ? 'process already uses' : 'processes already use'} the database`,
        'If this is the server, pass --url and the admin key to check the server itself. Otherwise find out which process it is: it counts the same limits.',
      )
}

export function checkDirectUrl(
  facts: Pick<PostgresFacts, 'identity'>,
  direct: Pick<PostgresFacts, 'identity' | 'isPooled'>,
): Found {
  if (direct.isPooled)
    return fault(
      'DATABASE_DIRECT_URL leads through a pooler as well',
      'Set it to the address of PostgreSQL itself, usually port 5432.',
    )
  return direct.identity === facts.identity
    ? ok('DATABASE_DIRECT_URL leads to the same database')
    : fault(
        'DATABASE_URL and DATABASE_DIRECT_URL lead to different databases',
        'Correct one of them: limits would be counted in one database and charges in the other.',
      )
}

export function checkSqlite(
  { path, exists, journalMode, isLocked }: Omit<SqliteFacts, 'agreed'>,
  isServing: boolean,
): Found {
  if (!exists)
    return isServing
      ? fault(
          `the file ${path} is missing`,
          'Put it back, or restore a backup. Charges made now will be lost when the server stops.',
        )
      : ok(`SQLite; ${path} is created at the first start`)
  return [
    ok(`SQLite in ${path}, flushed at every commit`),
    journalMode === null || journalMode === 'wal'
      ? []
      : warning(
          `the journal mode of ${path} is ${journalMode}`,
          'Start the server once: it sets the journal mode to WAL.',
        ),
    isLocked === true && !isServing
      ? warning(
          'a process already uses the data folder',
          'If this is the server, pass --url and the admin key to check the server itself. Otherwise stop that process first.',
        )
      : [],
  ].flat()
}
