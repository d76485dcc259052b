// Reads and replaces files of the user: whole or not at all, with their permissions, and through symbolic links.
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'

export type WorkFiles = {
  /** null when there is no file. Throws when it is not UTF-8, because writing it back would change it. */
  readonly read: (path: string) => string | null
  /** The permission bits; null when there is no file. */
  readonly modeOf: (path: string) => number | null
  readonly isLink: (path: string) => boolean
  /** Replaces or creates the file in one step. Returns the folders that had to be created, the outermost first. */
  readonly write: (path: string, text: string, mode: number) => string[]
  readonly remove: (path: string) => void
  readonly rename: (from: string, to: string) => void
  /** Does nothing if the folder is not empty. */
  readonly removeEmptyFolder: (path: string) => void
  readonly exists: (path: string) => boolean
  /** The path with symbolic links resolved, or unchanged if nothing is there. */
  readonly resolve: (path: string) => string
  readonly removeFolder: (path: string) => void
}

export const workFiles: WorkFiles = {
  read: path => {
    if (!existsSync(path)) return null
    const bytes = readFileSync(path)
    const text = bytes.toString('utf8')
    if (!Buffer.from(text, 'utf8').equals(bytes)) throw new Error(`${path} is not UTF-8 text`)
    return text
  },
  modeOf: path => (existsSync(path) ? statSync(path).mode & 0o7777 : null),
  isLink: path => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true,
  write: (path, text, mode) => {
    const made = makeFolders(dirname(path))
    const target = existsSync(path) ? realpathSync(path) : path
    const temporary = join(dirname(target), `.${basename(target)}.fairgate-${process.pid}`)
    try {
      writeFileSync(temporary, text, { mode, flag: 'wx', flush: true })
      // Restores the bits that the umask of the process removed.
      chmodSync(temporary, mode)
      renameSync(temporary, target)
    } catch (thrown) {
      rmSync(temporary, { force: true })
      throw thrown
    }
    return made
  },
  remove: path => rmSync(path, { force: true }),
  rename: renameSync,
  removeEmptyFolder: path => {
    try {
      rmdirSync(path)
    } catch {
      // The folder is not empty, or it is gone.
    }
  },
  exists: existsSync,
  resolve: path => (existsSync(path) ? realpathSync(path) : path),
  removeFolder: path => rmSync(path, { recursive: true, force: true }),
}

function makeFolders(folder: string): string[] {
  const missing: string[] = []
  for (let path = folder; !existsSync(path); path = dirname(path)) missing.unshift(path)
  mkdirSync(folder, { recursive: true })
  return missing
}
