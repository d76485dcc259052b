// Keeps secrets apart from the configuration, so that printing one never prints the other.
import { join } from 'node:path'
import type { Environment } from './environment.ts'
import { joinKeyPath, loadJoinKey, readJoinKey } from './join-key.ts'
import { keepSecret, readOwnSecret } from './secret-file.ts'
import { readVideoStoreKeys, type VideoStore, type VideoStoreKeys } from './video-store.ts'

export type Secrets = {
  readonly adminKey: string
  /** Source of the admin key: the environment, the data folder, or created at this start. */
  readonly adminKeyOrigin: 'environment' | 'file' | 'generated'
  /** The event's key for digesting texts of calls. */
  readonly joinKey: Uint8Array
  /** Its source, in words for messages. */
  readonly joinKeyPlace: string
  /** The beginning of the digest of a join key that replaces the one known to the database; null for none. */
  readonly acceptedJoinKey: string | null
  /** Keys of the object store that holds the video copies; null if a folder holds them. */
  readonly videoStoreKeys: VideoStoreKeys | null
  /** PostgreSQL, with its password; null for the embedded SQLite. */
  readonly databaseUrl: string | null
}

/** Where a generated admin key is kept, mode 0600. */
export function adminKeyPath(dataFolder: string): string {
  return join(dataFolder, 'admin-key')
}

/** Reads the secrets; creates an admin key and a join key at the first start. */
export function loadSecrets(
  environment: Environment,
  { dataFolder, videoStore }: { readonly dataFolder: string; readonly videoStore: VideoStore },
  randomBytes: (size: number) => Buffer,
): Secrets {
  const videoStoreKeys = readVideoStoreKeys(environment, videoStore)
  return {
    ...loadAdminKey(environment, adminKeyPath(dataFolder), randomBytes),
    ...findJoinKey(environment, dataFolder, randomBytes),
    acceptedJoinKey: readAcceptedJoinKey(environment),
    databaseUrl: readDatabaseUrl(environment),
    videoStoreKeys,
  }
}

const shortestAdminKey = 16

function loadAdminKey(
  { FAIRGATE_ADMIN_KEY: given }: Environment,
  path: string,
  randomBytes: (size: number) => Buffer,
): Pick<Secrets, 'adminKey' | 'adminKeyOrigin'> {
  if (given !== undefined) {
    if (given.length < shortestAdminKey)
      throw new Error(`FAIRGATE_ADMIN_KEY must have at least ${shortestAdminKey} characters.`)
    return { adminKey: given, adminKeyOrigin: 'environment' }
  }
  const own = `admin-${randomBytes(24).toString('base64url')}`
  const kept = readOwnSecret(path) ?? keepSecret(path, own, randomBytes)
  if (kept.length < shortestAdminKey)
    throw new Error(`${path} does not hold an admin key. Delete it to create a new one.`)
  return { adminKey: kept, adminKeyOrigin: kept === own ? 'generated' : 'file' }
}

function findJoinKey(
  { FAIRGATE_JOIN_KEY: given, FAIRGATE_JOIN_KEY_FILE: file }: Environment,
  dataFolder: string,
  randomBytes: (size: number) => Buffer,
): Pick<Secrets, 'joinKey' | 'joinKeyPlace'> {
  if (given !== undefined && file !== undefined)
    throw new Error('Set FAIRGATE_JOIN_KEY or FAIRGATE_JOIN_KEY_FILE, not both.')
  if (given !== undefined) return { joinKey: readJoinKey(given), joinKeyPlace: 'FAIRGATE_JOIN_KEY' }
  const path = file ?? joinKeyPath(dataFolder)
  return { joinKey: loadJoinKey(path, randomBytes), joinKeyPlace: path }
}

function readAcceptedJoinKey({ FAIRGATE_ACCEPT_JOIN_KEY: text }: Environment): string | null {
  if (text === undefined || /^[0-9a-f]{16}$/.test(text)) return text ?? null
  throw new Error('FAIRGATE_ACCEPT_JOIN_KEY must be the 16 hex digits that the refused start printed.')
}

/** Throws an Error that does not repeat the value, because it contains a password. The store parses what follows the scheme. */
export function readDatabaseUrl(
  environment: Environment,
  name: 'DATABASE_URL' | 'DATABASE_DIRECT_URL' = 'DATABASE_URL',
): string | null {
  const text = environment[name]
  if (text === undefined) return null
  if (/^postgres(ql)?:\/\/./.test(text)) return text
  throw new Error(`${name} must be an address such as postgres://user:password@host:5432/fairgate.`)
}

/** The address of PostgreSQL itself, for when DATABASE_URL leads through a pooler: DATABASE_URL if no other is given; null for SQLite. */
export function readDirectUrl(environment: Environment): string | null {
  if (environment.DATABASE_DIRECT_URL === undefined) return readDatabaseUrl(environment)
  if (environment.DATABASE_URL === undefined)
    throw new Error('DATABASE_DIRECT_URL has no effect without DATABASE_URL.')
  return readDatabaseUrl(environment, 'DATABASE_DIRECT_URL')
}
