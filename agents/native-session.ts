// `npm run test:agents -- native`: Claude Code, unchanged, at the sandbox's Messages API: it must finish its work, and its prompt cache must work.
import { startFairgate, upstreamKey } from '../packages/server/journeys/testing/start-fairgate.ts'
import { runSession } from './gateway/session-on-gateway.ts'
import { createClaude } from './programs/claude.ts'
import { installProgram, isRegistryFault } from './programs/pinned-program.ts'
import { compare, type Report } from './report.ts'

const model = 'claude-opus-5-5'

export async function runNativeSession(report: Report): Promise<void> {
  const agent = createClaude('2.1.331', true)
  const title = `${agent.program.title} on the sandbox itself`
  const installed = await installProgram(agent.program).catch((thrown: unknown) => ({ thrown }))
  if (typeof installed !== 'string') {
    const fault = String(installed.thrown)
    if (isRegistryFault(fault)) report.skip(`${title}: the registry cannot be reached`)
    else report.check(title, { name: 'is installed', fault })
    return
  }
  const fairgate = await startFairgate()
  try {
    const { ended, written, paid } = await runSession(agent, {
      fairgate,
      modelUrl: `${fairgate.sandbox.url}/anthropic`,
      model,
      installed,
      key: upstreamKey,
      prompt: 'Write the file that greets the world.',
      file: 'hello.txt',
      longestMs: 180_000,
      beforePaid: async () => undefined,
    })
    const billed = fairgate.sandbox.counters().billed[model]
    const statuses = paid.map(({ status }) => status)
    report.check(title, {
      name: 'the file is written and the session ends cleanly',
      fault:
        compare([ended.code, written], [0, 'Written by the sandbox.\n']) === null
          ? null
          : ended.text.slice(-1500),
    })
    report.check(title, {
      name: 'nothing is refused',
      fault: compare([...new Set(statuses)], [200]),
    })
    report.check(title, {
      name: 'a later request reads from the prompt cache what an earlier one wrote',
      fault: (billed?.cachedTokens ?? 0) > 1_000 ? null : JSON.stringify(billed),
    })
    console.log(title, JSON.stringify(billed), `${ended.seconds.toFixed(1)} s`)
  } finally {
    await fairgate.stop()
  }
}
