// All agents with the recorder, for a model that follows a script: the logbook must contain what they did.
import { startFairgate } from '../packages/server/journeys/testing/start-fairgate.ts'
import { cases } from './cases.ts'
import { startModelServer } from './model-server/start-model-server.ts'
import type { Agent } from './programs/agent.ts'
import { createClaude } from './programs/claude.ts'
import { createCodex } from './programs/codex.ts'
import { createCopilot } from './programs/copilot.ts'
import { gemini } from './programs/gemini.ts'
import { installProgram, isRegistryFault } from './programs/pinned-program.ts'
import type { Report } from './report.ts'
import { runSession } from './run-session.ts'

/** 2.1.197 is the last Claude Code that npm installs on Node 20. It does not use hooks from a parent folder. */
const agents: readonly Agent[] = [
  createClaude('2.1.197', false),
  createClaude('2.1.331', true),
  createCodex({ request: 0, stream: 0 }),
  gemini,
  createCopilot('messages'),
]

/** `words` select agents, versions or cases; none of a kind selects all of it. */
export async function recordSessions(words: readonly string[], report: Report): Promise<void> {
  const cased = words.filter(word => cases.some(({ name }) => name === word))
  const named = words.filter(word => !cased.includes(word))
  const isWanted = ({ tool, program }: Agent) =>
    named.length === 0 || named.some(word => word === tool || word === program.version)
  const fairgate = await startFairgate()
  const modelServer = startModelServer()
  try {
    for (const agent of agents.filter(isWanted)) {
      const { title } = agent.program
      const installed = await installProgram(agent.program).catch((thrown: unknown) => ({ thrown }))
      if (typeof installed !== 'string') {
        const fault = String(installed.thrown)
        if (isRegistryFault(fault)) report.skip(`${title}: the registry cannot be reached`)
        else report.check(title, { name: 'is installed', fault })
        continue
      }
      const asked = cases.filter(({ name }) => cased.length === 0 || cased.includes(name))
      for (const one of asked.filter(({ concerns }) => concerns(agent))) {
        const reason = one.isMissing(agent)
        if (reason !== null) {
          report.skip(`${title}, ${one.name}: ${reason}`)
          continue
        }
        const checks = await runSession(agent, one, { fairgate, modelServer, installed })
        for (const check of checks) report.check(`${title}, ${one.name}`, check)
      }
    }
  } finally {
    await modelServer.stop()
    await fairgate.stop()
  }
}
