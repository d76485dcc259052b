// Makes a planned change, and notes the previous state first, so that even a crash in between can be undone.
import type { SetMember } from '../jsonc/set-members.ts'
import { type ChangedFile, digestText } from './manifest.ts'
import { isChanged, type PlannedChange } from './planned-change.ts'
import type { WorkFiles } from './work-files.ts'

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
