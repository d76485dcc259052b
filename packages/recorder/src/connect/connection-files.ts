// Makes the planned changes of a connection and undoes them. What was there before is noted next to the hooks' notes, and for the user's own
// settings in the home folder, because all repositories share these.
import { dirname, join, sep } from 'node:path'
import {
  applyChange,
  type ChangedFile,
  type PlannedChange,
  readManifest,
  saveManifest,
} from '../install/files/changes.ts'
import { planReverts, type Reverted, revertChange, revertEach } from '../install/files/revert-change.ts'
import type { WorkFiles } from '../install/files/work-files.ts'
import type { Spool } from '../spool/spool.ts'

export type ConnectionFiles = {
  readonly files: WorkFiles
  readonly spool: Spool
  readonly home: string
}

type Notes = {
  readonly read: () => readonly ChangedFile[]
  readonly save: (noted: readonly ChangedFile[]) => void
}

/** `isShared`: settings of the user that all repositories share. */
export function applyConnection(
  changes: readonly PlannedChange[],
  isShared: (path: string) => boolean,
  own: ConnectionFiles,
): void {
  for (const change of changes) {
    const notes = isShared(change.path) ? sharedNotes(own) : ownNotes(own)
    applyChange(notes.read(), change, own.files, notes.save)
  }
}

/** What undoing would do to each file, for display. `withShared`: also in the user's own settings. */
export function planDisconnection(own: ConnectionFiles, withShared: boolean) {
  return planReverts(
    listNotes(own, withShared).flatMap(notes => notes.read()),
    own.files,
  )
}

export function revertConnection(own: ConnectionFiles, withShared: boolean): Reverted {
  const reverted = listNotes(own, withShared).map(notes =>
    revertEach(notes.read(), changed =>
      revertOne(notes.read().find(({ path }) => path === changed.path) ?? changed, notes, own),
    ),
  )
  return {
    restored: reverted.flatMap(({ restored }) => restored),
    refused: reverted.flatMap(({ refused }) => refused),
  }
}

/** The hooks may be in the same file or folder. Their notes must then be as if the connection had never been made. */
function revertOne(changed: ChangedFile, notes: Notes, { files, spool }: ConnectionFiles): void {
  const manifest = readManifest(spool)
  const other = manifest.files.find(({ path }) => path === changed.path)
  const rest = revertChange(changed, files, other)
  // The process that removes the last file removes the folder.
  const folders = changed.folders.filter(files.exists)
  const inherit = (file: ChangedFile): ChangedFile => {
    const own = folders.filter(folder => file.path.startsWith(`${folder}${sep}`))
    return own.every(folder => file.folders.includes(folder))
      ? file
      : { ...file, folders: [...new Set([...own, ...file.folders])] }
  }
  notes.save(
    notes
      .read()
      .filter(({ path }) => path !== changed.path)
      .map(inherit),
  )
  const noted = manifest.files.map(file => inherit(file === other && rest !== null ? rest : file))
  if (noted.some((file, index) => file !== manifest.files[index]))
    saveManifest(spool, { ...manifest, files: noted })
}

/** The user's settings that are connected, from whichever repository. */
export function listSharedFiles(own: Pick<ConnectionFiles, 'files' | 'home'>): string[] {
  return sharedNotes(own)
    .read()
    .map(({ path }) => path)
}

function listNotes(own: ConnectionFiles, withShared: boolean): Notes[] {
  return withShared ? [ownNotes(own), sharedNotes(own)] : [ownNotes(own)]
}

function ownNotes({ files, spool }: Pick<ConnectionFiles, 'files' | 'spool'>): Notes {
  return openNotes(join(spool.layout.folder, 'connection.json'), files)
}

function sharedNotes({ files, home }: Pick<ConnectionFiles, 'files' | 'home'>): Notes {
  return openNotes(join(home, '.fairgate', 'connection.json'), files)
}

/** The notes hold whole former texts, so only the owner may read them. */
function openNotes(path: string, files: WorkFiles): Notes {
  return {
    read: () => {
      const text = files.read(path)
      // This is our own file, written below.
      const noted: { files: readonly ChangedFile[] } = text === null ? { files: [] } : JSON.parse(text)
      return noted.files
    },
    save: noted => {
      if (noted.length === 0) {
        files.remove(path)
        files.removeEmptyFolder(dirname(path))
      } else files.write(path, `${JSON.stringify({ files: noted }, null, 2)}\n`, 0o600)
    },
  }
}
