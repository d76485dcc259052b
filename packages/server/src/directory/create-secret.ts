// Creates and recognises secrets: 192 random bits after a prefix, of which only the SHA-256 is kept. The part after the prefix has only letters and
// digits, so that a double click selects all of it, and ends in a checksum that distinguishes a damaged secret from an unknown one.
const secretBytes = 24
/** 62³³ > 2¹⁹²: all secrets have the same length. */
const bodyLength = 33
/** 62⁶ > 2³², as in GitHub's tokens (github.blog, 5 April 2021). */
const checksumLength = 6
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** The form before checksums: 24 bytes as base64url. Such secrets stay valid. */
const formerForm = /^[\w-]{32}$/

export type SecretPrefix = 'sk-' | 'aitc_' | 'jt_' | 'adm-' | 'once_' | 'wall_'

export type Secret = {
  /** The only copy: it is not stored. */
  readonly secret: string
  /** Lower-case hex SHA-256. */
  readonly hash: string
  /** Prefix and last four characters, to show to people. */
  readonly name: string
}

export function createSecret(prefix: SecretPrefix, randomBytes: (size: number) => Buffer): Secret {
  const body = toDigits(BigInt(`0x${randomBytes(secretBytes).toString('hex')}`), bodyLength)
  const secret = prefix + body + checksum(prefix + body)
  return { secret, hash: hashSecret(secret), name: `${prefix}...${secret.slice(-4)}` }
}

/** Describes what is wrong with an unknown secret, as the end of a sentence that begins with its name; null if its form is right. */
export function describeDamage(prefix: SecretPrefix, secret: string): string | null {
  const rest = secret.slice(prefix.length)
  if (formerForm.test(rest)) return null
  const missing = bodyLength + checksumLength - rest.length
  if (missing > 0)
    return `is cut off: ${missing === 1 ? '1 character is' : `${missing} characters are`} missing. Copy all of it.`
  if (missing < 0)
    return `is ${-missing === 1 ? '1 character' : `${-missing} characters`} too long. Copy only the secret itself.`
  if (
    /^[0-9A-Za-z]+$/.test(rest) &&
    checksum(secret.slice(0, -checksumLength)) === secret.slice(-checksumLength)
  )
    return null
  return 'is mistyped: its checksum does not match. Copy it instead of typing it.'
}

/** CRC-32: it detects every single wrong character and every swap of two. */
function checksum(text: string): string {
  return toDigits(BigInt(Bun.hash.crc32(text)), checksumLength)
}

function toDigits(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest /= 62n) text = digits.charAt(Number(rest % 62n)) + text
  return text
}

export function hashSecret(secret: string): string {
  return Bun.SHA256.hash(secret, 'hex')
}

/** Management calls name a key by its secret or its hash, with hex digits in either case. */
export function toKeyHash(reference: string): string {
  return reference.startsWith('sk-') ? hashSecret(reference) : reference.toLowerCase()
}

/** Compares two hex SHA-256 values in constant time. */
export function isSameHash(left: string, right: string): boolean {
  let difference = left.length ^ right.length
  for (let index = 0; index < left.length; index += 1) {
    difference |= left.charCodeAt(index) ^ right.charCodeAt(index)
  }
  return difference === 0
}
