// Which secrets a key has: the one in force, and the one before it, which may work for a while yet.
import { isSameHash } from './create-secret.ts'
import type { Key } from './types.ts'

type Secrets = Pick<Key, 'keyHash' | 'rotation'>

/** Their hashes. */
export function secretsOf({ keyHash, rotation }: Secrets): readonly string[] {
  return rotation === null ? [keyHash] : [rotation.secretHash, rotation.previousHash]
}

/** Whether this is the hash of a secret that works at `now` (Unix ms). */
export function isSecretInForce({ keyHash, rotation }: Secrets, secretHash: string, now: number): boolean {
  if (rotation === null) return isSameHash(keyHash, secretHash)
  if (isSameHash(rotation.secretHash, secretHash)) return true
  return isSameHash(rotation.previousHash, secretHash) && now < rotation.previousUntil
}

/** Whether this hash stands for the key: its identity, or the hash of one of its secrets. */
export function isHashOf(key: Secrets, hash: string): boolean {
  return key.keyHash === hash || secretsOf(key).includes(hash)
}
