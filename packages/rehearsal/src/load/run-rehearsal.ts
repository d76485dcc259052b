// Runs a rehearsal against a server's doors: creates teams, lets them work, counts, and cleans up.
import { AdminCaller } from '../admin-caller.ts'
import { judgeRehearsal, type RehearsalFigures, type Verdict } from './judge-rehearsal.ts'
import { type RehearsalModels, teamLimits } from './plan-rehearsal.ts'
import { RehearsalTeam, type RehearsalWorld, type TeamCredentials } from './rehearsal-team.ts'
import { Tally } from './tally.ts'

export type RehearsalServer = {
  readonly gatewayUrl: string
  readonly logbookUrl: string
  readonly adminUrl: string
  readonly adminKey: string
  /** Figures that are not available over HTTP; null if the server is elsewhere. */
  readonly machine: {
    readonly readDataBytes: () => number
    readonly readFreeBytes: () => Promise<number>
    readonly memoryBytes: number
  } | null
}

export type RehearsalRequest = {
  readonly teams: number
  readonly milliseconds: number
  /** USD for each team. */
  readonly budget: number
  /** Prefix of team names, so that two rehearsals do not collide. */
  readonly name: string
  readonly server: RehearsalServer
  /** Aborted to stop early. */
  readonly interrupted: AbortSignal
  readonly report: (line: string) => void
}

export type RehearsalResult = RehearsalFigures & Verdict

/** Time for running calls and last pushes to finish after the time is up. */
const graceMs = 30_000
const progressMs = 10_000
const busiestMs = 10_000
const sampleMs = 1000

/** Throws an Error when the server refuses an admin request. */
export async function runRehearsal(
  request: RehearsalRequest,
  world: RehearsalWorld,
): Promise<RehearsalResult> {
  const { server, report, interrupted } = request
  const admin = new AdminCaller(server, world.fetch)
  const models = await chooseModels(admin)
  report(`Creating ${request.teams} teams …`)
  const made: TeamCredentials[] = []
  try {
    for (let number = 1; number <= request.teams && !interrupted.aborted; number += 1)
      made.push(await makeTeam(admin, request, number))
    return await work(made, models, admin, request, world)
  } finally {
    report('Removing the teams …')
    // Our own server is discarded with its data.
    if (server.machine === null) for (const team of made) await retireTeam(admin, team)
  }
}

async function work(
  credentials: readonly TeamCredentials[],
  models: RehearsalModels,
  admin: AdminCaller,
  request: RehearsalRequest,
  world: RehearsalWorld,
): Promise<RehearsalResult> {
  const { server, milliseconds, interrupted, report } = request
  const tally = new Tally()
  const timeIsUp = new AbortController()
  const over = AbortSignal.any([timeIsUp.signal, interrupted])
  const cut = new AbortController()
  const startedAt = world.stopwatch()
  const surroundings = { world, ...server, models, tally, over, cut: cut.signal, startedAt }
  const bytesBefore = server.machine?.readDataBytes() ?? 0
  report(
    `${credentials.length} teams working for ${Math.round(milliseconds / 1000)} s. Press Ctrl-C to stop early and see the figures so far.`,
  )
  const running = Promise.all(credentials.map(team => new RehearsalTeam(team, surroundings).run()))
  const samples = new Samples()
  const watching = watch()
  await world.wait(milliseconds, over)
  timeIsUp.abort()
  const workedMs = world.stopwatch() - startedAt
  const patience = new AbortController()
  await Promise.race([running, world.wait(graceMs, patience.signal)])
  patience.abort()
  cut.abort()
  await Promise.all([running, watching])
  // Charges and entries reach the disk with their answers, so the working time alone counts.
  const seconds = workedMs / 1000
  const figures = tally.read()
  const grown = (server.machine?.readDataBytes() ?? 0) - bytesBefore
  const result: RehearsalFigures = {
    ...figures,
    teams: credentials.length,
    seconds: round(seconds),
    is_interrupted: interrupted.aborted,
    calls_per_second: round(figures.calls / seconds),
    entries_per_second: round(figures.entries / seconds),
    busiest_calls_per_second: round(samples.busiest()),
    disk_bytes_per_hour: server.machine === null ? null : Math.round((grown / seconds) * 3600),
    free_disk_bytes: (await server.machine?.readFreeBytes()) ?? null,
    peak_memory_bytes: samples.peakMemory,
    machine_memory_bytes: server.machine?.memoryBytes ?? null,
    money: await readMoney(admin, credentials),
  }
  return { ...result, ...judgeRehearsal(result) }

  async function watch(): Promise<void> {
    let reportedAt = startedAt
    while (!over.aborted) {
      await world.wait(sampleMs, over)
      const now = world.stopwatch()
      const { calls, refusals, failures, entries } = tally.read()
      samples.add(now, calls, await readMemory(server, world))
      if (now - reportedAt < progressMs) continue
      reportedAt = now
      const count = (counts: Readonly<Record<string, number>>) =>
        Object.values(counts).reduce((sum, more) => sum + more, 0)
      report(
        `${String(Math.round((now - startedAt) / 1000)).padStart(5)} s  ${calls} calls, ${count(refusals)} refused, ${count(failures)} failed, ${entries} entries`,
      )
    }
  }
}

/** Samples call counts over time to find the busiest stretch. */
class Samples {
  readonly #points: { readonly at: number; readonly calls: number }[] = []
  peakMemory: number | null = null

  add(at: number, calls: number, memory: number | null): void {
    this.#points.push({ at, calls })
    if (memory !== null) this.peakMemory = Math.max(this.peakMemory ?? 0, memory)
  }

  /** Calls per second in the busiest ten seconds, or over the whole of a shorter rehearsal. */
  busiest(): number {
    let most = 0
    let first = 0
    for (const last of this.#points) {
      while ((this.#points[first + 1]?.at ?? Number.POSITIVE_INFINITY) <= last.at - busiestMs) first += 1
      const start = this.#points[first]
      if (start === undefined || last.at <= start.at) continue
      const rate = ((last.calls - start.calls) / (last.at - start.at)) * 1000
      if (last.at - start.at >= busiestMs || first === 0) most = Math.max(most, rate)
    }
    return most
  }
}

/** The sandbox plays only the vendor; models of other upstreams are real ones. The cheapest are enough. */
async function chooseModels(admin: AdminCaller): Promise<RehearsalModels> {
  const { models } = await admin.get('/catalog')
  const known = (Array.isArray(models) ? models : [])
    .map((model): CatalogRow => Object(model))
    .filter(
      ({ upstream, id, retires_on }) => upstream === 'vendor' && !id.includes('*') && retires_on === null,
    )
  const cheapest = (modality: string, member: string) =>
    known
      .filter(model => model.modality === modality)
      .sort((left, right) => (left.price[member] ?? 0) - (right.price[member] ?? 0))
      .map(({ id }) => id)
  const chat = cheapest('chat', 'output').slice(0, 3)
  if (chat.length === 0)
    throw new Error('The catalog has no chat model from the vendor. The rehearsal needs one.')
  return { chat, embedding: cheapest('embedding', 'input')[0] ?? null }
}

type CatalogRow = {
  readonly id: string
  readonly modality: string
  readonly upstream: string
  readonly retires_on: string | null
  readonly price: Readonly<Record<string, number>>
}

async function makeTeam(
  admin: AdminCaller,
  { name, budget }: RehearsalRequest,
  number: number,
): Promise<TeamCredentials> {
  const teamId = `${name}-${String(number).padStart(3, '0')}`
  const team = { team_id: teamId, team_alias: 'Rehearsal', max_budget: budget, ...teamLimits }
  await admin.post('/team/new', team)
  const { key } = await admin.post('/key/generate', { team_id: teamId, key_alias: 'rehearsal' })
  const { token } = await admin.post('/log_token/generate', { team_id: teamId })
  return { teamId, key: String(key), token: String(token), isLoop: number === 1 }
}

/** Keeps the team for spend reports, but revokes its credentials and blocks it. */
async function retireTeam(admin: AdminCaller, { teamId, key, token }: TeamCredentials): Promise<void> {
  await admin.post('/key/delete', { keys: [key] }).catch(() => undefined)
  await admin.post('/log_token/revoke', { token_id: token }).catch(() => undefined)
  await admin.post('/team/block', { team_id: teamId }).catch(() => undefined)
}

async function readMoney(
  admin: AdminCaller,
  teams: readonly TeamCredentials[],
): Promise<RehearsalFigures['money']> {
  const ids = new Set(teams.map(({ teamId }) => teamId))
  let proven = true
  let spend = 0
  for (const teamId of ids) {
    const { ok } = await admin.get(`/spend/verify?team_id=${encodeURIComponent(teamId)}`)
    proven &&= ok === true
    const { team_info: info } = await admin.get(`/team/info?team_id=${encodeURIComponent(teamId)}`)
    spend += Math.round(Number(Object(info).spend) * 1e9)
  }
  return { spend_nano: spend, proven }
}

/** Null if the figure is not available. */
async function readMemory({ adminUrl }: RehearsalServer, { fetch }: RehearsalWorld): Promise<number | null> {
  try {
    const response = await fetch(`${adminUrl}/metrics`, { signal: AbortSignal.timeout(5000) })
    const lines = (await response.text()).matchAll(/^fairgate_resident_memory_bytes(?:\{[^}]*\})? (\S+)$/gm)
    const sum = [...lines].reduce((total, [, bytes]) => total + Number(bytes), 0)
    return sum > 0 ? sum : null
  } catch {
    return null
  }
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
