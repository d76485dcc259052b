// Reads the upstream keys from environment variables, which never change, or from files that a reload reads again.
import { readFileSync } from 'node:fs'
import { type Environment, splitList } from './environment.ts'

/** Upstream name → its secrets; null if it needs none. Without `vendor` if the embedded sandbox replaces it. */
export type UpstreamKeys = ReadonlyMap<string, readonly string[] | null>

type KeyPlace = {
  readonly name: string
  readonly keyVariable: string | null
  readonly keyFile: string | null
}

/** Reads all keys, at the start and at each reload. Throws an Error that names the faulty setting, never a key. */
export function readUpstreamKeys(
  variables: Readonly<Record<string, string | undefined>>,
  { VENDOR_API_KEY: vendorKeys, VENDOR_API_KEY_FILE: vendorFile }: Environment,
  upstreams: readonly KeyPlace[],
): UpstreamKeys {
  const keys = new Map<string, readonly string[] | null>()
  if (vendorFile !== undefined) keys.set('vendor', readKeyFile('VENDOR_API_KEY_FILE', vendorFile))
  else if (vendorKeys !== undefined) keys.set('vendor', readList('VENDOR_API_KEY', vendorKeys))
  for (const { name, keyVariable, keyFile } of upstreams) {
    const place = `upstreams.${name}`
    if (keyFile !== null) keys.set(name, readKeyFile(`${place}.api_key_file`, keyFile))
    else if (keyVariable === null) keys.set(name, null)
    else keys.set(name, readList(`${place}.api_key_env: the variable ${keyVariable}`, variables[keyVariable]))
  }
  return keys
}

function readList(place: string, text = ''): string[] {
  const keys = splitList(text)
  if (keys.length > 0) return keys
  throw new Error(`${place} contains no key.`)
}

/** One key per line, or multiple separated by commas; a # starts a comment. */
function readKeyFile(place: string, path: string): string[] {
  const lines = readText(place, path).split(/\r?\n/)
  const keys = lines.flatMap((line, index) => {
    const found = splitList(line.replace(/#.*$/, ''))
    // Keys go into a header. The error does not show the line, which may be a mistyped key.
    if (found.every(key => /^[\x21-\x7e]+$/.test(key))) return found
    throw new Error(
      `${place}: line ${index + 1} of the file is not a key: it contains a space or a special character.`,
    )
  })
  if (keys.length > 0) return keys
  throw new Error(`${place}: the file contains no key.`)
}

function readText(place: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unreadable'
    throw new Error(`${place}: the file cannot be read (${code}).`, { cause })
  }
}
