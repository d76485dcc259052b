// Opens the store of uploaded files and of images by address: their bytes in the folder or object store of videos, and the removal of
// expired ones.
import type { Directory } from '../directory/create-directory.ts'
import { endOf } from '../directory/event/event.ts'
import { reportTo } from '../store/open-store.ts'
import type { Upstreams } from '../upstream/open-upstreams.ts'
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

/** An upload that a team does not hand in is kept for a day. */
const submittedMs = dayMs

/** `submitted`: the files of submissions, within bounds of their own. The sweep of all starts here. */
export function openFiles(
  world: World,
  { event }: Pick<Directory, 'event'>,
  { forgetFile }: Pick<Upstreams, 'forgetFile'>,
) {
  const { config, secrets, store, clock, every, randomBytes, log, onStop } = world
  const { max_file_mebibytes, keep_days, team_files, team_mebibytes } = config.settings.files
  const maxBytes = max_file_mebibytes * mebibyte
  const maxTeamBytes = team_mebibytes * mebibyte
  const parts = new FileParts({
    copies: createCopies(world, 'bin', Math.max(maxBytes, maxImageBytes)),
    reportFailure: (error, fields) =>
      log.warn({ ...fields, err: error }, 'A file or an image could not be stored, read or removed.'),
  })
  const bounds = { files: team_files, bytes: maxTeamBytes }
  const shared = { store, parts, randomBytes, maxBytes, bounds, clock }
  const files = new FileService({
    ...shared,
    idPrefix: 'file',
    keptUntil: now => Math.max(now, endOf(event()) ?? now) + keep_days * dayMs,
    noteRemoved: forgetFile,
  })
  const submitted = new FileService({
    ...shared,
    idPrefix: 'submitted',
    keptUntil: now => now + submittedMs,
    noteRemoved: () => undefined,
  })
  const newName = () => randomBytes(12).toString('hex')
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
  return { files, submitted, images }
}
