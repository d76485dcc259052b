// Opens the logbook: its door, the thread that prepares entries, the entries reader for organisers, and the recorder that teams download.
import { join } from 'node:path'
import { buildProgram, programsScript, version } from '@fairgate/recorder/build-program.ts'
import type { Directory } from '../directory/create-directory.ts'
import type { MakeDoor } from '../process/open-entrance.ts'
import { reportTo } from '../store/open-store.ts'
import type { World } from '../world/world.ts'
import { EntryPreparer } from './accept-entries/entry-preparer.ts'
import { createLogbookRoutes } from './app.ts'
import { createLogTokenAuthenticator, type LogTokenCaller } from './authenticate-log-token.ts'
import { createEntriesReader } from './list-entries/create-entries-reader.ts'
import { createPace } from './list-entries/pace-reads.ts'
import { RecorderReports } from './recorder-reports.ts'
import { createPrograms } from './serve-recorder/create-programs.ts'
import { createRecorderPages } from './serve-recorder/create-recorder-pages.ts'
import { createRecorderSection } from './serve-recorder/recorder-section.ts'
import { createTeamVerifier } from './verify-chain/verify-team-chain.ts'

export type Logbook = ReturnType<typeof openLogbook>

export function openLogbook(world: World, directory: Directory, makeDoor: MakeDoor) {
  const { config, store, clock, metrics, log, onStop } = world
  const { read } = store
  const { logbook, gateway } = config.doors
  const reports = new RecorderReports({
    ...world,
    ...store.read,
    ...store.write,
    reportFailure: reportTo(log, 'warn', 'Recorder status reports could not be written; retrying.'),
  })
  onStop(() => reports.stop())
  const preparer = new EntryPreparer({ ...world, handover: store.handover })
  onStop(() => preparer.close())
  const findPrograms = createPrograms({
    folder: join(config.dataFolder, 'recorder'),
    readSource: buildProgram,
    build: buildRecorderPrograms,
    reportFailure: error =>
      log.warn({ err: error }, 'Stand-alone recorders are not available. Serving the Node script only.'),
    now: clock,
  })
  const door = makeDoor<LogTokenCaller>({
    name: 'logbook',
    title: 'Fairgate logbook',
    description: 'Records how teams work. Send your log token (`aitc_…`) as a bearer token.',
    securityScheme: { type: 'http', scheme: 'bearer', description: 'A log token, `aitc_…`' },
    routes: createLogbookRoutes({
      store,
      preparer,
      observeEntries: metrics.observeEntries,
      noteRecorder: (caller, report) => reports.note(caller, report),
      reportFailure: reportTo(log, 'error', 'Entries could not be written; the sender got an error.'),
      announcements: directory.announcements,
      clock,
    }),
    authenticate: createLogTokenAuthenticator(directory),
    ownerOf: ({ tokenId }) => tokenId,
    teamOf: ({ teamId }) => teamId,
    readSections: createRecorderSection(logbook.publicUrl),
    openPages: createRecorderPages({
      publicUrl: logbook.publicUrl,
      gatewayUrl: gateway.publicUrl,
      buildProgram,
      findPrograms,
      wait: world.wait,
    }),
  })
  return {
    door,
    listBoards: read.listBoards,
    verifyTeam: createTeamVerifier(read),
    recorders: { list: (teamId: string) => reports.list(teamId), version },
    entries: createEntriesReader({ read, pace: createPace(world) }),
  }
}

/** A build takes seconds; ten minutes leave room for a machine that is busy with something else. */
const longestBuildMs = 600_000

/**
 * Builds the stand-alone recorders into a folder, in a separate process so that no client waits for it. Returns the list of programs as
 * JSON text. Throws an Error with the output of a failed build.
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
    throw new Error(`Stand-alone recorders could not be built: ${errors.trim() || `exit code ${code}`}`)
  return output
}
