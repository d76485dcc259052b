// All agents, each on a gateway of its own, whose upstream is a sandbox that acts as a coding model; a few of them at once.
import { startFairgate } from '../../packages/server/journeys/testing/start-fairgate.ts'
import { installProgram, isRegistryFault } from '../programs/pinned-program.ts'
import type { Report } from '../report.ts'
import { type Client, clients } from './clients.ts'
import { runOnGateway, type Situation, situations } from './run-on-gateway.ts'

/** Most of their time agents wait, some of them for minutes before they repeat a refused call. */
const mostAtOnce = 3

/** `words` select programs, dialects and situations; none of a kind selects all of it. */
export async function runClients(words: readonly string[], report: Report): Promise<void> {
  const isWanted = (client: Client) => {
    const own = client.name.split(' ')
    const named = words.filter(word => clients.some(({ name }) => name.split(' ').includes(word)))
    return named.every(word => own.includes(word))
  }
  const asked = situations.filter(situation => words.includes(situation))
  const wanted = asked.length === 0 ? situations : asked
  const rows = new Map<Client, string[]>()
  const waiting = clients.filter(isWanted).sort((one, other) => patienceOf(other) - patienceOf(one))
  const programs = new Map<string, Promise<string | { readonly thrown: unknown }>>()
  const install = ({ program }: Client['agent']) => {
    const known = programs.get(program.title)
    if (known !== undefined) return known
    const installing = installProgram(program).catch((thrown: unknown) => ({ thrown }))
    programs.set(program.title, installing)
    return installing
  }
  const runClient = async (client: Client) => {
    const { title } = client.agent.program
    const [, dialect] = client.name.split(' ')
    const installed = await install(client.agent)
    if (typeof installed !== 'string') {
      const fault = String(installed.thrown)
      if (isRegistryFault(fault)) report.skip(`${title} over ${dialect}: the registry cannot be reached`)
      else report.check(`${title} over ${dialect}`, { name: 'is installed', fault })
      return
    }
    // The clock of the recorder is the real one: what the situations of one client let pass is not the time of the next.
    let passed = 0
    const passTime = (milliseconds: number) => {
      passed += milliseconds
    }
    const fairgate = await startFairgate({}, () => Date.now() + passed)
    try {
      for (const situation of listSituations(client).filter(each => wanted.includes(each))) {
        const { checks, seen } = await runOnGateway(client, situation, { fairgate, passTime, installed })
        rows.set(client, [...(rows.get(client) ?? []), seen])
        for (const check of checks) report.check(`${title} over ${dialect}, ${situation}`, check)
      }
    } finally {
      await fairgate.stop()
    }
  }
  const runNext = async (): Promise<void> => {
    const client = waiting.shift()
    if (client === undefined) return
    await runClient(client)
    await runNext()
  }
  await Promise.all(Array.from({ length: mostAtOnce }, runNext))
  for (const row of clients.flatMap(client => rows.get(client) ?? [])) console.log(row)
}

/** Those that go on asking after a refusal begin first, so that the run does not end with one of them alone. */
function patienceOf({ reactions }: Client): number {
  const attempts = reactions?.budget.attempts ?? 1
  return attempts === 'goes on' ? Number.POSITIVE_INFINITY : attempts
}

function listSituations({ reactions, compaction }: Client): readonly Situation[] {
  const usual = reactions === undefined ? ['works' as const] : situations.filter(each => each !== 'compacts')
  return compaction === undefined ? usual : [...usual, 'compacts']
}
