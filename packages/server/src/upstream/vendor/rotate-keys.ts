// Spreads calls evenly over the upstream keys.

/** One key after the other. Throws when there is none. */
export function rotateKeys(keys: readonly string[]): () => string {
  if (keys.length === 0) throw new Error('No upstream key is configured.')
  let turn = 0
  return () => {
    const key = keys[turn % keys.length] ?? ''
    turn = (turn + 1) % keys.length
    return key
  }
}
