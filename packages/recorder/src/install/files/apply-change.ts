// Carries out one planned change. The previous text is saved on disk before the file is touched.
import { type ChangedFile, digestText, type Manifest } from './manifest.ts'
import { isChanged, type PlannedChange } from './planned-change.ts'
import type { WorkFiles } from './work-files.ts'

/** Returns the manifest with this change. `save` is called with it before anything else is written. */
export function applyChange(
  manifest: Manifest,
  change: PlannedChange,
  files: WorkFiles,
  save: (manifest: Manifest) => void,
): Manifest {
  const mode = files.modeOf(change.path)
  const wanted = (mode ?? change.mode) | change.addedMode
  if (!isChanged(change) && mode === wanted) return manifest
  const known = manifest.files.find(({ path }) => path === change.path)
  const noted = noteChange(change, known, mode)
  const others = manifest.files.filter(({ path }) => path !== change.path)
  save({ ...manifest, files: [...others, noted] })
  const made = files.write(change.path, change.after, wanted)
  const done = { ...manifest, files: [...others, { ...noted, folders: [...noted.folders, ...made] }] }
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
  if (known.kind !== 'settings' || how.kind !== 'settings') return how
  return { ...how, added: [...known.added, ...how.added] }
}
