// The key of the event by which texts are digested. It stands in a file of its own: with it and the database, short texts could be guessed.
import { createHash, createHmac } from 'node:crypto'
import { join } from 'node:path'
import { keepSecret, readOwnSecret } from './secret-file.ts'

const keyBytes = 32

/** Where the key is kept when no setting names another place. */
export function joinKeyPath(dataFolder: string): string {
  return join(dataFolder, 'join-key')
}

const keyForm = /^[0-9a-f]{64}$/

/**
 * Reads the key, and makes it when there is no such file: mode 0600, 64 hex digits. Throws an Error, which never holds the key, when
 * the file holds something else or everybody on this machine can read it.
 */
export function loadJoinKey(path: string, randomBytes: (size: number) => Buffer): Uint8Array {
  const text = readOwnSecret(path) ?? keepSecret(path, randomBytes(keyBytes).toString('hex'), randomBytes)
  if (keyForm.test(text)) return Buffer.from(text, 'hex')
  throw new Error(
    `${path} does not hold a join key (64 hex digits). Put the right file there. Without it, calls made so far cannot be matched with log entries by their texts.`,
  )
}

/** The key as a variable gives it. Throws an Error that does not repeat it. */
export function readJoinKey(text: string): Uint8Array {
  if (keyForm.test(text)) return Buffer.from(text, 'hex')
  throw new Error('FAIRGATE_JOIN_KEY must be 64 lower-case hex digits, as in a join key file.')
}

/**
 * What the database keeps to know the key again. Of 256 random bits the digest gives nothing away. It is no HMAC: the key of a team is
 * an HMAC of its id.
 */
export function digestJoinKey(joinKey: Uint8Array): string {
  return createHash('sha256').update('fairgate join key\0').update(joinKey).digest('hex')
}

/** The same of the admin key, which may be short: without the join key nobody can try guesses at it. */
export function digestAdminKey(joinKey: Uint8Array, adminKey: string): string {
  const key = createHash('sha256').update('fairgate admin key\0').update(joinKey).digest()
  return createHmac('sha256', key).update(adminKey).digest('hex')
}
