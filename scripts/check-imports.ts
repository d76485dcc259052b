// Checks that imports only point downward (ARCHITECTURE.md), and prints each one that does not.
import { readFileSync } from 'node:fs'
import { dirname, join, normalize, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

type Rules = Readonly<Record<string, readonly string[]>>

/** The rooms of packages/server/src by floor, highest first. A room may import the rooms on lower floors. */
const floors: readonly (readonly string[])[] = [
  ['cli'],
  ['main.ts'],
  ['start'],
  ['admin', 'team-page'],
  ['gateway', 'operate', 'submissions', 'wall'],
  ['files'],
  ['insight', 'videos'],
  ['limits', 'upstream'],
  ['judging'],
  ['catalog', 'logbook', 'people', 'record'],
  ['directory', 'process'],
  ['world'],
  ['store'],
  ['evidence'],
  ['config', 'http', 'ledger', 'media'],
]

const server = Object.fromEntries(
  floors.flatMap((rooms, index) => rooms.map(room => [room, floors.slice(index + 1).flat()])),
)

/** Folder within packages/server/src/gateway → the folders it may import; `app.ts` means all files directly in the folder. */
const gateway: Rules = {
  'app.ts': ['endpoints', 'idempotency', 'traces', 'flow', 'call-record'],
  endpoints: ['conversation', 'flow'],
  conversation: ['flow'],
  idempotency: ['flow'],
  traces: ['flow', 'call-record'],
  flow: ['call-record'],
  'call-record': [],
}

/** The same for packages/recorder/src. */
const recorder: Rules = {
  json: [],
  terminal: [],
  git: [],
  spool: ['json'],
  tools: ['git', 'json', 'spool'],
  entry: ['git', 'json', 'tools'],
  scan: ['entry', 'git', 'json', 'spool', 'tools'],
  hook: ['entry', 'git', 'json', 'scan', 'spool', 'tools'],
  config: ['json', 'spool'],
  logbook: ['json', 'spool', 'terminal'],
  push: ['config', 'git', 'json', 'logbook', 'spool'],
  install: ['git', 'json', 'spool', 'tools'],
  connect: ['git', 'install', 'json', 'spool'],
  gateway: ['json', 'logbook'],
  verbs: [
    'config',
    'connect',
    'entry',
    'gateway',
    'git',
    'install',
    'json',
    'logbook',
    'push',
    'scan',
    'spool',
    'terminal',
    'tools',
  ],
  'main.ts': ['git', 'hook', 'install', 'spool', 'terminal', 'tools', 'verbs'],
}

/** Package → the packages of ours it may import. */
const packages: Rules = {
  contracts: [],
  server: ['contracts', 'console', 'recorder', 'sandbox'],
  console: ['contracts'],
  sandbox: ['contracts'],
  recorder: ['contracts'],
  // It writes past events with the server's modules, so no package may import it.
  rehearsal: ['contracts', 'recorder', 'server'],
}

/**
 * Folders with files that run in the database threads: TypeBox is 680 modules, and each thread would load them at every start (0.1 s of
 * processor time; a server on SQLite has two such threads).
 */
const withoutTypebox = ['packages/server/src/store/', 'packages/server/src/ledger/']

/** Package folders that the image omits (deploy/Dockerfile.dockerignore). A server that imports from them would not start there. */
const testFolders = ['hostile', 'journeys', 'mutations']

type Import = { readonly from: string; readonly to: string }

const importPattern = /^(?:import|export)\s[^'";]*?from\s+'([^']+)'|\bimport\('([^']+)'\)/gm

function readImports(file: string): Import[] {
  const source = readFileSync(join(root, file), 'utf8')
  return [...source.matchAll(importPattern)].flatMap(match => {
    const target = match[1] ?? match[2] ?? ''
    if (target === 'typebox' || target.startsWith('typebox/')) return [{ from: file, to: target }]
    if (target.startsWith('.')) return [{ from: file, to: normalize(join(dirname(file), target)) }]
    if (!target.startsWith('@fairgate/')) return []
    return [{ from: file, to: relative(root, Bun.resolveSync(target, join(root, dirname(file)))) }]
  })
}

function explain(found: Import): string | null {
  if (found.to.startsWith('typebox'))
    return withoutTypebox.some(folder => found.from.startsWith(folder))
      ? 'the database threads would load it'
      : null
  const from = found.from.split(sep)
  const to = found.to.split(sep)
  const [fromPackage = '', toPackage = ''] = [from[1], to[1]]
  if (testFolders.includes(to[2] ?? '')) return `${to[2]}/ is for tests only`
  if (fromPackage !== toPackage) {
    const allowed = packages[fromPackage]
    if (allowed === undefined) return `${fromPackage} is not in the package list of this check`
    return allowed.includes(toPackage) ? null : `${fromPackage} may not import ${toPackage}`
  }
  if (fromPackage === 'recorder') return explainFolders(recorder, from[3] ?? '', to[3] ?? '')
  if (fromPackage !== 'server') return null
  return explainFolders(server, from[3] ?? '', to[3] ?? '') ?? explainGateway(from, to)
}

function explainFolders(rules: Rules, from: string, to: string): string | null {
  if (from === to) return null
  const allowed = rules[from]
  if (allowed === undefined) return `${from}/ is not in the folder list of this check`
  return allowed.includes(to) ? null : `${from}/ may not import ${to}/`
}

/** Within the gateway, imports point downward too. Endpoints share only the files directly in endpoints/. */
function explainGateway(from: readonly string[], to: readonly string[]): string | null {
  if (from[3] !== 'gateway' || to[3] !== 'gateway') return null
  const [fromFolder, toFolder] = [gatewayFolder(from), gatewayFolder(to)]
  if (fromFolder !== 'endpoints' || toFolder !== 'endpoints') {
    return explainFolders(gateway, fromFolder, toFolder)
  }
  const isShared = to.length === 6
  return isShared || from[5] === to[5] ? null : 'an endpoint may not import another'
}

function gatewayFolder(path: readonly string[]): string {
  return path.length === 5 ? 'app.ts' : (path[4] ?? '')
}

const files = [...new Bun.Glob('packages/*/src/**/*.ts').scanSync({ cwd: root })]
  .map(file => relative('.', file))
  .filter(file => !file.endsWith('.test.ts') && !file.includes(`${sep}testing${sep}`))
const faults = files
  .flatMap(readImports)
  .flatMap(found => (explain(found) === null ? [] : [`${found.from} → ${found.to}: ${explain(found)}`]))

for (const fault of faults) console.error(fault)
console.log(`imports: ${files.length} files, ${faults.length} broken rules`)
process.exit(faults.length > 0 ? 1 : 0)
