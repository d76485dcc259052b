// Starts a separate Fairgate for a measurement, with a team without limits, and stops it afterwards.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ownRoot = fileURLToPath(new URL('../..', import.meta.url))
const adminKey = 'admin-key-of-the-bench'

export type BenchFairgate = {
  readonly gatewayUrl: string
  readonly logbookUrl: string
  readonly adminUrl: string
  readonly adminKey: string
  readonly key: string
  readonly token: string
  /** Resolves to the log token of another team. */
  readonly createTeam: (teamId: string) => Promise<string>
  /** Resolves to a gateway key of another team that has these limits. */
  readonly createKey: (teamId: string, limits: Readonly<Record<string, unknown>>) => Promise<string>
  readonly pid: number
  /** Bytes, over all its processes. */
  readonly residentMemory: () => Promise<number>
  readonly stop: () => Promise<void>
}

/** Holds all ports until the last is found, or the system could give one twice. */
export function findFreePorts(count: number): number[] {
  const servers = Array.from({ length: count }, () =>
    Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() }),
  )
  const ports = servers.map(({ port }) => port ?? 0)
  for (const server of servers) void server.stop(true)
  return ports
}

export async function waitFor(url: string): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    try {
      await fetch(url)
      return
    } catch {
      await Bun.sleep(50)
    }
  }
  throw new Error(`Nothing answers at ${url}.`)
}

/**
 * All features are on; the log is written but discarded. `root`: the folder of another build. `flags`: for `fairgate serve`. `makesTeam`: false
 * if the data folder already has the team `bench`; key and token are then empty.
 */
export async function runFairgate(
  upstreamUrl: string,
  upstreamKey: string,
  variables: Readonly<Record<string, string>> = {},
  root = ownRoot,
  flags: readonly string[] = [],
  makesTeam = true,
): Promise<BenchFairgate> {
  const folder = mkdtempSync(join(tmpdir(), 'fairgate-bench-'))
  const [gateway, logbook, admin] = findFreePorts(3)
  const program = join(root, 'packages/server/src/cli/main.ts')
  const child = Bun.spawn([process.execPath, program, 'serve', ...flags], {
    cwd: root,
    env: {
      ...process.env,
      BUN_CONFIG_MAX_HTTP_REQUESTS: '65535',
      FAIRGATE_DATA_DIR: join(folder, 'data'),
      FAIRGATE_ADMIN_KEY: adminKey,
      FAIRGATE_GATEWAY_PORT: String(gateway),
      FAIRGATE_LOGBOOK_PORT: String(logbook),
      FAIRGATE_ADMIN_PORT: String(admin),
      VENDOR_BASE_URL: upstreamUrl,
      VENDOR_API_KEY: upstreamKey,
      ...variables,
    },
    stdout: 'ignore',
    stderr: 'inherit',
  })
  const adminUrl = `http://127.0.0.1:${admin}`
  await waitFor(`${adminUrl}/health/live`).catch(error => {
    child.kill()
    throw error
  })
  const post = async (path: string, body: object): Promise<Record<string, string>> => {
    const reply = await fetch(`${adminUrl}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!reply.ok) throw new Error(await reply.text())
    return (await reply.json()) as Record<string, string>
  }
  const limits = { max_budget: 1_000_000, rpm_limit: 100_000_000, tpm_limit: 100_000_000_000 }
  const createTeam = async (teamId: string): Promise<string> => {
    await post('/team/new', { team_id: teamId, ...limits })
    const { token = '' } = await post('/log_token/generate', { team_id: teamId })
    return token
  }
  const token = makesTeam ? await createTeam('bench') : ''
  const { key = '' } = makesTeam
    ? await post('/key/generate', { team_id: 'bench', max_parallel_requests: 100_000 })
    : {}
  return {
    gatewayUrl: `http://127.0.0.1:${gateway}`,
    logbookUrl: `http://127.0.0.1:${logbook}`,
    adminUrl,
    adminKey,
    key,
    token,
    createTeam,
    createKey: async (teamId, fields) => {
      await post('/team/new', { team_id: teamId, ...limits })
      return (await post('/key/generate', { team_id: teamId, ...fields })).key ?? ''
    },
    pid: child.pid,
    residentMemory: async () => {
      const figures = await (await fetch(`${adminUrl}/metrics`)).text()
      const lines = [...figures.matchAll(/^fairgate_resident_memory_bytes(?:\{[^}]*\})? (\S+)$/gm)]
      return lines.reduce((sum, [, bytes]) => sum + Number(bytes), 0)
    },
    stop: async () => {
      child.kill('SIGTERM')
      await child.exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
