// Starts the logbook: the thread that prepares entries, the reading of them by organisers, and the recorder that teams download.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { buildProgram, programsScript, version } from '@fairgate/recorder/build-program.ts'
import type { Log } from '../http/log.ts'
import type { Metrics } from '../http/metrics.ts'
import { unlessReported } from '../store/open-store.ts'
import type { Store } from '../store/store.ts'
import { every } from '../world/timers.ts'
import { EntryPreparer } from './accept-entries/entry-preparer.ts'
import type { LogTokenCaller } from './authenticate-log-token.ts'
import { createEntriesReader } from './list-entries/create-entries-reader.ts'
import { createPace } from './list-entries/pace-reads.ts'
import { RecorderReports } from './recorder-reports.ts'
import { createPrograms } from './serve-recorder/create-programs.ts'
import { createTeamVerifier } from './verify-chain/verify-team-chain.ts'

export function startLogbook(parts: {
  readonly store: Store
  readonly dataFolder: string
  /** Unix ms. */
  readonly clock: () => number
  readonly metrics: Pick<Metrics, 'observeEntries'>
  readonly log: Pick<Log, 'warn' | 'error'>
}) {
  const { store, dataFolder, clock, metrics, log } = parts
  const { read } = store
  const reports = new RecorderReports({
    write: store.write.noteRecorders,
    read: read.listRecorders,
    clock,
    every,
    reportFailure: unlessReported(error =>
      log.warn({ err: error }, 'What recorders say of themselves could not be written; trying again.'),
    ),
  })
  const preparer = new EntryPreparer({ clock, handover: store.handover, randomBytes })
  return {
    /** For the logbook door: entries of teams. */
    entries: {
      store,
      preparer,
      observeEntries: metrics.observeEntries,
      noteRecorder: (caller: LogTokenCaller, report: string | null) => reports.note(caller, report),
      reportFailure: unlessReported(error =>
        log.error({ err: error }, 'Entries could not be written; their sender was told.'),
      ),
    },
    /** For the logbook door: the recorder that participants install. */
    recorder: {
      buildProgram,
      findPrograms: createPrograms({
        folder: join(dataFolder, 'recorder'),
        readSource: buildProgram,
        build: buildRecorderPrograms,
        reportFailure: error =>
          log.warn({ err: error }, 'Stand-alone recorders are not served; the script for Node is.'),
        now: clock,
      }),
    },
    /** For the admin door. */
    reading: {
      listBoards: read.listBoards,
      verifyTeam: createTeamVerifier(read),
      recorders: { list: (teamId: string) => reports.list(teamId), version },
      entries: createEntriesReader({
        read,
        pace: createPace({ stopwatch: () => performance.now(), wait: setTimeout }),
      }),
    },
    stop: async () => {
      preparer.close()
      await reports.stop()
    },
  }
}

/** A build takes seconds; ten minutes leave room for a machine that is busy with something else. */
const longestBuildMs = 600_000

/**
 * Builds the stand-alone recorders into a folder, in a process of its own, so that no client waits for it. Answers what was built as
 * JSON text. Throws an Error with the output of a build that failed.
 */
async function buildRecorderPrograms(folder: string): Promise<string> {
  const child = Bun.spawn([process.execPath, programsScript, folder], {
    // The build ends when this pipe closes, even if this process is killed.
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: longestBuildMs,
  })
  const [code, output, errors] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  if (code !== 0 || output === '[]')
    throw new Error(`No stand-alone recorder could be built: ${errors.trim() || `exit code ${code}`}`)
  return output
}
