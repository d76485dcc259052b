// Checks the database: reachable, of a version and with settings that keep what was answered, with connections left.
import type { PostgresFacts } from '../../store/postgres/inspect-server.ts'
import type { SqliteFacts } from '../../store/sqlite/inspect-file.ts'
import { type Found, fault, ok, warning } from './finding.ts'

/** PostgreSQL's project gives no fixes for older ones from November 2026 on (postgresql.org/support/versioning). */
const oldestSupported = 150_000
/** A process makes ten for its pool, and a few more for lock, lease, notices and limits. */
const connectionsOfAProcess = 20

export function checkPostgres(
  facts: Omit<PostgresFacts, 'clock' | 'agreed'>,
  surroundings: { readonly isServing: boolean; readonly hasDirectUrl: boolean },
): Found {
  const { version, maxConnections, reservedConnections, usedConnections, isStandby, isPooled } = facts
  if (isStandby)
    return fault(
      'the database server is a standby and takes no writes',
      'Name the primary in DATABASE_URL, or all servers, separated by commas.',
    )
  const left = maxConnections - reservedConnections - usedConnections
  const connections = `${left} of ${maxConnections} connections are left`
  return [
    ok(`PostgreSQL ${version}`),
    facts.versionNumber < oldestSupported
      ? warning(`PostgreSQL ${version} gets no more fixes`, 'Upgrade to PostgreSQL 15 or newer.')
      : [],
    judgeSettings(facts),
    left < connectionsOfAProcess
      ? warning(
          connections,
          'Raise max_connections: a process, or the one that replaces it, takes about 20. Or stop what else uses the server.',
        )
      : ok(connections),
    judgeWay(isPooled, surroundings.hasDirectUrl),
    judgeLock(facts.locks, surroundings.isServing),
  ].flat()
}

/** What each setting of PostgreSQL costs where it is off. */
const neededSettings = [
  ['fsync', 'fsync', 'a power cut loses charges of answered calls, or the whole database', ''],
  ['fullPageWrites', 'full_page_writes', 'a power cut can leave torn pages', ''],
  [
    'synchronousCommit',
    'synchronous_commit',
    'a crash of the database loses charges of the last second',
    ' and look at the settings of role and database.',
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
    'DATABASE_URL leads through a pooler, which holds no lock and passes on no notices',
    'Set DATABASE_DIRECT_URL to the address of PostgreSQL itself.',
  )
}

function judgeLock(locks: number, isServing: boolean): Found {
  if (isServing)
    return locks > 0
      ? ok('the lock of the database is held')
      : warning(
          'nobody holds the lock of the database',
          'Look at the connection to PostgreSQL itself (DATABASE_DIRECT_URL); the server takes the lock again by itself.',
        )
  return locks === 0
    ? ok('no process uses the database')
    : warning(
        `${locks} ${locks === 1 ? 'process uses' : 'processes use'} the database already`,
        'If that is the server, give --url and the admin key, so that it is asked itself. Else find out whose it is: it counts the same limits.',
      )
}

export function checkDirectUrl(
  facts: Pick<PostgresFacts, 'identity'>,
  direct: Pick<PostgresFacts, 'identity' | 'isPooled'>,
): Found {
  if (direct.isPooled)
    return fault(
      'DATABASE_DIRECT_URL leads through a pooler as well',
      'Give it the address of PostgreSQL itself, usually port 5432.',
    )
  return direct.identity === facts.identity
    ? ok('DATABASE_DIRECT_URL leads to the same database')
    : fault(
        'DATABASE_URL and DATABASE_DIRECT_URL lead to different databases',
        'Correct one of the two: limits would be counted in one and charges in the other.',
      )
}

export function checkSqlite(
  { path, exists, journalMode, isLocked }: Omit<SqliteFacts, 'agreed'>,
  isServing: boolean,
): Found {
  if (!exists)
    return isServing
      ? fault(
          `the file ${path} is gone`,
          'Put it back, or restore a backup; what is charged now is lost at the end.',
        )
      : ok(`SQLite; ${path} is made at the first start`)
  return [
    ok(`SQLite in ${path}, flushed at every commit`),
    journalMode === null || journalMode === 'wal'
      ? []
      : warning(
          `the journal of ${path} is ${journalMode}`,
          'Start the server once: it sets the journal to WAL.',
        ),
    isLocked === true && !isServing
      ? warning(
          'a process uses the data folder already',
          'If that is the server, give --url and the admin key, so that it is asked itself. Else stop it first.',
        )
      : [],
  ].flat()
}
