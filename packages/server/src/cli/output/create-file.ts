// Writes a file next to its final path and renames it once complete, so that half an export never looks like a whole one.
import { access, open, rename, rm } from 'node:fs/promises'
import type { OutputFile } from '../dependencies.ts'

/** Readable by its owner only. Rejects like `open`, with EEXIST for a file that exists and may not be replaced. */
export async function createFile(path: string, mayReplace: boolean): Promise<OutputFile> {
  if (!mayReplace && (await exists(path))) throw Object.assign(new Error('is there'), { code: 'EEXIST' })
  const part = `${path}.part`
  const handle = await open(part, 'w', 0o600)
  return {
    write: async bytes => {
      await handle.writeFile(bytes)
    },
    keep: async () => {
      await handle.sync()
      await handle.close()
      await rename(part, path)
    },
    discard: async () => {
      await handle.close()
      await rm(part, { force: true })
    },
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
