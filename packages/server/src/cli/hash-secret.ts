// Names a secret by its SHA-256 before it is sent, because addresses and bodies may end up in logs.
import { createHash } from 'node:crypto'

/** A key or log token becomes its hash; every other name stays as it is, a masked one such as `sk-...wxyz` too. */
export function hashSecret(reference: string): string {
  const isSecret = /^(?:sk-|aitc_)(?!\.\.\.)/.test(reference)
  return isSecret ? createHash('sha256').update(reference).digest('hex') : reference
}
