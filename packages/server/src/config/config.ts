// Turns the environment and the settings file into the one typed configuration. Cross-checks live here.
import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type CorsOrigins, readCorsOrigins } from './cors-origins.ts'
import type { Environment, SettingName } from './environment.ts'
import {
  type DoorName,
  readAdminHosts,
  readDoorNames,
  readTls,
  readTrustedProxies,
  type TlsFiles,
} from './listener-settings.ts'
import { readSettings, type Settings } from './settings-file.ts'
import { buildUpstreams } from './upstream-settings.ts'
import { buildVideoStore, type VideoStore } from './video-store.ts'

export type Config = {
  readonly dataFolder: string
  readonly modelsFile: string
  /** Where copies of finished videos are kept. */
  readonly videoStore: VideoStore
  readonly settings: Settings
  readonly doors: {
    readonly gateway: DoorAddress
    readonly logbook: DoorAddress
    readonly admin: DoorAddress
  }
  /** The doors that are opened. */
  readonly openDoors: readonly DoorName[]
  /** Pages of these origins may call the gateway. */
  readonly gatewayOrigins: CorsOrigins
  /** Addresses and networks with a trusted `X-Forwarded-For`. */
  readonly trustedProxies: readonly string[]
  /** Host names at which the admin door answers. */
  readonly adminHosts: readonly string[]
  /** Address of the judges' page behind a proxy, without a trailing slash; null: that of the admin door. */
  readonly judgingUrl: string | null
  /** Where `/metrics` is served besides the admin door; null for nowhere else. */
  readonly metrics: { readonly host: string; readonly port: number } | null
  /** The environment names a collector for traces. */
  readonly exportsTraces: boolean
  /** null: no vendor key is set, so the embedded sandbox is the upstream. */
  readonly vendor: { readonly baseUrl: string } | null
  /** Additional upstreams, by their catalog names. */
  readonly upstreams: ReturnType<typeof buildUpstreams>
}

export type DoorAddress = {
  readonly host: string
  readonly port: number
  /** Address shown to clients, without a trailing slash. */
  readonly publicUrl: string
  /** null: plain HTTP. */
  readonly tls: TlsFiles | null
}

const defaultVendorUrl = 'https://generativelanguage.googleapis.com'
/** Every upgrade replaces it, so nothing of an event may be written there. */
export const shippedModels = fileURLToPath(new URL('../../../../config/models.yaml', import.meta.url))
const shippedSettings = fileURLToPath(new URL('../../../../config/fairgate.yaml', import.meta.url))

/** Throws an Error that names the setting at fault. */
export function buildConfig(environment: Environment): Config {
  const settingsPath = findSettingsFile(environment)
  const settings = readSettings(settingsPath)
  const host = environment.FAIRGATE_HOST ?? '127.0.0.1'
  const adminHost = environment.FAIRGATE_ADMIN_HOST ?? '127.0.0.1'
  const gatewayPort = readPort(environment, 'FAIRGATE_GATEWAY_PORT', 4000)
  const logbookPort = readPort(environment, 'FAIRGATE_LOGBOOK_PORT', 4001)
  const adminPort = readPort(environment, 'FAIRGATE_ADMIN_PORT', 4002)
  const metrics = readMetricsAddress(environment)
  const used = [gatewayPort, logbookPort, adminPort, metrics?.port ?? 0].filter(port => port !== 0)
  if (new Set(used).size < used.length) {
    throw new Error(
      'FAIRGATE_GATEWAY_PORT, FAIRGATE_LOGBOOK_PORT, FAIRGATE_ADMIN_PORT and FAIRGATE_METRICS_PORT must differ.',
    )
  }
  const { VENDOR_API_KEY: vendorKeys, VENDOR_API_KEY_FILE: vendorKeyFile } = environment
  if (vendorKeys !== undefined && vendorKeyFile !== undefined)
    throw new Error('Set VENDOR_API_KEY or VENDOR_API_KEY_FILE, not both.')
  const hasVendor = vendorKeys !== undefined || vendorKeyFile !== undefined
  if (environment.VENDOR_BASE_URL !== undefined && !hasVendor) {
    throw new Error(
      'VENDOR_BASE_URL is set without VENDOR_API_KEY. Set both, or neither to use the embedded sandbox.',
    )
  }
  const tls = readTls(environment)
  // On this machine the commands use plain HTTP. Over a network the admin key must not travel unencrypted.
  const adminTls = /^(localhost|127\.[\d.]+|::1)$/.test(adminHost) ? null : tls
  const judgingUrl = readJudgingUrl(environment)
  const dataFolder = resolve(environment.FAIRGATE_DATA_DIR ?? 'data')
  return {
    dataFolder,
    videoStore: buildVideoStore(settingsPath, settings.videos, dataFolder),
    modelsFile: findModelsFile(settingsPath, settings),
    settings,
    openDoors: readDoorNames(environment),
    gatewayOrigins: readCorsOrigins(settingsPath, settings.gateway.cors_origins),
    trustedProxies: readTrustedProxies(environment),
    adminHosts: readAdminHosts(environment, [
      adminHost,
      ...(judgingUrl === null ? [] : [judgingUrl.hostname]),
    ]),
    judgingUrl: judgingUrl?.origin ?? null,
    metrics,
    doors: {
      gateway: {
        host,
        port: gatewayPort,
        publicUrl: readUrl(environment, 'FAIRGATE_GATEWAY_URL') ?? localUrl(host, gatewayPort, tls),
        tls,
      },
      logbook: {
        host,
        port: logbookPort,
        publicUrl: readUrl(environment, 'FAIRGATE_LOGBOOK_URL') ?? localUrl(host, logbookPort, tls),
        tls,
      },
      admin: {
        host: adminHost,
        port: adminPort,
        publicUrl: localUrl(adminHost, adminPort, adminTls),
        tls: adminTls,
      },
    },
    exportsTraces: readTraceExport(environment),
    vendor: hasVendor ? { baseUrl: readUrl(environment, 'VENDOR_BASE_URL') ?? defaultVendorUrl } : null,
    upstreams: buildUpstreams(settingsPath, settings),
  }
}

/** Throws an Error that names the setting if its value cannot work. */
function readTraceExport(environment: Environment): boolean {
  const { OTEL_SDK_DISABLED: disabled, OTEL_TRACES_EXPORTER: exporter = 'otlp' } = environment
  const endpoint =
    readUrl(environment, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ??
    readUrl(environment, 'OTEL_EXPORTER_OTLP_ENDPOINT')
  if (endpoint === undefined || disabled?.toLowerCase() === 'true' || exporter === 'none') return false
  const { OTEL_EXPORTER_OTLP_PROTOCOL: usual, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol = usual } =
    environment
  if (protocol === 'grpc') {
    throw new Error(
      'OTEL_EXPORTER_OTLP_PROTOCOL is "grpc", but Fairgate exports traces only over HTTP. Set OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/json, and name the HTTP port of the collector (usually 4318).',
    )
  }
  return true
}

/** The file named in the settings, else the catalog next to them, else the shipped one. */
function findModelsFile(settingsPath: string, { models_file: named }: Settings): string {
  const folder = dirname(settingsPath)
  if (named !== undefined) {
    const path = resolve(folder, named)
    if (existsSync(path)) return path
    throw new Error(
      `${settingsPath}: setting models_file: there is no file ${path}. Copy ${shippedModels} there, or leave the setting out.`,
    )
  }
  const beside = resolve(folder, 'models.yaml')
  return existsSync(beside) ? beside : shippedModels
}

function localUrl(host: string, port: number, tls: TlsFiles | null): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return `${tls === null ? 'http' : 'https'}://${name}:${port}`
}

/** The host alone is not an address: it needs the port. */
function readMetricsAddress(environment: Environment): Config['metrics'] {
  const { FAIRGATE_METRICS_HOST: host, FAIRGATE_METRICS_PORT: port } = environment
  if (port !== undefined)
    return { host: host ?? '127.0.0.1', port: readPort(environment, 'FAIRGATE_METRICS_PORT', 0) }
  if (host === undefined) return null
  throw new Error('FAIRGATE_METRICS_HOST is set without FAIRGATE_METRICS_PORT. Set both, or neither.')
}

/** 0 asks the system for a free port; tests use it. */
function readPort(environment: Environment, name: SettingName, fallback: number): number {
  const text = environment[name]
  if (text === undefined) return fallback
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  throw new Error(`${name} must be a port number from 0 to 65535, not "${text}".`)
}

function readUrl(environment: Environment, name: SettingName): string | undefined {
  const text = environment[name]
  if (text === undefined) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (
    url === undefined ||
    (url.protocol !== 'http:' && url.protocol !== 'https:') ||
    url.search ||
    url.hash
  ) {
    throw new Error(`${name} must be an http or https address without query, not "${text}".`)
  }
  return text.replace(/\/+$/, '')
}

/** The judges' page is at `/judging` of this address, so the address itself has no path. */
function readJudgingUrl(environment: Environment): URL | null {
  const text = readUrl(environment, 'FAIRGATE_JUDGING_URL')
  if (text === undefined) return null
  const url = new URL(text)
  if (url.pathname === '/') return url
  throw new Error(`FAIRGATE_JUDGING_URL must not have a path: "${url.origin}" instead of "${text}".`)
}

/** The settings file's path: the environment's, or that of the shipped one. */
export function findSettingsFile({ FAIRGATE_CONFIG: path }: Environment): string {
  return path ? resolve(path) : shippedSettings
}
