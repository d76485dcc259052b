// Opens the store of uploaded files: their bytes in the folder or object store of videos, and the removal of expired ones.
import { reportTo } from '../store/open-store.ts'
import { createCopies } from '../videos/open-videos.ts'
import type { World } from '../world/world.ts'
import { FileService } from './file-service.ts'

const dayMs = 86_400_000
const mebibyte = 1024 * 1024
const sweepMs = 60_000

/** The sweep starts here. */
export function openFiles(world: World): FileService {
  const { config, store, clock, every, randomBytes, log, onStop } = world
  const { max_file_mebibytes, keep_days, team_files, team_mebibytes } = config.settings.files
  const maxBytes = max_file_mebibytes * mebibyte
  const files = new FileService({
    store,
    copies: createCopies(world, 'bin', maxBytes),
    newFileId: () => `file-${randomBytes(12).toString('hex')}`,
    maxBytes,
    bounds: { files: team_files, bytes: team_mebibytes * mebibyte },
    keptMs: keep_days * dayMs,
    clock,
    reportFailure: (error, fields) =>
      log.warn({ ...fields, err: error }, 'An uploaded file could not be stored, read or removed.'),
  })
  const report = reportTo(log, 'warn', 'Expired files could not be removed; retrying.')
  let isSweeping = false
  const sweep = async () => {
    if (isSweeping) return
    isSweeping = true
    await files.sweep().catch(error => report(error))
    isSweeping = false
  }
  onStop(every(sweepMs, () => void sweep()))
  return files
}
