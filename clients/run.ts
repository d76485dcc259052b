// `npm run test:clients`: real clients against a Fairgate with its sandbox. Each call of a check is compared with its row in the ledger. The last line has the
// totals. `-- all` also runs the frameworks and the clients in Go and Java, and writes docs/clients.md.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sampleFiles } from '../packages/server/journeys/testing/sample-files.ts'
import { adminKey, startFairgate, upstreamKey } from '../packages/server/journeys/testing/start-fairgate.ts'
import { openBooks } from './books.ts'
import {
  MissingTool,
  type Prepare,
  prepareGo,
  prepareJava,
  prepareNode,
  prepareNodeVersion,
  preparePython,
} from './prepare.ts'
import { writeTokenCache } from './token-cache.ts'
import { type ClientRun, writeClientsPage } from './write-page.ts'

type Client = {
  readonly name: string
  /** Whose programs it is for; null if it is no client of its own and has no row in docs/clients.md. */
  readonly language: string | null
  /** The command that runs its checks. The client is installed first if needed. */
  readonly prepare: () => Promise<readonly string[]>
}

const here = fileURLToPath(new URL('.', import.meta.url))
const cache = join(here, '.cache')
const page = fileURLToPath(new URL('../docs/clients.md', import.meta.url))
const checkSeconds = 240

const prepare: Prepare = {
  log: line => console.log(line),
  run: async (command, seconds) => {
    const child = Bun.spawn([...command], {
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      timeout: seconds * 1000,
    })
    const [out, err] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ])
    if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed:\n${out}${err}`)
  },
}

const pythonClient = (name: string, program: string, lock: string): Client => ({
  name,
  language: 'Python',
  prepare: async () => {
    const lockFile = join(here, 'python', `${lock}.txt`)
    const python = await preparePython(prepare, join(cache, lock), lockFile)
    return [python, join(here, 'python', program)]
  },
})

/** A program of `node/` next to the packages of a lock file. It is copied there, since Node looks for packages above a program. */
async function prepareProgram(program: string, project: string, folder: string): Promise<string> {
  await prepareNode(prepare, project, folder)
  for (const name of [program, 'harness.mjs']) cpSync(join(here, 'node', name), join(folder, name))
  return join(folder, program)
}

const [installedNode = ''] = /\d+/.exec(Bun.spawnSync(['node', '--version']).stdout.toString()) ?? []

/** Runs on the installed Node, with packages that need Node 20. */
const nodeClient = (name: string, program: string): Client => ({
  name,
  language: `Node ${installedNode}`,
  prepare: async () => ['node', await prepareProgram(program, join(here, 'node'), join(cache, 'node'))],
})

/** The same program with newer packages, which need Node 22. */
const latestNodeClient = (name: string, program: string, major: number): Client => ({
  name: `${name}-latest-${major}`,
  language: `Node ${major}`,
  prepare: async () => {
    const versions = join(here, 'node', 'versions')
    const node = await prepareNodeVersion(prepare, versions, join(cache, 'node-versions'), major)
    return [node, await prepareProgram(program, join(here, 'node', 'latest'), join(cache, 'node-latest'))]
  },
})

/** Run with both sets of packages. */
const nodePrograms = {
  'openai-node': 'check-openai.mjs',
  'google-genai-node': 'check-google-genai.mjs',
  'langchain-node': 'check-langchain.mjs',
  'ai-sdk': 'check-ai-sdk.mjs',
  'ai-sdk-react': 'check-ai-sdk-react.mjs',
}

/** What `npm run test:clients` runs by itself: the vendors' own clients, and those that programs most often call them through. */
const everyDay: readonly Client[] = [
  pythonClient('openai', 'check_openai.py', 'requirements'),
  pythonClient('anthropic', 'check_anthropic.py', 'requirements'),
  { ...pythonClient('anthropic-sandbox', 'check_anthropic_sandbox.py', 'requirements'), language: null },
  pythonClient('google-genai', 'check_google_genai.py', 'requirements'),
  pythonClient('google-genai-2', 'check_google_genai.py', 'requirements-google-genai-2'),
  pythonClient('langchain-openai', 'check_langchain.py', 'requirements'),
  // It pins an older openai, so it needs its own environment.
  pythonClient('litellm', 'check_litellm.py', 'requirements-litellm'),
  {
    name: 'snippets',
    language: null,
    // What the team's page gives people to copy, in the environment of the other Python clients.
    prepare: async () => {
      const lockFile = join(here, 'python', 'requirements.txt')
      const python = await preparePython(prepare, join(cache, 'requirements'), lockFile)
      return [process.execPath, join(here, 'check-snippets.ts'), python]
    },
  },
  nodeClient('anthropic-node', 'check-anthropic.mjs'),
  ...Object.entries(nodePrograms).map(([name, program]) => nodeClient(name, program)),
]

/** Also run by `npm run test:clients -- all`. They need 1.5 GB of packages, or tools that few machines have. */
const campaign: readonly Client[] = [
  ...Object.entries(nodePrograms).flatMap(([name, program]) =>
    [22, 24, 26].map(major => latestNodeClient(name, program, major)),
  ),
  pythonClient('openai-agents', 'check_openai_agents.py', 'requirements-frameworks'),
  pythonClient('pydantic-ai', 'check_pydantic_ai.py', 'requirements-frameworks'),
  pythonClient('instructor', 'check_instructor.py', 'requirements-frameworks'),
  pythonClient('smolagents', 'check_smolagents.py', 'requirements-frameworks'),
  pythonClient('haystack', 'check_haystack.py', 'requirements-frameworks'),
  pythonClient('llama-index', 'check_llama_index.py', 'requirements-older-openai'),
  pythonClient('dspy', 'check_dspy.py', 'requirements-litellm'),
  pythonClient('crewai', 'check_crewai.py', 'requirements-older-openai'),
  {
    name: 'go',
    language: 'Go',
    prepare: async () => [await prepareGo(prepare, join(here, 'go'), join(cache, 'go-clients'))],
  },
  {
    name: 'spring-ai',
    language: 'Java',
    prepare: async () => {
      const libraries = join(cache, 'java')
      await prepareJava(prepare, join(here, 'java'), libraries)
      return ['java', '-cp', join(libraries, '*'), join(here, 'java', 'CheckSpringAi.java')]
    },
  },
]

/** Runs every day, and last: its requests to the admin door change the whole event. */
const documents: Client = {
  ...pythonClient('openapi', 'check_openapi.py', 'requirements-schemathesis'),
  language: null,
}

const clients: readonly Client[] = [...everyDay, ...campaign, documents]

type Totals = { passed: number; failed: number; skipped: number }

/** Runs the checks of one client with its own team. Returns what it printed, and counts its lines. */
async function runClient(
  command: readonly string[],
  variables: Record<string, string>,
): Promise<Totals & { readonly output: string }> {
  const { PATH = '', HOME = '', LANG = 'C.UTF-8' } = process.env
  const child = Bun.spawn([...command], {
    env: {
      PATH,
      HOME,
      LANG,
      PYTHONUTF8: '1',
      PYTHONDONTWRITEBYTECODE: '1',
      PYTHONWARNINGS: 'ignore',
      ...variables,
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
    timeout: checkSeconds * 1000,
  })
  const decoder = new TextDecoder()
  let output = ''
  for await (const bytes of child.stdout) {
    const text = decoder.decode(bytes, { stream: true })
    process.stdout.write(text)
    output += text
  }
  const code = await child.exited
  const count = (word: string) => output.match(new RegExp(`^${word} `, 'gm'))?.length ?? 0
  const totals = { passed: count('ok'), failed: count('FAILED'), skipped: 0, output }
  // A program that broke off has no failed check, only an exit code.
  if (code === 0 || totals.failed > 0) return totals
  console.log(
    `FAILED  ${command.at(-1)} ended with ${code}${child.signalCode === null ? '' : ` (${child.signalCode})`}`,
  )
  return { ...totals, failed: 1 }
}

async function writeSample(folder: string, name: 'image' | 'file'): Promise<string> {
  const file = sampleFiles[name]?.()
  if (file === undefined) throw new Error(`There is no sample ${name}.`)
  const path = join(folder, file.name)
  writeFileSync(path, await file.bytes())
  return path
}

/** For the page. */
function note({ name, language }: Client, output: string, missing: string | null): void {
  if (language !== null) runs.push({ name, language, output, missing })
}

const asked = process.argv.slice(2)
const isWhole = asked.length === 1 && asked[0] === 'all'
const unknown = isWhole ? undefined : asked.find(name => !clients.some(client => client.name === name))
if (unknown !== undefined) {
  console.error(
    `There is no client "${unknown}". Choose all, or some of ${clients.map(({ name }) => name).join(', ')}.`,
  )
  process.exit(2)
}
const chosen = isWhole
  ? clients
  : asked.length === 0
    ? everyDay
    : clients.filter(({ name }) => asked.includes(name))

// A developer's own settings must not reach the server.
for (const name of Object.keys(process.env))
  if (/^(FAIRGATE_|VENDOR_|DATABASE_URL$|TEST_POSTGRES_URL$)/.test(name)) delete process.env[name]

const runs: ClientRun[] = []
const totals: Totals = { passed: 0, failed: 0, skipped: 0 }
const folder = mkdtempSync(join(tmpdir(), 'fairgate-clients-'))
mkdirSync(cache, { recursive: true })
const fairgate = await startFairgate()
const books = openBooks(fairgate)
try {
  const variables = {
    CLIENTS_GATEWAY_URL: fairgate.gatewayUrl,
    CLIENTS_LOGBOOK_URL: fairgate.logbookUrl,
    CLIENTS_ADMIN_URL: fairgate.adminUrl,
    CLIENTS_ADMIN_KEY: adminKey,
    CLIENTS_SANDBOX_URL: fairgate.sandbox.url,
    CLIENTS_BOOKS_URL: books.url,
    CLIENTS_SANDBOX_KEY: upstreamKey,
    CLIENTS_IMAGE: await writeSample(folder, 'image'),
    CLIENTS_AUDIO: await writeSample(folder, 'file'),
    // Otherwise both would be fetched from the internet.
    TIKTOKEN_CACHE_DIR: await writeTokenCache(join(cache, 'tiktoken')),
    LITELLM_LOCAL_MODEL_COST_MAP: 'True',
  }
  for (const client of chosen) {
    try {
      const command = await client.prepare()
      const key = await fairgate.manage.team(client.name, { max_budget: 100 })
      const counted = await runClient(command, { ...variables, CLIENTS_KEY: key })
      note(client, counted.output, /^(?:ok|FAILED) /m.test(counted.output) ? null : 'Its program broke off.')
      for (const name of ['passed', 'failed', 'skipped'] as const) totals[name] += counted[name]
    } catch (error) {
      const isMissing = error instanceof MissingTool
      if (isMissing) totals.skipped += 1
      else totals.failed += 1
      const message = error instanceof Error ? error.message : String(error)
      console.log(`${isMissing ? 'SKIPPED' : 'FAILED'}  ${client.name}: ${message}`)
      note(client, '', message)
    }
  }
} finally {
  await books.stop()
  await fairgate.stop()
  rmSync(folder, { recursive: true, force: true })
}
if (isWhole) writeFileSync(page, writeClientsPage(runs))
console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`)
process.exit(totals.failed > 0 || totals.skipped > 0 || totals.passed === 0 ? 1 : 0)
