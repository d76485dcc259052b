// Files with a single secret: those that we create once, complete and only for their owner, and those provided by Docker or systemd.
import { linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Null if there is no such file. Throws an Error if everyone on this machine can read it. */
export function readOwnSecret(path: string): string | null {
  try {
    const text = readFileSync(path, 'utf8').trim()
    if ((statSync(path).mode & 0o007) !== 0)
      throw new Error(`Everyone on this machine can use ${path}. Run: chmod 600 ${path}`)
    return text
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}

/**
 * Stores a secret in a new file, mode 0600, and returns what the file then contains. The name only appears once the secret is written
 * completely, and of two processes that start at once, on one machine or on two, the second uses the secret of the first.
 */
export function keepSecret(path: string, secret: string, randomBytes: (size: number) => Buffer): string {
  const unfinished = `${path}.${randomBytes(4).toString('hex')}`
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(unfinished, `${secret}\n`, { mode: 0o600, flag: 'wx', flush: true })
  try {
    linkSync(unfinished, path)
    return secret
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return readOwnSecret(path) ?? ''
    // Some file systems have no hard links.
    writeFileSync(path, `${secret}\n`, { mode: 0o600, flag: 'wx', flush: true })
    return secret
  } finally {
    rmSync(unfinished, { force: true })
  }
}

/** Reads a file that the variable names. Throws an Error that names both. */
export function readGivenSecret(variable: string, path: string): string {
  let secret: string
  try {
    secret = readFileSync(path, 'utf8').trim()
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unreadable'
    throw new Error(`${variable}: the file ${path} cannot be read (${code}).`, { cause })
  }
  if (secret === '') throw new Error(`${variable}: the file ${path} is empty.`)
  return secret
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
