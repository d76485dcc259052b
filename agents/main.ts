// `npm run test:agents`: real coding agents work with a scripted model, and the logbook must contain what they did.
//
// Arguments select agents, versions or cases: `npm run test:agents -- claude nested`. The programs are installed from npm once.
import { startFairgate } from '../packages/server/journeys/testing/start-fairgate.ts'
import { cases } from './cases.ts'
import { startModelServer } from './model-server/start-model-server.ts'
import type { Agent } from './programs/agent.ts'
import { createClaude } from './programs/claude.ts'
import { codex } from './programs/codex.ts'
import { copilot } from './programs/copilot.ts'
import { gemini } from './programs/gemini.ts'
import { installProgram } from './programs/pinned-program.ts'
import { runSession } from './run-session.ts'

/** 2.1.197 is the last Claude Code that npm installs on Node 20. It does not use hooks from a parent folder. */
const agents: readonly Agent[] = [
  createClaude('2.1.197', false),
  createClaude('2.1.330', true),
  codex,
  gemini,
  copilot,
]

const words = process.argv.slice(2)
const cased = words.filter(word => cases.some(({ name }) => name === word))
const named = words.filter(word => !cased.includes(word))
const isWanted = ({ tool, program }: Agent) =>
  named.length === 0 || named.some(word => word === tool || word === program.version)

const totals = { passed: 0, failed: 0, skipped: 0 }
const say = (outcome: 'passed' | 'failed' | 'skipped', line: string) => {
  totals[outcome] += 1
  console.log(`${{ passed: 'ok     ', failed: 'FAILED ', skipped: 'skipped' }[outcome]} ${line}`)
}

const fairgate = await startFairgate()
const modelServer = startModelServer()
try {
  for (const agent of agents.filter(isWanted)) {
    const { title } = agent.program
    const installed = await installProgram(agent.program).catch((thrown: unknown) => String(thrown))
    if (installed.startsWith('Error')) {
      say('failed', `${title}: ${installed}`)
      continue
    }
    const asked = cases.filter(({ name }) => cased.length === 0 || cased.includes(name))
    for (const one of asked.filter(({ concerns }) => concerns(agent))) {
      const reason = one.isMissing(agent)
      if (reason !== null) {
        say('skipped', `${title}, ${one.name}: ${reason}`)
        continue
      }
      const checks = await runSession(agent, one, { fairgate, modelServer, installed })
      for (const { name, fault } of checks) {
        say(fault === null ? 'passed' : 'failed', `${title}, ${one.name}: ${name}`)
        if (fault !== null) console.log(`    ${fault}`)
      }
    }
  }
} finally {
  await modelServer.stop()
  await fairgate.stop()
}
console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`)
process.exit(totals.failed > 0 || totals.passed === 0 ? 1 : 0)
