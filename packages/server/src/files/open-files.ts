// Opens the store of uploaded files and of images by address: their bytes in the folder or object store of videos, and the removal of
// expired ones.
import type { Directory } from '../directory/create-directory.ts'
import { endOf } from '../directory/event/event.ts'
import { reportTo } from '../store/open-store.ts'
import { createCopies } from '../videos/open-videos.ts'
import type { World } from '../world/world.ts'
import { FileParts } from './file-parts.ts'
import { FileService } from './file-service.ts'
import { ImageAddresses } from './image-addresses.ts'

const dayMs = 86_400_000
const mebibyte = 1024 * 1024
const sweepMs = 60_000
/** Larger than any image that a reply of an upstream can hold by default. */
const maxImageBytes = 64 * mebibyte

/** The sweep starts here. */
export function openFiles(world: World, { event }: Pick<Directory, 'event'>) {
  const { config, secrets, store, clock, every, randomBytes, log, onStop } = world
  const { max_file_mebibytes, keep_days, team_files, team_mebibytes } = config.settings.files
  const maxBytes = max_file_mebibytes * mebibyte
  const maxTeamBytes = team_mebibytes * mebibyte
  const newName = () => randomBytes(12).toString('hex')
  const parts = new FileParts({
    copies: createCopies(world, 'bin', Math.max(maxBytes, maxImageBytes)),
    reportFailure: (error, fields) =>
      log.warn({ ...fields, err: error }, 'A file or an image could not be stored, read or removed.'),
  })
  const files = new FileService({
    store,
    parts,
    newFileId: () => `file-${newName()}`,
    maxBytes,
    bounds: { files: team_files, bytes: maxTeamBytes },
    keptUntil: now => Math.max(now, endOf(event()) ?? now) + keep_days * dayMs,
    clock,
  })
  const images = new ImageAddresses({ store, parts, newName, joinKey: secrets.joinKey, maxTeamBytes, clock })
  const report = reportTo(log, 'warn', 'Expired files could not be removed; retrying.')
  let isSweeping = false
  const sweep = async () => {
    if (isSweeping) return
    isSweeping = true
    await files.sweep().catch(error => report(error))
    isSweeping = false
  }
  onStop(every(sweepMs, () => void sweep()))
  return { files, images }
}
