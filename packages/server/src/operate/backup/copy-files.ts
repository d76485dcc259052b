// Copies files into or out of a backup. Each is read once, checksum included, and is on disk before it counts.
import { createHash } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { BackupFile } from './manifest.ts'

const pieceBytes = 1024 * 1024

/** The files next to the database in a data folder: the generated admin key, the copies of videos, and uploaded files. */
export async function listDataFiles(dataFolder: string): Promise<string[]> {
  const videos = await readdir(join(dataFolder, 'videos')).catch(() => [])
  const paths = [
    'admin-key',
    ...videos.filter(name => /^[A-Za-z0-9_-]+\.(?:mp4|bin)$/.test(name)).map(name => `videos/${name}`),
  ]
  const found = await Promise.all(paths.map(path => stat(join(dataFolder, path)).catch(() => null)))
  return paths.filter((_, index) => found[index]?.isFile() === true)
}

/** The copy has mode 0600. Null for a file that no longer exists: teams remove videos, and old ones are deleted. */
export async function copyFile(from: string, to: string, path: string): Promise<BackupFile | null> {
  await using source = await open(join(from, path), 'r').catch(() => null)
  if (source === null) return null
  await mkdir(dirname(join(to, path)), { recursive: true, mode: 0o700 })
  await using target = await open(join(to, path), 'wx', 0o600)
  const facts = await digest(source, piece => target.writeFile(piece))
  await target.sync()
  return { path, ...facts }
}

/** Rejects if the file does not exist. */
export async function describeFile(folder: string, path: string): Promise<BackupFile> {
  await using file = await open(join(folder, path), 'r')
  return { path, ...(await digest(file, async () => undefined)) }
}

/** Each chunk of the file also goes to `take`, before the next one is read into the same memory. */
async function digest(
  file: FileHandle,
  take: (piece: Uint8Array) => Promise<void>,
): Promise<Pick<BackupFile, 'bytes' | 'sha256'>> {
  const hash = createHash('sha256')
  const piece = Buffer.alloc(pieceBytes)
  let bytes = 0
  for (;;) {
    const { bytesRead } = await file.read(piece, 0, pieceBytes, null)
    if (bytesRead === 0) return { bytes, sha256: hash.digest('hex') }
    const part = piece.subarray(0, bytesRead)
    hash.update(part)
    await take(part)
    bytes += bytesRead
  }
}

/** Flushes the names in a folder, so that they survive a crash as the files do. */
export async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r')
  await handle.sync()
}
