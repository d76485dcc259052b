// Writes the text that `npm start` prints: the addresses of the doors, and three commands that work as printed.
import type { Config } from '../config/config.ts'
import { adminKeyPath, type Secrets } from '../config/secrets.ts'
import type { DoorUrls } from '../process/running-server.ts'
import { readDatabaseAddress } from '../store/postgres/database-address.ts'
import type { DemoTeam } from './create-demo-team.ts'
import type { FirstLinks } from './make-first-links.ts'

export type StartFacts = {
  readonly urls: DoorUrls
  readonly config: Config
  readonly secrets: Secrets
  /** The demo team, if it was created at this start. */
  readonly demo: DemoTeam | null
  /** Null if no person can open them, as in the log of a service. */
  readonly links: FirstLinks | null
  /** Local time with offset for the sample entry, ISO 8601. */
  readonly now: string
}

export function describeStart(facts: StartFacts): string {
  const { config, secrets, demo, links, urls } = facts
  const lines = [
    'Fairgate is ready.',
    '',
    describeDoor('gateway', urls.gatewayUrl),
    describeDoor('logbook', urls.logbookUrl),
    describeDoor('admin', urls.adminUrl),
    ...(urls.metricsUrl === '' ? [] : [`  metrics  ${urls.metricsUrl}/metrics`]),
    `  data     ${describeData(config, secrets)}`,
    '',
    config.vendor === null
      ? 'No VENDOR_API_KEY is set. Calls go to the embedded sandbox, which simulates the vendor and costs nothing.'
      : `Calls go to ${config.vendor.baseUrl}.`,
    ...config.upstreams.map(({ name, baseUrl }) => `Models of the upstream ${name} go to ${baseUrl}.`),
  ]
  if (secrets.adminKeyOrigin === 'generated') {
    lines.push(
      '',
      `Admin key (shown once, kept in ${adminKeyPath(config.dataFolder)}):`,
      `  ${secrets.adminKey}`,
    )
  }
  if (demo !== null) lines.push('', ...describeDemo(facts, demo))
  if (links !== null) lines.push('', ...describeLinks(links))
  return `${lines.join('\n')}\n`
}

function describeDoor(name: string, url: string): string {
  const place = url === '' ? 'not opened (FAIRGATE_DOORS)' : `${url}   reference: ${url}/docs`
  return `  ${name.padEnd(8)} ${place}`
}

/** Without the password. */
function describeData(config: Config, { databaseUrl }: Secrets): string {
  if (databaseUrl === null) return config.dataFolder
  return `PostgreSQL ${readDatabaseAddress(databaseUrl).label}, admin key in ${config.dataFolder}`
}

function describeDemo(facts: StartFacts, demo: DemoTeam): string[] {
  const chat = JSON.stringify({ model: 'mm-2.5-flash', messages: [{ role: 'user', content: 'Say hello.' }] })
  const entry = {
    ts: facts.now,
    tool: 'demo',
    event: 'UserPromptSubmit',
    session_id: 'demo-1',
    repo: 'demo',
    branch: 'main',
    commit: '0000000',
    student: 'demo@example.org',
    prompt: 'Say hello.',
  }
  return [
    'Team "demo" was created to try things out. Shown once:',
    `  gateway key  ${demo.key}`,
    `  log token    ${demo.logToken}`,
    '',
    'Paste these. Call a model:',
    '',
    `curl -s ${facts.urls.gatewayUrl}/chat/completions -H 'Authorization: Bearer ${demo.key}' -H 'Content-Type: application/json' -d '${chat}'`,
    '',
    'Store a log entry:',
    '',
    `curl -s ${facts.urls.logbookUrl}/api/ingest -H 'Authorization: Bearer ${demo.logToken}' -H 'Content-Type: application/json' -d '${JSON.stringify({ entries: [entry] })}'`,
    '',
    'Read the logbook:',
    '',
    `curl -s ${facts.urls.logbookUrl}/api/ingest/entries -H 'Authorization: Bearer ${demo.logToken}'`,
  ]
}

/** The links come last, where people look when the server has started. */
function describeLinks(links: FirstLinks): string[] {
  const lines = [
    ...(links.console === null ? [] : [`  console    ${links.console}`]),
    ...(links.teamPage === null ? [] : [`  team page  ${links.teamPage}`]),
  ]
  if (lines.length === 0) return []
  const another = links.console === null ? '' : ' "npx fairgate link" creates another for the console.'
  return [`Open these in a browser. Each signs in once, within 15 minutes.${another}`, ...lines]
}
