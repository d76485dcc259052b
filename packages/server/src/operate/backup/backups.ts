// Creates, verifies and restores backups for the command line.
import { findSettingsFile } from '../../config/config.ts'
import { readEnvironment } from '../../config/environment.ts'
import { readSettings } from '../../config/settings-file.ts'
import { noteRun } from '../readiness/last-runs.ts'
import { createBackup } from './create-backup.ts'
import { findDataPlace } from './open-databases.ts'
import { restoreBackup } from './restore-backup.ts'
import { type Report, verifyBackup } from './verify-backup.ts'

type Variables = Readonly<Record<string, string | undefined>>

export type Backups = ReturnType<typeof createBackups>

/** `version` of the running Fairgate. */
export function createBackups(version: string, now: () => Date) {
  return {
    create: async (folder: string, variables: Variables, report: Report) => {
      const place = findDataPlace(variables)
      const { in_backups: hasResponses } = readSettings(
        findSettingsFile(readEnvironment(variables)),
      ).responses
      const omitted = hasResponses ? [] : (['stored_responses'] as const)
      const made = await createBackup({ place, folder, version, now: now(), omitted, report })
      noteRun(place.dataFolder, 'backup', now())
      return made
    },
    verify: verifyBackup,
    restore: (folder: string, variables: Variables, report: Report) =>
      restoreBackup({ folder, place: findDataPlace(variables), clock: () => now().getTime(), report }),
  }
}
