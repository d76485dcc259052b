// Makes and recognises secrets: 192 random bits behind a prefix, of which only the SHA-256 is kept.
const secretBytes = 24

export type Secret = {
  /** The only copy: it is kept nowhere. */
  readonly secret: string
  /** Lower-case hex SHA-256. */
  readonly hash: string
  /** Prefix and last four characters, for people. */
  readonly name: string
}

export function createSecret(prefix: 'sk-' | 'aitc_', randomBytes: (size: number) => Buffer): Secret {
  const secret = prefix + randomBytes(secretBytes).toString('base64url')
  return { secret, hash: hashSecret(secret), name: `${prefix}...${secret.slice(-4)}` }
}

export function hashSecret(secret: string): string {
  return Bun.SHA256.hash(secret, 'hex')
}

/** Management calls name a key by itself or by its hash, in either case of the hex digits. */
export function toKeyHash(reference: string): string {
  return reference.startsWith('sk-') ? hashSecret(reference) : reference.toLowerCase()
}

/** Whether two hex SHA-256 values are the same, in constant time. */
export function isSameHash(left: string, right: string): boolean {
  let difference = left.length ^ right.length
  for (let index = 0; index < left.length; index += 1) {
    difference |= left.charCodeAt(index) ^ right.charCodeAt(index)
  }
  return difference === 0
}
