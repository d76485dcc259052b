// The key of the event by which texts are digested. It stands in a file of its own: with it and the database, short texts could be guessed.
import { linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const keyBytes = 32

/** Where the key is kept when no setting names another place. */
export function joinKeyPath(dataFolder: string): string {
  return join(dataFolder, 'join-key')
}

/**
 * Reads the key, and makes it when there is no such file: mode 0600, 64 hex digits. Throws an Error, which never holds the key, when
 * the file holds something else or everybody on this machine can read it.
 */
export function loadJoinKey(path: string, randomBytes: (size: number) => Buffer): Uint8Array {
  const text = readKey(path) ?? makeKey(path, randomBytes)
  if (/^[0-9a-f]{64}$/.test(text)) return Buffer.from(text, 'hex')
  throw new Error(
    `${path} does not hold a join key (64 hex digits). Put the right file there. Without it, calls made so far cannot be matched with log entries by their texts.`,
  )
}

function readKey(path: string): string | null {
  try {
    const text = readFileSync(path, 'utf8').trim()
    if ((statSync(path).mode & 0o007) !== 0)
      throw new Error(`Everybody on this machine can use ${path}. Run: chmod 600 ${path}`)
    return text
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}

/** The name appears with the whole key behind it. Of two processes that start at once, the second takes the key of the first. */
function makeKey(path: string, randomBytes: (size: number) => Buffer): string {
  const text = randomBytes(keyBytes).toString('hex')
  const unfinished = `${path}.${randomBytes(4).toString('hex')}`
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(unfinished, `${text}\n`, { mode: 0o600, flag: 'wx', flush: true })
  try {
    linkSync(unfinished, path)
    return text
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return readKey(path) ?? ''
    // Some file systems have no second names.
    writeFileSync(path, `${text}\n`, { mode: 0o600, flag: 'wx', flush: true })
    return text
  } finally {
    rmSync(unfinished, { force: true })
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
