// A whole Fairgate for one journey: the real server on free ports, its own data, and a sandbox with a readable bill.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Sandbox, startSandbox } from '@fairgate/sandbox/start-sandbox.ts'
import { startServer } from '../../src/main.ts'
import { createTestPostgres, findTestPostgres } from '../../src/store/testing/create-test-postgres.ts'
import { createManagement, type Management } from './management.ts'
import type { Place } from './stored-rows.ts'
import { createUpstreamGate, type UpstreamGate } from './upstream-gate.ts'

export const adminKey = 'admin-key-of-the-journeys'
export const upstreamKey = 'upstream-key-0123456789'

const models = resolve(import.meta.dir, '../../../../config/models.yaml')

/** Everything a server of one journey needs, before it is started. */
export type Surroundings = Place & {
  readonly folder: string
  readonly sandbox: Sandbox
  readonly holdUpstream: UpstreamGate['hold']
  /** Variables for its own data, free ports and this sandbox. */
  readonly variables: Readonly<Record<string, string>>
  /** Removes all of it; the servers must have ended. */
  readonly remove: () => Promise<void>
}

export type SurroundingsOptions = {
  /** Lines of the settings file besides the models and the log level; they may name the sandbox. */
  readonly settings?: string | ((sandbox: Sandbox) => string)
  readonly logLevel?: string
  /** A catalog instead of the shipped one. */
  readonly models?: string
  /** Further variables of the environment. */
  readonly variables?: Readonly<Record<string, string>>
}

/** Writes a settings file into a folder; returns its path. */
export function writeSettings(
  folder: string,
  settings = '',
  logLevel = 'silent',
  modelsFile = models,
): string {
  const path = join(folder, 'fairgate.yaml')
  writeFileSync(path, `models_file: ${JSON.stringify(modelsFile)}\nlog_level: ${logLevel}\n${settings}\n`)
  return path
}

/** On PostgreSQL when the test runner has started one, else on SQLite. */
export async function createSurroundings(options: SurroundingsOptions = {}): Promise<Surroundings> {
  const folder = mkdtempSync(join(tmpdir(), 'fairgate-journey-'))
  const gate = createUpstreamGate()
  const sandbox = startSandbox({ port: 0, keys: [upstreamKey], wait: gate.wait })
  const server = findTestPostgres()
  const database = server === null ? null : await createTestPostgres(server)
  const dataFolder = join(folder, 'data')
  const settings = typeof options.settings === 'function' ? options.settings(sandbox) : options.settings
  const ownModels = join(folder, 'own-models.yaml')
  if (options.models !== undefined) writeFileSync(ownModels, options.models)
  const modelsFile = options.models === undefined ? models : ownModels
  return {
    folder,
    sandbox,
    holdUpstream: gate.hold,
    dataFolder,
    databaseUrl: database?.url ?? null,
    variables: {
      FAIRGATE_CONFIG: writeSettings(folder, settings, options.logLevel, modelsFile),
      FAIRGATE_DATA_DIR: dataFolder,
      FAIRGATE_ADMIN_KEY: adminKey,
      FAIRGATE_GATEWAY_PORT: '0',
      FAIRGATE_LOGBOOK_PORT: '0',
      FAIRGATE_ADMIN_PORT: '0',
      VENDOR_BASE_URL: sandbox.url,
      VENDOR_API_KEY: upstreamKey,
      ...(database === null ? {} : { DATABASE_URL: database.url }),
      ...options.variables,
    },
    remove: async () => {
      await sandbox.stop()
      await database?.drop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Built pages are named by their sources, so all journeys can use one folder: separate builds would cost each of them 4 s of CPU. */
export function sharePages({ dataFolder }: Surroundings): void {
  const shared = resolve(import.meta.dir, '../../../../node_modules/.cache/fairgate-pages')
  mkdirSync(shared, { recursive: true })
  mkdirSync(dataFolder, { recursive: true })
  symlinkSync(shared, join(dataFolder, 'pages'))
}

export type Fairgate = {
  readonly gatewayUrl: string
  readonly logbookUrl: string
  readonly adminUrl: string
  readonly place: Place
  readonly sandbox: Sandbox
  readonly holdUpstream: UpstreamGate['hold']
  readonly manage: Management
  /** The text of the start. */
  readonly announcement: string
  /** Drains, and removes all data. */
  readonly stop: () => Promise<void>
}

/** Runs in this process. `clock` (Unix ms) replaces the real one, so that a minute lasts as long as a journey needs. */
export async function startFairgate(
  options: SurroundingsOptions = {},
  clock?: () => number,
): Promise<Fairgate> {
  const surroundings = await createSurroundings(options)
  sharePages(surroundings)
  const server = await startServer(surroundings.variables, clock === undefined ? {} : { clock })
  return {
    gatewayUrl: server.gatewayUrl,
    logbookUrl: server.logbookUrl,
    adminUrl: server.adminUrl,
    place: surroundings,
    sandbox: surroundings.sandbox,
    holdUpstream: surroundings.holdUpstream,
    manage: createManagement(server.adminUrl, adminKey),
    announcement: server.announcement,
    stop: async () => {
      await server.stop()
      await surroundings.remove()
    },
  }
}
