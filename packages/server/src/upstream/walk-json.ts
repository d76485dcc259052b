// Finds members inside JSON bytes without building values: strings are skipped at memory speed, however large.

export type JsonPath = readonly (string | number)[]

export type JsonVisit = {
  /** Each member of each object, after its contents; `start` to `end` are the bytes of its value. The path is reused: copy it. */
  readonly member: (path: JsonPath, start: number, end: number) => void
  /** A name that its object already has. */
  readonly repeated?: (path: JsonPath) => void
  /** Contents that are nested too deeply are skipped unvisited; without it they cannot be walked. */
  readonly skipsDeep?: true
}

const quote = 0x22
const backslash = 0x5c
const deepest = 200
/** Bytes of a string that are read one by one. */
const nearby = 64

/** Throws SyntaxError for bytes that cannot be walked; it is not a validation. */
export function walkJson(source: Uint8Array, visit: JsonVisit): void {
  const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength)
  const path: (string | number)[] = []
  let at = 0

  const fail = (): never => {
    throw new SyntaxError(`Invalid JSON at byte ${at}.`)
  }
  const skipSpace = (): number => {
    for (;;) {
      const byte = bytes[at]
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte ?? fail()
      at += 1
    }
  }
  const skipString = (): void => {
    let from = at + 1
    // Most strings are short, and a search costs more than reading them.
    for (const near = Math.min(from + nearby, bytes.length); from < near; from += 1) {
      const byte = bytes[from]
      if (byte === quote) {
        at = from + 1
        return
      }
      if (byte === backslash) from += 1
    }
    at = from < bytes.length ? skipLongString(bytes, from) : fail()
  }
  const readName = (): string => {
    const start = at
    skipString()
    const raw = bytes.toString('utf8', start + 1, at - 1)
    return raw.includes('\\') ? String(JSON.parse(`"${raw}"`)) : raw
  }
  const skipPlain = (): void => {
    const start = at
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at]
      if (byte === 0x2c || byte === 0x5d || byte === 0x7d || (byte ?? 0) <= 0x20) break
    }
    if (at === start) fail()
  }
  const skipObject = (): void => {
    const names = new Set<string>()
    at += 1
    if (skipSpace() === 0x7d) {
      at += 1
      return
    }
    for (;;) {
      if (skipSpace() !== quote) fail()
      const name = readName()
      path.push(name)
      if (names.has(name)) visit.repeated?.(path)
      names.add(name)
      if (skipSpace() !== 0x3a) fail()
      at += 1
      skipSpace()
      const start = at
      skipValue()
      visit.member(path, start, at)
      path.pop()
      const next = skipSpace()
      at += 1
      if (next === 0x7d) return
      if (next !== 0x2c) fail()
    }
  }
  const skipArray = (): void => {
    at += 1
    if (skipSpace() === 0x5d) {
      at += 1
      return
    }
    for (let index = 0; ; index += 1) {
      path.push(index)
      skipValue()
      path.pop()
      const next = skipSpace()
      at += 1
      if (next === 0x5d) return
      if (next !== 0x2c) fail()
    }
  }
  const skipValue = (): void => {
    const byte = skipSpace()
    if (path.length > deepest) skipDeep(byte)
    else if (byte === quote) skipString()
    else if (byte === 0x7b) skipObject()
    else if (byte === 0x5b) skipArray()
    else skipPlain()
  }

  /** Counts brackets instead of recursing: 100,000 levels are as cheap as one. */
  const skipDeep = (first: number): void => {
    if (visit.skipsDeep !== true) fail()
    if (first !== 0x7b && first !== 0x5b) {
      if (first === quote) skipString()
      else skipPlain()
      return
    }
    for (let depth = 0; ; ) {
      const byte = bytes[at] ?? fail()
      if (byte === quote) skipString()
      else {
        at += 1
        if (byte === 0x7b || byte === 0x5b) depth += 1
        else if (byte === 0x7d || byte === 0x5d) depth -= 1
      }
      if (depth === 0) return
    }
  }

  skipValue()
}

/**
 * The bytes with the members replaced by the results of `replace`; null if it always returns null. Members inside a replaced member are
 * replaced first; the outer member is then not passed to `replace`. Throws like `walkJson`, and skips contents that are nested too deeply.
 */
export function rewriteJson(
  source: Uint8Array,
  replace: (path: JsonPath, value: Buffer) => unknown,
): Buffer | null {
  const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength)
  const pieces: Uint8Array[] = []
  let from = 0
  const member = (path: JsonPath, start: number, end: number): void => {
    const replacement = start < from ? null : replace(path, bytes.subarray(start, end))
    if (replacement === null) return
    pieces.push(bytes.subarray(from, start), Buffer.from(JSON.stringify(replacement)))
    from = end
  }
  walkJson(bytes, { member, skipsDeep: true })
  return from === 0 ? null : Buffer.concat([...pieces, bytes.subarray(from)])
}

/** `from`: inside a string, not after a backslash that belongs to an escape. Returns the index after its end. */
function skipLongString(bytes: Buffer, from: number): number {
  let at = from
  for (;;) {
    const end = bytes.indexOf(quote, at)
    if (end < 0) throw new SyntaxError('A string is not closed.')
    let slashes = 0
    while (end - 1 - slashes >= from && bytes[end - 1 - slashes] === backslash) slashes += 1
    at = end + 1
    if (slashes % 2 === 0) return at
  }
}
