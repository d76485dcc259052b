// Encrypts webhook secrets for the database, so that a copy of the database is not enough to sign messages.
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'

export type SecretSeal = {
  /** `id` is bound to the secret: sealed text moved to another webhook does not open. */
  readonly seal: (id: string, secret: string) => string
  /** Null if it was sealed with another key or for another id, or was changed. */
  readonly open: (id: string, sealed: string) => string | null
}

const algorithm = 'aes-256-gcm'
const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16

/** The key comes from the join key by HKDF-SHA256. A sealed secret is base64url of nonce, tag and ciphertext of AES-256-GCM. */
export function createSecretSeal(joinKey: Uint8Array, randomBytes: (size: number) => Buffer): SecretSeal {
  const key = Buffer.from(hkdfSync('sha256', joinKey, '', 'fairgate webhook secrets', keyBytes))
  return {
    seal: (id, secret) => {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
      cipher.setAAD(Buffer.from(id))
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url')
    },
    open: (id, sealed) => {
      const bytes = Buffer.from(sealed, 'base64url')
      if (bytes.length < nonceBytes + tagBytes) return null
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      })
      decipher.setAAD(Buffer.from(id))
      decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
      try {
        return (
          decipher.update(bytes.subarray(nonceBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8')
        )
      } catch {
        return null
      }
    },
  }
}
