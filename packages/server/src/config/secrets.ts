// Keeps secrets apart from the configuration, so that printing one never prints the other.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from './environment.ts'
import { joinKeyPath, loadJoinKey } from './join-key.ts'

export type Secrets = {
  readonly adminKey: string
  /** Where the admin key came from: the environment, the data folder, or made at this start. */
  readonly adminKeyOrigin: 'environment' | 'file' | 'generated'
  /** The key of the event by which texts of calls are digested. */
  readonly joinKey: Uint8Array
  /** PostgreSQL, with its password; null for the embedded SQLite. */
  readonly databaseUrl: string | null
}

/** Where a generated admin key is kept, mode 0600. */
export function adminKeyPath(dataFolder: string): string {
  return join(dataFolder, 'admin-key')
}

/** Reads the secrets; makes and keeps an admin key and a join key at the first start. */
export function loadSecrets(
  environment: Environment,
  dataFolder: string,
  randomBytes: (size: number) => Buffer,
): Secrets {
  const databaseUrl = readDatabaseUrl(environment)
  const joinKey = loadJoinKey(environment.FAIRGATE_JOIN_KEY_FILE ?? joinKeyPath(dataFolder), randomBytes)
  const given = environment.FAIRGATE_ADMIN_KEY
  if (given !== undefined) {
    if (given.length < 16) throw new Error('FAIRGATE_ADMIN_KEY must have at least 16 characters.')
    return { adminKey: given, adminKeyOrigin: 'environment', joinKey, databaseUrl }
  }
  const path = adminKeyPath(dataFolder)
  if (existsSync(path)) {
    const kept = readFileSync(path, 'utf8').trim()
    if (kept.length < 16)
      throw new Error(`${path} does not hold an admin key. Delete it to have a new one made.`)
    return { adminKey: kept, adminKeyOrigin: 'file', joinKey, databaseUrl }
  }
  const adminKey = `admin-${randomBytes(24).toString('base64url')}`
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 })
  writeFileSync(path, `${adminKey}\n`, { mode: 0o600, flag: 'wx' })
  return { adminKey, adminKeyOrigin: 'generated', joinKey, databaseUrl }
}

/** Throws an Error that does not repeat the value: it holds a password. The store reads what follows the scheme. */
export function readDatabaseUrl(
  environment: Environment,
  name: 'DATABASE_URL' | 'DATABASE_DIRECT_URL' = 'DATABASE_URL',
): string | null {
  const text = environment[name]
  if (text === undefined) return null
  if (/^postgres(ql)?:\/\/./.test(text)) return text
  throw new Error(`${name} must be an address such as postgres://user:password@host:5432/fairgate.`)
}

/** The address of PostgreSQL itself, where DATABASE_URL leads through a pooler; null for none. */
export function readDirectUrl(environment: Environment): string | null {
  const directUrl = readDatabaseUrl(environment, 'DATABASE_DIRECT_URL')
  if (directUrl !== null && environment.DATABASE_URL === undefined)
    throw new Error('DATABASE_DIRECT_URL is set without DATABASE_URL. Set both, or DATABASE_URL alone.')
  return directUrl
}
