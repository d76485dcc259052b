// The layout of the recorder's folder, which is in the git folder that all work trees share.
import { join } from 'node:path'

export type Layout = ReturnType<typeof layOut>

/** The recorder's folder of a repository. It cannot be committed or cleaned away, and it survives every switch of branches. */
export function recorderFolder(commonFolder: string): string {
  return join(commonFolder, 'fairgate')
}

/** Where entries wait while the git folder is not writable: one folder per repository, in the user's home. */
export function fallbackFolder(home: string, commonFolder: string): string {
  const name = `${commonFolder.replace(/[^A-Za-z0-9]+/g, '-').slice(-80)}-${checksum(commonFolder)}`
  return join(home, '.fairgate', 'spools', name)
}

export function layOut(folder: string) {
  return {
    folder,
    /** Entries being written. */
    temporary: join(folder, 'tmp'),
    /** Entries that the logbook has not acknowledged, one file each. */
    pending: join(folder, 'pending'),
    /** Entries that the logbook does not accept, each next to its reason. */
    rejected: join(folder, 'rejected'),
    /** Acknowledged entries, one compressed file per batch. */
    sent: join(folder, 'sent'),
    /** Separates this clone's entries from those of others: 8 hex digits. */
    cloneId: join(folder, 'clone-id'),
    /** One empty file per recent number. */
    sequence: join(folder, 'sequence'),
    /** What hooks must remember of a session. */
    notes: join(folder, 'notes'),
    /** Which prompts and tool calls of transcripts are already in an entry. */
    claims: join(folder, 'claims'),
    /** Members that may be filled in before an entry is first sent. */
    completions: join(folder, 'completions'),
    /** An empty file whose time is when recording started here. */
    since: join(folder, 'since'),
    lock: join(folder, 'send.lock'),
    state: join(folder, 'last-send.json'),
    /** Which announcements were shown in this clone. */
    announced: join(folder, 'announced.json'),
    log: join(folder, 'recorder.log'),
    /** Events that were not recorded, one per line. */
    skipped: join(folder, 'skipped.log'),
  }
}

/** FNV-1a, 32 bits: enough to tell the folders of one user apart without loading a crypto library. */
export function checksum(text: string): string {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, '0')
}
