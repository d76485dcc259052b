// Tests a peer's promises: keys are checked, a budget holds in a race, a charge survives a crash, and calls are recorded.
import { openaiPath, openaiReply, replyTokens, vendorReply } from '../lib/run-nginx.ts'
import type { Client, Peer } from './peer.ts'
import { openPlace } from './place.ts'

const racers = 200
const affordable = 57
const callsBeforeCrash = 100
const callsAtOnce = 10
const maxCallSeconds = 120
/** How long an answer takes: enough for all calls of a race to arrive. */
const answerMs = 300
/** Time that a peer has after a crash to update its sums. */
const settleMs = 10_000

export type Findings = {
  /** Whether a call with an unknown key is refused. */
  readonly keys: boolean
  /** Calls answered in a race of 200 with a budget for 57, and in total after more calls one by one until the first refusal. */
  readonly race: { readonly atOnce: number; readonly inTheEnd: number } | null
  /** How many of 100 answered calls a restarted peer has charged and recorded, by what was killed. */
  readonly crashes: readonly Crash[]
}

type Crash = {
  readonly killed: 'gateway' | 'gateway and Redis'
  readonly answered: number
  readonly charged: number
  readonly onRecord: number | null
}

type SlowUpstream = { readonly url: string; readonly stop: () => void }

function runSlowUpstream(): SlowUpstream {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async request => {
      await request.text()
      await Bun.sleep(answerMs)
      const reply = new URL(request.url).pathname === openaiPath ? openaiReply : vendorReply
      return new Response(reply, { headers: { 'Content-Type': 'application/json' } })
    },
  })
  return { url: `http://127.0.0.1:${server.port}`, stop: () => void server.stop(true) }
}

/** The answer uses up `max_tokens` exactly, so that a gateway's hold equals its charge. */
async function makeCall({ url, model, headers }: Client): Promise<{ status: number; text: string }> {
  const reply = await fetch(url, {
    keepalive: false,
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(headers as Record<string, string>) },
    body: JSON.stringify({
      model,
      max_tokens: replyTokens.output,
      messages: [{ role: 'user', content: 'word '.repeat(200) }],
    }),
    signal: AbortSignal.timeout(maxCallSeconds * 1000),
  })
  return { status: reply.status, text: await reply.text() }
}

const isAnswered = async (client: Client) => (await makeCall(client)).status === 200

/** Headers with multiple values use the first one. */
function chooseHeaders({ headers }: Client): Record<string, string> {
  const choose = (value: string | readonly string[]) => (typeof value === 'string' ? value : (value[0] ?? ''))
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, choose(value)]))
}

/** Throws unless a call returns the upstream's answer in OpenAI's dialect. Otherwise the peer's other figures are not valid. */
export async function checkAnswer(client: Client): Promise<void> {
  const { status, text } = await makeCall({ ...client, headers: chooseHeaders(client) })
  if (status !== 200) throw new Error(`its first call got ${status}: ${text.slice(0, 100)}`)
  const { usage } = JSON.parse(text) as { usage?: { completion_tokens?: number } }
  if (usage?.completion_tokens !== replyTokens.output)
    throw new Error(`its first call got an unexpected answer: ${text.slice(0, 100)}`)
}

async function race(client: Client): Promise<{ atOnce: number; inTheEnd: number }> {
  const answers = await Promise.all(Array.from({ length: racers }, () => isAnswered(client)))
  const atOnce = answers.filter(Boolean).length
  // Holds of the other calls have been released by now.
  let inTheEnd = atOnce
  while (inTheEnd <= racers && (await isAnswered(client))) inTheEnd += 1
  return { atOnce, inTheEnd }
}

async function crash(
  peer: Peer,
  installed: string,
  upstreamUrl: string,
  withRedis: boolean,
): Promise<Crash[]> {
  const place = openPlace(installed, upstreamUrl)
  try {
    const { capClient } = await peer.start(place)
    if (capClient === undefined) return []
    const client = await capClient(10_000)
    let answered = 0
    const makeCalls = async () => {
      for (let call = 0; call < callsBeforeCrash / callsAtOnce; call += 1)
        if (await isAnswered(client)) answered += 1
    }
    await Promise.all(Array.from({ length: callsAtOnce }, makeCalls))
    await place.kill(withRedis)
    const { countCharged, countOnRecord } = await peer.start(place)
    const giveUpAt = performance.now() + settleMs
    let charged = 0
    let onRecord: number | null = null
    do {
      charged = (await countCharged?.(client.account)) ?? 0
      onRecord = (await countOnRecord?.(client.account)) ?? null
      await Bun.sleep(250)
    } while ((charged < answered || (onRecord ?? answered) < answered) && performance.now() < giveUpAt)
    const killed = withRedis ? ('gateway and Redis' as const) : ('gateway' as const)
    return [{ killed, answered, charged, onRecord }]
  } finally {
    await place.close()
  }
}

export async function tryPromises(peer: Peer, installed: string): Promise<Findings> {
  const upstream = runSlowUpstream()
  const place = openPlace(installed, upstream.url)
  try {
    const { client, capClient } = await peer.start(place)
    await checkAnswer(client)
    const foreign = { ...chooseHeaders(client), Authorization: 'Bearer sk-unknown' }
    const { status } = await makeCall({ ...client, headers: foreign })
    const keys = [400, 401, 403].includes(status)
    const raced = capClient === undefined ? null : await race(await capClient(affordable))
    const usesRedis = place.usesRedis()
    await place.close()
    const crashes = capClient === undefined ? [] : await crash(peer, installed, upstream.url, false)
    if (usesRedis) crashes.push(...(await crash(peer, installed, upstream.url, true)))
    return { keys, race: raced, crashes }
  } finally {
    await place.close()
    upstream.stop()
  }
}
