// Replaces values that differ from run to run by the name of the exchange in which they first appear; everything else stays byte for byte.

export type Placeholders = {
  /** Names new values after this exchange, so that an additional exchange changes no other names. */
  readonly enter: (exchange: string) => void
  readonly apply: (text: string) => string
  /** The placeholder of a secret; also replaces its hash and its masked form. */
  readonly learnSecret: (secret: string, name: string) => void
}

/** Kind of volatile text → how it looks. The first group, if there is one, is the part that is replaced. */
const kinds: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['key', /\bsk-[A-Za-z0-9]{39}(?![A-Za-z0-9_-])/g],
  ['log token', /\baitc_[A-Za-z0-9]{39}(?![A-Za-z0-9_-])/g],
  ['id', /(?<![0-9a-f])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-f])/g],
  ['file', /(?:file-|files\/|PageToken":")([0-9a-f]{24})(?![0-9a-f])/g],
  ['image', /image-[0-9a-f]{24}(?:\.\d{1,12}){2}\.[\w-]{43}/g],
  ['image name', /image-([0-9a-f]{24})(?=\.(?:png|jpg|webp))/g],
  ['video', /video_[0-9a-f]{32}(?![0-9a-f])/g],
  ['tool call', /(?:call|toolu)_[0-9a-f]{24}(?![0-9a-f])/g],
  ['answer', /\bsandbox-[0-9a-z]{14}\b/g],
  // The database's own clock, and the links of the chain of entries, which hold it.
  ['received', /"(?:received|last)_at":"(20[^"]+)"/g],
  // Counted by a separate clock.
  ['duration', /"(?:duration|first_byte)_ms":(\d+)/g],
  ['commitment', /"(?:salt|commitment)":"([^"]+)"/g],
  ['chain', /"chain":"([0-9a-f]{64})"/g],
  ['boundary', /-+WebkitFormBoundary([0-9a-f]{32})/gi],
  ['address', /\b127\.0\.0\.1:\d+/g],
]

/** Kinds that also appear in places that no pattern finds, such as a row of CSV. */
const foundAnywhere: readonly string[] = ['chain', 'received']

/** `addresses`: host and port → the name of the listener. */
export function createPlaceholders(addresses: ReadonlyMap<string, string>): Placeholders {
  /** Text found by a pattern → its name. */
  const named = new Map<string, string>(addresses)
  /** Text that is replaced wherever it appears → its name. */
  const literals = new Map<string, string>()
  let counts = new Map<string, number>()
  let exchange = ''

  const learnSecret = (secret: string, name: string): void => {
    const hash = Bun.SHA256.hash(secret, 'hex')
    named.set(secret, `<${name}>`)
    literals.set(hash, `<hash of ${name}>`)
    literals.set(hash.toUpperCase(), `<HASH of ${name}>`)
    literals.set(`${secret.startsWith('sk-') ? 'sk-' : 'aitc_'}...${secret.slice(-4)}`, `<masked ${name}>`)
  }

  const nameOf = (kind: string, found: string): string => {
    const existing = named.get(found)
    if (existing !== undefined) return existing
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    const what = `${count === 1 ? kind : `${kind} ${count}`} of ${exchange}`
    // Times may be equal or not, so they share one name.
    const name = kind === 'received' || kind === 'duration' ? `<${kind}>` : `<${what}>`
    if (kind === 'key' || kind === 'log token') learnSecret(found, what)
    named.set(found, name)
    if (foundAnywhere.includes(kind)) literals.set(found, name)
    return name
  }

  return {
    enter: next => {
      exchange = next
      counts = new Map()
    },
    learnSecret,
    apply: text => {
      let replaced = text
      for (const [kind, pattern] of kinds)
        replaced = replaced.replace(pattern, (whole, group: unknown) =>
          typeof group === 'string' ? whole.replace(group, nameOf(kind, group)) : nameOf(kind, whole),
        )
      for (const [found, name] of literals) replaced = replaced.replaceAll(found, name)
      return replaced
    },
  }
}
