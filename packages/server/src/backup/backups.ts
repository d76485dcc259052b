// Creates, verifies and restores backups for the command line.
import { createBackup } from './create-backup.ts'
import { findDataPlace } from './open-databases.ts'
import { restoreBackup } from './restore-backup.ts'
import { type Report, type VerifiedBackup, verifyBackup } from './verify-backup.ts'

type Variables = Readonly<Record<string, string | undefined>>

export type Backups = {
  readonly create: (folder: string, variables: Variables, report: Report) => Promise<VerifiedBackup>
  readonly verify: (folder: string, report: Report) => Promise<VerifiedBackup>
  readonly restore: (folder: string, variables: Variables, report: Report) => Promise<VerifiedBackup>
}

/** `version` of this Fairgate. */
export function createBackups(version: string, now: () => Date): Backups {
  return {
    create: (folder, variables, report) =>
      createBackup({ place: findDataPlace(variables), folder, version, now: now(), report }),
    verify: verifyBackup,
    restore: (folder, variables, report) => restoreBackup(folder, findDataPlace(variables), report),
  }
}
