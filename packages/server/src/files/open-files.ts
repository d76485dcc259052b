// Opens the store of uploaded files: their bytes in the folder or object store of videos, and the removal of expired ones.
import { reportTo } from '../store/open-store.ts'
import { createCopies } from '../videos/open-videos.ts'
import type { World } from '../world/world.ts'
import { FileService } from './file-service.ts'

const dayMs = 86_400_000
const mebibyte = 1024 * 1024
const sweepMs = 60_000

/** An upload that a team does not hand in is kept for a day. */
const submittedMs = dayMs

/** `submitted`: the files of submissions, within bounds of their own. The sweep of both starts here. */
export function openFiles(world: World): { readonly files: FileService; readonly submitted: FileService } {
  const { config, store, clock, every, randomBytes, log, onStop } = world
  const { max_file_mebibytes, keep_days, team_files, team_mebibytes } = config.settings.files
  const maxBytes = max_file_mebibytes * mebibyte
  const shared = {
    store,
    copies: createCopies(world, 'bin', maxBytes),
    randomBytes,
    maxBytes,
    bounds: { files: team_files, bytes: team_mebibytes * mebibyte },
    clock,
    reportFailure: (error: unknown, fields: object) =>
      log.warn({ ...fields, err: error }, 'An uploaded file could not be stored, read or removed.'),
  }
  const files = new FileService({ ...shared, idPrefix: 'file', keptMs: keep_days * dayMs })
  const submitted = new FileService({ ...shared, idPrefix: 'submitted', keptMs: submittedMs })
  const report = reportTo(log, 'warn', 'Expired files could not be removed; retrying.')
  let isSweeping = false
  const sweep = async () => {
    if (isSweeping) return
    isSweeping = true
    await files.sweep().catch(error => report(error))
    isSweeping = false
  }
  onStop(every(sweepMs, () => void sweep()))
  return { files, submitted }
}
