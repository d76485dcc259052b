// A process for the parent that behaves as a file says (MEMBER_PLAN). The file is read at its start, like code and settings.
import { appendFileSync, readFileSync } from 'node:fs'
import { Counter, Gauge } from '../../../src/http/metric-series.ts'
import { ParentLink } from '../../../src/process/parent-link.ts'

export type MemberPlan = {
  readonly port: number
  readonly version: string
  /** The behaviour of processes with a number of at least `from`; by default of all. */
  readonly fault?: 'fails' | 'never ready' | 'dies when ready' | 'does not stop' | 'ends with 3'
  readonly from?: number
  /** How long it keeps answering when it is replaced. */
  readonly moveMs?: number
}

const planFile = process.env.MEMBER_PLAN ?? ''
const plan: MemberPlan = JSON.parse(readFileSync(planFile, 'utf8'))
const link = new ParentLink({
  send: message => process.send?.(message),
  onMessage: listen => process.on('message', listen),
})
const { number, isBesideOthers } = await link.begin
const note = (text: string) => appendFileSync(`${planFile}.events`, `${text}\n`)
note(`${number} begins ${isBesideOthers ? 'beside others' : 'alone'}`)
const fault = number >= (plan.from ?? 1) ? plan.fault : undefined
if (fault === 'fails') {
  console.error(`Process ${number} cannot start: its settings are wrong.`)
  process.exit(7)
}
if (fault === 'never ready') await new Promise(() => setInterval(() => undefined, 1000))

let isLeaving = false
const answered = new Counter('answered_total', 'Requests answered.', [])
const figures = [answered, new Gauge('version', 'Version.', () => Number(plan.version))]
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: plan.port,
  reusePort: true,
  fetch: async request => {
    const { pathname } = new URL(request.url)
    const headers = isLeaving ? { connection: 'close' } : {}
    if (pathname === '/metrics') return new Response(await link.scrape(), { headers })
    if (pathname === '/print') {
      // In multiple pieces, as a long log line may be written.
      for (let piece = 0; piece < 4; piece += 1) {
        process.stdout.write(String(number).repeat(3000))
        await Bun.sleep(1)
      }
      process.stdout.write('\n')
    }
    answered.add(1, '')
    return Response.json({ number, pid: process.pid, version: plan.version }, { headers })
  },
})
const stop = (why: string, code: number) => {
  note(`${number} ${why}`)
  if (fault === 'does not stop') return
  void server.stop(false).then(() => {
    link.sendLastFigures(figures.map(metric => metric.read()))
    process.exit(code)
  })
}
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.on(signal, () => stop(signal, fault === 'ends with 3' ? 3 : 0))
process.on('SIGHUP', () => note(`${number} SIGHUP`))
process.on('disconnect', () => stop('parent gone', 0))
link.reportReady(
  { announcement: `Ready, says ${number}.`, ports: { gateway: plan.port }, longestStopMs: 2000 },
  {
    leave: () => {
      isLeaving = true
      setTimeout(() => stop('leaves', 0), plan.moveMs ?? 300)
    },
    readFigures: () => figures.map(metric => metric.read()),
  },
)
if (fault === 'dies when ready') setTimeout(() => process.exit(9), 20)
