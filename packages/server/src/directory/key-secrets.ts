// A key's secrets: the current one, and the one before it, which may still work for a while.
import { isSameHash } from './create-secret.ts'
import type { Key } from './types.ts'

type Secrets = Pick<Key, 'keyHash' | 'rotation'>

/** Their hashes. */
export function secretsOf({ keyHash, rotation }: Secrets): readonly string[] {
  return rotation === null ? [keyHash] : [rotation.secretHash, rotation.previousHash]
}

/** True if this is the hash of a secret that works at `now` (Unix ms). */
export function isSecretInForce({ keyHash, rotation }: Secrets, secretHash: string, now: number): boolean {
  if (rotation === null) return isSameHash(keyHash, secretHash)
  if (isSameHash(rotation.secretHash, secretHash)) return true
  return isSameHash(rotation.previousHash, secretHash) && now < rotation.previousUntil
}

/** True if this hash belongs to the key, as its identity or as the hash of one of its secrets. */
export function isHashOf(key: Secrets, hash: string): boolean {
  return key.keyHash === hash || secretsOf(key).includes(hash)
}
