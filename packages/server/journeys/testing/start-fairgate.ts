// A whole Fairgate for one journey: the real server on free ports, its own data folder, and a sandbox whose bill can be read.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Sandbox, startSandbox } from '@fairgate/sandbox/start-sandbox.ts'
import { startServer } from '../../src/main.ts'
import { createManagement, type Management } from './management.ts'

export const adminKey = 'admin-key-of-the-journeys'
export const upstreamKey = 'upstream-key-0123456789'

export type Fairgate = {
  readonly gatewayUrl: string
  readonly logbookUrl: string
  readonly adminUrl: string
  readonly dataFolder: string
  readonly sandbox: Sandbox
  readonly manage: Management
  /** Drains, and removes the data folder. */
  readonly stop: () => Promise<void>
}

export type FairgateOptions = {
  /** Lines of the settings file besides the models and the log level. */
  readonly settings?: string
  readonly dataFolder?: string
}

const models = resolve(import.meta.dir, '../../../../config/models.yaml')

/** Writes a settings file into a folder; answers its path. */
export function writeSettings(folder: string, settings = '', logLevel = 'silent'): string {
  const path = join(folder, 'fairgate.yaml')
  writeFileSync(path, `models_file: ${JSON.stringify(models)}\nlog_level: ${logLevel}\n${settings}\n`)
  return path
}

/** The variables that make a server use its own folder, free ports and this upstream. */
export function buildVariables(folder: string, settingsPath: string, upstreamUrl: string | null) {
  return {
    FAIRGATE_CONFIG: settingsPath,
    FAIRGATE_DATA_DIR: join(folder, 'data'),
    FAIRGATE_ADMIN_KEY: adminKey,
    FAIRGATE_GATEWAY_PORT: '0',
    FAIRGATE_LOGBOOK_PORT: '0',
    FAIRGATE_ADMIN_PORT: '0',
    ...(upstreamUrl === null ? {} : { VENDOR_BASE_URL: upstreamUrl, VENDOR_API_KEY: upstreamKey }),
  }
}

export async function startFairgate(options: FairgateOptions = {}): Promise<Fairgate> {
  const folder = options.dataFolder ?? mkdtempSync(join(tmpdir(), 'fairgate-journey-'))
  const sandbox = startSandbox({ port: 0, keys: [upstreamKey] })
  const variables = buildVariables(folder, writeSettings(folder, options.settings), sandbox.url)
  const server = await startServer(variables)
  return {
    gatewayUrl: server.gatewayUrl,
    logbookUrl: server.logbookUrl,
    adminUrl: server.adminUrl,
    dataFolder: variables.FAIRGATE_DATA_DIR,
    sandbox,
    manage: createManagement(server.adminUrl, adminKey),
    stop: async () => {
      await server.stop()
      await sandbox.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
