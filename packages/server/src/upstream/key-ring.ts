// The upstream keys: taken in turn, and found again for what one of them has made.
import { createHash } from 'node:crypto'

export type UpstreamKey = {
  /** Names the key in the store; nothing can be learned from it. */
  readonly id: string
  readonly secret: string
}

export type KeyRing = ReturnType<typeof createKeyRing>

/** Throws when there is no key. */
export function createKeyRing(secrets: readonly string[]) {
  const keys = secrets.map(secret => ({ id: nameKey(secret), secret }))
  const [first] = keys
  if (first === undefined) throw new Error('No upstream key is configured.')
  let turn = 0
  return Object.freeze({
    /** One key after the other. */
    next: (): UpstreamKey => {
      const key = keys[turn % keys.length] ?? first
      turn = (turn + 1) % keys.length
      return key
    },
    /** The key by its id: operations and files belong to the key that made them. Undefined when it is configured no longer. */
    find: (id: string): UpstreamKey | undefined => keys.find(key => key.id === id),
  })
}

function nameKey(secret: string): string {
  return createHash('sha256').update(`fairgate upstream key ${secret}`).digest('hex').slice(0, 16)
}
