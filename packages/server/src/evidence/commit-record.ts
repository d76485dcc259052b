// Commitments to records for later proofs. Once a record's body and salt are erased, they cannot be guessed from its commitment.

/** Random bytes for each record. */
export const saltBytes = 16
/** Length of identity, digest and commitment. */
export const hashBytes = 32

/** Kinds of records besides entries, which are identified by what was sent. */
export type RecordKind = 'call' | 'adjust' | 'audit' | 'judging' | 'submission'

/** SHA-256(UTF-8 of kind ‖ line feed ‖ ref). */
export function identifyRecord(kind: RecordKind, ref: string): Uint8Array {
  if (ref === '' || ref.includes('\n')) throw new Error(`"${ref}" is not a valid record reference.`)
  return sha256(`${kind}\n${ref}`)
}

/** SHA-256(salt, 16 bytes ‖ identity, 32 bytes ‖ digest, 32 bytes); the digest is the SHA-256 of the body as it is stored. */
export function commitRecord(salt: Uint8Array, identity: Uint8Array, digest: Uint8Array): Uint8Array {
  if (salt.length !== saltBytes || identity.length !== hashBytes || digest.length !== hashBytes)
    throw new Error('Salt, identity and digest of a record have 16, 32 and 32 bytes.')
  const joined = Buffer.allocUnsafe(saltBytes + 2 * hashBytes)
  joined.set(salt, 0)
  joined.set(identity, saltBytes)
  joined.set(digest, saltBytes + hashBytes)
  return sha256(joined)
}

/** A commitment takes 0.2 µs with this, and 0.4 with `createHash` of node:crypto. */
export function sha256(data: string | Uint8Array): Uint8Array {
  const hash = new Uint8Array(hashBytes)
  Bun.SHA256.hash(data, hash)
  return hash
}
