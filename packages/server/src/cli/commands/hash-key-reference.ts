// Names a key by its hash, so that a key typed by a person does not travel in addresses that end up in logs.
import { createHash } from 'node:crypto'

/** The SHA-256 of a key; anything else is taken for a hash and stays as it is. */
export function hashKeyReference(reference: string): string {
  return reference.startsWith('sk-') ? createHash('sha256').update(reference).digest('hex') : reference
}
