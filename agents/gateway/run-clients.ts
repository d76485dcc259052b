// All agents, each on a gateway of its own, whose upstream is a sandbox that acts as a coding model.
import { startFairgate } from '../../packages/server/journeys/testing/start-fairgate.ts'
import { installProgram, isRegistryFault } from '../programs/pinned-program.ts'
import type { Report } from '../report.ts'
import { type Client, clients } from './clients.ts'
import { runOnGateway, type Situation, situations } from './run-on-gateway.ts'

/** `words` select programs, dialects and situations; none of a kind selects all of it. */
export async function runClients(words: readonly string[], report: Report): Promise<void> {
  const isWanted = (client: Client) => {
    const own = client.name.split(' ')
    const named = words.filter(word => clients.some(({ name }) => name.split(' ').includes(word)))
    return named.every(word => own.includes(word))
  }
  const asked = situations.filter(situation => words.includes(situation))
  const wanted = asked.length === 0 ? situations : asked
  const rows: string[] = []
  for (const client of clients.filter(isWanted)) {
    const { title } = client.agent.program
    const [, dialect] = client.name.split(' ')
    const installed = await installProgram(client.agent.program).catch((thrown: unknown) => ({ thrown }))
    if (typeof installed !== 'string') {
      const fault = String(installed.thrown)
      if (isRegistryFault(fault)) report.skip(`${title} over ${dialect}: the registry cannot be reached`)
      else report.check(`${title} over ${dialect}`, { name: 'is installed', fault })
      continue
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
        rows.push(seen)
        for (const check of checks) report.check(`${title} over ${dialect}, ${situation}`, check)
      }
    } finally {
      await fairgate.stop()
    }
  }
  for (const row of rows) console.log(row)
}

function listSituations({ reactions }: Client): readonly Situation[] {
  return reactions === undefined ? ['works'] : situations
}
