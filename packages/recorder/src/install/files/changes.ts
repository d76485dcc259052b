// A planned change to one file, how it is made, and the notes of what was there before, so that it can be undone to the byte. Planning touches
// nothing, so that a plan can be shown first.

import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { readObject, type Spool } from '../../spool/spool.ts'
import type { ToolName } from '../../tools/tool.ts'
import type { SetMember, SetResult } from '../jsonc/set-members.ts'
import type { WorkFiles } from './work-files.ts'

/** How to undo a change in a file that others have changed since: by the tool's recipe, by its members, or by the marks around blocks. */
export type ChangeKind =
  | {
      readonly kind: 'settings'
      readonly tool: ToolName
      readonly added: readonly (readonly string[])[]
      /** In settings that several repositories share, the start script in this repository's commands. */
      readonly launcher?: string
    }
  /** `own`: the lines between the marks that do not name the recorder. Notes of older versions lack it, here and below. */
  | { readonly kind: 'block'; readonly own?: readonly string[] }
  /** Of the connection to the gateway: members of a JSON file. */
  | ({ readonly kind: 'members' } & Omit<SetResult, 'text'>)
  /** Of the connection to the gateway: lines of any other file. `own` as in `listsLine`. */
  | { readonly kind: 'lines'; readonly own?: readonly string[] }

export type PlannedChange = {
  readonly path: string
  /** null if there is no file yet. */
  readonly before: string | null
  readonly after: string
  /** The permissions of a new file. An existing one keeps its own and gets `addedMode`. */
  readonly mode: number
  /** Permission bits that the file must also have. */
  readonly addedMode?: number
  /** Only the owner may read it from now on, because it holds a key. */
  readonly isPrivate?: boolean
  readonly how: ChangeKind
}

export const isChanged = ({ before, after }: PlannedChange): boolean => before !== after

/** A file that stays as it is, and why. */
export type Refusal = { readonly path: string; readonly reason: string }

export type ChangedFile = {
  readonly path: string
  /** The whole previous text; null if there was no file. */
  readonly original: string | null
  readonly originalMode: number | null
  /** SHA-256 of what we wrote; null if others had changed the file before we wrote it again. */
  readonly written: string | null
  /** The folders that were created for it, the outermost first. */
  readonly folders: readonly string[]
  readonly how: ChangeKind
}

export type Manifest = {
  readonly files: readonly ChangedFile[]
  /** The user's own hook, moved aside so that ours can run before it. */
  readonly moved: readonly { readonly from: string; readonly to: string }[]
  /** Whether a hook was set in git's configuration. */
  readonly hasConfigHook: boolean
}

const emptyManifest: Manifest = { files: [], moved: [], hasConfigHook: false }

const fileName = 'install.json'

export function readManifest({ files, layout }: Pick<Spool, 'files' | 'layout'>): Manifest {
  // This is our own file, written by `saveManifest`.
  return { ...emptyManifest, ...readObject(files, join(layout.folder, fileName)) }
}

export function saveManifest(spool: Spool, manifest: Manifest): void {
  const path = join(spool.layout.folder, fileName)
  const isEmpty = manifest.files.length + manifest.moved.length === 0 && !manifest.hasConfigHook
  if (isEmpty) spool.files.remove(path)
  else spool.writeAtomically(path, `${JSON.stringify(manifest, null, 2)}\n`)
}

export function digestText(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

const ownerOnly = 0o700

/** Returns the notes with this change. `save` is called with them before anything else is written. */
export function applyChange(
  noted: readonly ChangedFile[],
  change: PlannedChange,
  files: WorkFiles,
  save: (noted: readonly ChangedFile[]) => void,
): readonly ChangedFile[] {
  const mode = files.modeOf(change.path)
  const open = (mode ?? change.mode) | (change.addedMode ?? 0)
  const wanted = change.isPrivate === true ? open & ownerOnly : open
  if (!isChanged(change) && mode === wanted) return noted
  const known = noted.find(({ path }) => path === change.path)
  const own = noteChange(change, known, mode)
  const others = noted.filter(({ path }) => path !== change.path)
  save([...others, own])
  const made = files.write(change.path, change.after, wanted)
  const done = [...others, { ...own, folders: [...own.folders, ...made] }]
  save(done)
  return done
}

function noteChange(change: PlannedChange, known: ChangedFile | undefined, mode: number | null): ChangedFile {
  const { path, before, after, how } = change
  const fresh = { path, original: before, originalMode: mode, folders: [], written: digestText(after), how }
  if (known === undefined || before === null) return { ...fresh, folders: known?.folders ?? [] }
  // Part of this file is already ours, so the original is the state before our first change.
  const isAsWritten = known.written === digestText(before)
  return { ...known, written: isAsWritten ? fresh.written : null, how: joinKinds(known.how, how) }
}

function joinKinds(known: ChangedFile['how'], how: ChangedFile['how']): ChangedFile['how'] {
  if (known.kind === 'settings' && how.kind === 'settings')
    return { ...how, added: [...known.added, ...how.added] }
  if (known.kind === 'members' && how.kind === 'members')
    return { ...how, set: joinMembers(known.set, how.set), made: [...known.made, ...how.made] }
  if ((known.kind === 'block' || known.kind === 'lines') && how.kind === known.kind)
    return { ...how, own: [...new Set([...(known.own ?? []), ...(how.own ?? [])])] }
  return how
}

/** Of a member that was set twice, the value before the first time counts. */
function joinMembers(known: readonly SetMember[], fresh: readonly SetMember[]): SetMember[] {
  const nameOf = ({ path }: SetMember) => path.join('\n')
  return [...known, ...fresh.filter(member => !known.some(old => nameOf(old) === nameOf(member)))]
}
