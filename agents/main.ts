// `npm run test:agents`: real coding agents of pinned versions, installed from npm once. They work with the recorder for a scripted model,
// and the logbook must contain what they did; or, with the word `gateway`, on a gateway, which must serve and charge them; or, with the word
// `native`, Claude Code with the prompt cache of Anthropic's API; with `all`, everything.
//
// Further arguments select: `npm run test:agents -- claude nested`, `npm run test:agents -- gateway codex budget`.
import { runClients } from './gateway/run-clients.ts'
import { runNativeSessions } from './native-session.ts'
import { recordSessions } from './record-sessions.ts'
import { createReport } from './report.ts'

const words = process.argv.slice(2)
const report = createReport()
const isAll = words.includes('all')
const isNative = words.includes('native')
if (isAll || !(isNative || words.includes('gateway'))) await recordSessions(isAll ? [] : words, report)
if (isAll || words.includes('gateway')) {
  await runClients(
    words.filter(word => !['all', 'gateway'].includes(word)),
    report,
  )
}
if (isAll || isNative) await runNativeSessions(report)
process.exit(report.end())
