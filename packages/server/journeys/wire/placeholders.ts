// Replaces what differs from run to run by names in order of first appearance; everything else is left to the byte.

export type Placeholders = {
  readonly apply: (text: string) => string
  /** What stands for a secret; its hash and its masked form follow. */
  readonly learnSecret: (secret: string, name: string) => void
}

/** Kind of volatile text → how it looks. The first group, where there is one, is the part that is replaced. */
const kinds: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['key', /\bsk-[A-Za-z0-9_-]{32}(?![A-Za-z0-9_-])/g],
  ['log-token', /\baitc_[A-Za-z0-9_-]{32}(?![A-Za-z0-9_-])/g],
  ['id', /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g],
  ['video', /\bvideo_[0-9a-f]{32}\b/g],
  ['tool-call', /\bcall_[0-9a-f]{24}\b/g],
  ['answer', /\bsandbox-[0-9a-z]{14}\b/g],
  ['boundary', /-+WebkitFormBoundary([0-9a-f]{32})/gi],
  ['address', /\b127\.0\.0\.1:\d+/g],
]

export function createPlaceholders(addresses: ReadonlyMap<string, string>): Placeholders {
  const known = new Map<string, string>(addresses)
  const counts = new Map<string, number>()
  const replace = (kind: string, found: string): string => {
    const existing = known.get(found)
    if (existing !== undefined) return existing
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    const name = `<${kind}-${count}>`
    if (kind === 'key' || kind === 'log-token') learnSecret(found, name.slice(1, -1))
    else known.set(found, name)
    return name
  }
  const learnSecret = (secret: string, name: string): void => {
    const prefix = secret.startsWith('sk-') ? 'sk-' : 'aitc_'
    known.set(secret, `<${name}>`)
    known.set(Bun.SHA256.hash(secret, 'hex'), `<hash of ${name}>`)
    known.set(`${prefix}...${secret.slice(-4)}`, `<masked ${name}>`)
  }
  return {
    learnSecret,
    apply: text => {
      let replaced = text
      for (const [kind, pattern] of kinds)
        replaced = replaced.replace(pattern, (whole, group: unknown) =>
          typeof group === 'string' ? whole.replace(group, replace(kind, group)) : replace(kind, whole),
        )
      for (const [found, name] of known) replaced = replaced.replaceAll(found, name)
      return replaced
    },
  }
}
