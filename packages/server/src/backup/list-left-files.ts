// What stays in a data folder when its database has moved.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { databaseName } from './manifest.ts'

export type LeftFiles = {
  /** A file, or a folder with a `/` at its end. */
  readonly path: string
  readonly files: number
  readonly bytes: number
}

/** Each with what SQLite puts beside it: `-wal`, `-shm`, `-journal`. */
const databases = [databaseName, 'fairgate.lock']

export function listLeftFiles(dataFolder: string): LeftFiles[] {
  return readdirSync(dataFolder, { withFileTypes: true })
    .filter(({ name }) => !databases.some(own => name === own || name.startsWith(`${own}-`)))
    .map(entry => {
      const path = join(dataFolder, entry.name)
      if (!entry.isDirectory()) return { path: entry.name, files: 1, bytes: sizeOf(path) }
      const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter(file => file.isFile())
      const bytes = files.reduce((sum, file) => sum + sizeOf(join(file.parentPath, file.name)), 0)
      return { path: `${entry.name}/`, files: files.length, bytes }
    })
    .sort((left, right) => (left.path < right.path ? -1 : 1))
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
