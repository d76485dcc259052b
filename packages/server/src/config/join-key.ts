// The event's key for digesting texts. It is in a separate file, because with it and the database short texts could be guessed.
import { createHash, createHmac } from 'node:crypto'
import { join } from 'node:path'
import { keepSecret, readOwnSecret } from './secret-file.ts'

const keyBytes = 32

/** Where the key is kept unless a setting names another place. */
export function joinKeyPath(dataFolder: string): string {
  return join(dataFolder, 'join-key')
}

const keyForm = /^[0-9a-f]{64}$/

/**
 * Reads the key, and creates it if there is no such file: mode 0600, 64 hex digits. Throws an Error, which never contains the key, if the
 * file contains something else or everyone on this machine can read it.
 */
export function loadJoinKey(path: string, randomBytes: (size: number) => Buffer): Uint8Array {
  const text = readOwnSecret(path) ?? keepSecret(path, randomBytes(keyBytes).toString('hex'), randomBytes)
  if (keyForm.test(text)) return Buffer.from(text, 'hex')
  throw new Error(
    `${path} does not hold a join key (64 hex digits). Put the right file there. Without it, calls made so far cannot be matched with log entries by their texts.`,
  )
}

/** Parses the key from a variable. Throws an Error that does not repeat it. */
export function readJoinKey(text: string): Uint8Array {
  if (keyForm.test(text)) return Buffer.from(text, 'hex')
  throw new Error('FAIRGATE_JOIN_KEY must be 64 lower-case hex digits, as in a join key file.')
}

/**
 * Value that the database keeps to recognise the key. The digest of 256 random bits reveals nothing. It is not an HMAC, because a team's
 * key is an HMAC of its id.
 */
export function digestJoinKey(joinKey: Uint8Array): string {
  return createHash('sha256').update('fairgate join key\0').update(joinKey).digest('hex')
}

/** The same for the admin key, which may be short: without the join key, guesses cannot be verified against it. */
export function digestAdminKey(joinKey: Uint8Array, adminKey: string): string {
  const key = createHash('sha256').update('fairgate admin key\0').update(joinKey).digest()
  return createHmac('sha256', key).update(adminKey).digest('hex')
}

/** The secret that decides the numbers of teams for blind judges: whoever knows the teams and the seed of judging cannot guess them. */
export function deriveNumbersKey(joinKey: Uint8Array): Uint8Array {
  return createHash('sha256').update('fairgate judging numbers\0').update(joinKey).digest()
}
