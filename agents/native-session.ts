// `npm run test:agents -- native`: the same session of Claude Code three times: on the sandbox's Messages API itself, through the gateway to
// that API, and through the gateway's translation to another vendor. Each must end well; a table shows what the prompt cache is worth.
import {
  type Fairgate,
  startFairgate,
  upstreamKey,
} from '../packages/server/journeys/testing/start-fairgate.ts'
import { readCharges, sumCost } from '../packages/server/journeys/testing/stored-rows.ts'
import { twoKinds } from '../packages/server/journeys/testing/two-kinds.ts'
import type { Overheard } from './gateway/overhear.ts'
import { runSession } from './gateway/session-on-gateway.ts'
import { createClaude } from './programs/claude.ts'
import { installProgram, isRegistryFault } from './programs/pinned-program.ts'
import { compare, type Report } from './report.ts'

const longestSessionMs = 180_000
const agent = createClaude('2.1.331', true)

/** Nano-dollars per token, the same on all ways. */
const price = { input: 3000, cached: 300, written5m: 3750, written1h: 6000, output: 15_000 }

/** Another vendor's model at the prices of `claude-opus`. */
const translated = `
  translated-opus:
    upstream_id: gemini-3-flash-preview
    reasoning: level
    context_limit: 1000000
    max_output: 32000
    price: { input: 3.00, cached_input: 0.30, output: 15.00, reasoning: 15.00 }
`

const ways = [
  { title: 'the API itself', model: 'claude-opus-5-5', upstreamId: 'claude-opus-5-5', isNative: true },
  { title: 'the gateway', model: 'claude-opus', upstreamId: 'claude-opus-5-5', isNative: true },
  {
    title: 'the gateway, translated',
    model: 'translated-opus',
    upstreamId: 'gemini-3-flash-preview',
    isNative: false,
  },
] as const
type Way = (typeof ways)[number]

export async function runNativeSessions(report: Report): Promise<void> {
  const { title } = agent.program
  const installed = await installProgram(agent.program).catch((thrown: unknown) => ({ thrown }))
  if (typeof installed !== 'string') {
    const fault = String(installed.thrown)
    if (isRegistryFault(fault)) report.skip(`${title}: the registry cannot be reached`)
    else report.check(title, { name: 'is installed', fault })
    return
  }
  const models = twoKinds.models?.replace(/^models:\n/m, `models:${translated}`) ?? ''
  const fairgate = await startFairgate({ ...twoKinds, models })
  try {
    for (const way of ways) console.log(await runWay(way, fairgate, installed, report))
  } finally {
    await fairgate.stop()
  }
}

/** Returns a row of the table in docs/agents.md. */
async function runWay(way: Way, fairgate: Fairgate, installed: string, report: Report): Promise<string> {
  const isDirect = way === ways[0]
  const team = way.title.replaceAll(/\W+/g, '-')
  const key = isDirect ? upstreamKey : await fairgate.manage.team(team, { max_budget: 10 })
  const modelUrl = isDirect ? `${fairgate.sandbox.url}/anthropic` : fairgate.gatewayUrl
  fairgate.sandbox.resetCounters()
  const { ended, written, paid } = await runSession(agent, {
    fairgate,
    modelUrl,
    model: way.model,
    installed,
    key,
    prompt: 'Write the file that greets the world.',
    file: 'hello.txt',
    longestMs: longestSessionMs,
    beforePaid: async () => undefined,
  })
  const check = (name: string, fault: string | null) =>
    report.check(`${agent.program.title} on ${way.title}`, { name, fault })
  const isDone = compare([ended.code, written], [0, 'Written by the sandbox.\n']) === null
  check('the file is written and the session ends cleanly', isDone ? null : ended.text.slice(-1500))
  check('nothing is refused', compare([...new Set(paid.map(({ status }) => status))], [200]))
  const billed = fairgate.sandbox.counters().billed[way.upstreamId]
  if (billed === undefined) return `| ${way.title} | nothing was billed |`
  const { promptTokens, cachedTokens, cacheWrite5mTokens = 0, cacheWrite1hTokens = 0 } = billed
  if (way.isNative)
    check(
      'a later request reads from the prompt cache what an earlier one wrote',
      cachedTokens > 1_000 ? null : JSON.stringify(billed),
    )
  const cost =
    (promptTokens - cachedTokens - cacheWrite5mTokens - cacheWrite1hTokens) * price.input +
    cachedTokens * price.cached +
    cacheWrite5mTokens * price.written5m +
    cacheWrite1hTokens * price.written1h +
    (billed.candidatesTokens + billed.thoughtsTokens) * price.output
  if (!isDirect)
    check(
      'the charges are the bill of the vendor',
      compare(sumCost(await readCharges(fairgate.place, team)), cost),
    )
  const firstByteMs = await repeatFirst(modelUrl, paid)
  return `| ${[
    way.title,
    paid.length,
    promptTokens,
    cacheWrite5mTokens + cacheWrite1hTokens,
    cachedTokens,
    `$${(cost / 1e9).toFixed(4)}`,
    `${firstByteMs.toFixed(0)} ms`,
  ].join(' | ')} |`
}

const repeats = 40

/** Sends the session's first request again and again: the median of the milliseconds to the head of the answer. */
async function repeatFirst(modelUrl: string, paid: readonly Overheard[]): Promise<number> {
  const [first] = paid
  if (first === undefined) return Number.NaN
  const headers = new Headers(first.headers)
  for (const name of ['host', 'connection', 'content-length', 'accept-encoding']) headers.delete(name)
  const times: number[] = []
  for (let sent = 0; sent < repeats; sent += 1) {
    const begun = performance.now()
    const reply = await fetch(`${modelUrl}${first.path}`, { method: 'POST', headers, body: first.body })
    times.push(performance.now() - begun)
    await reply.text()
  }
  return times.toSorted((left, right) => left - right)[repeats / 2] ?? Number.NaN
}
