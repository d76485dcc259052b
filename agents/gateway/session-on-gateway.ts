// One session of a real agent on a real gateway, in a repository of its own: what it sent, what it wrote, and what was logged of it.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createWorkPlace, type WorkPlace } from '../../packages/recorder/journeys/testing/work-place.ts'
import { type ReadEntry, readAllEntries } from '../../packages/server/journeys/testing/logbook-client.ts'
import type { Fairgate } from '../../packages/server/journeys/testing/start-fairgate.ts'
import type { Agent, AgentProgram } from '../programs/agent.ts'
import { type EndedAgent, runAgent } from '../programs/run-agent.ts'
import { isPaid, type Overheard, startTap } from './overhear.ts'

/** Some agents exit without waiting for their last hook. */
const longestHookMs = 5_000

/** For a look at what an agent has left behind and shown. */
const isKept = process.env.KEEP_PLACES !== undefined

export type SessionPlan = {
  readonly fairgate: Fairgate
  /** What the agent takes for the API: the gateway, or the sandbox itself. */
  readonly modelUrl: string
  readonly model: string
  /** The folder of the agent's program. */
  readonly installed: string
  readonly key: string
  readonly prompt: string
  /** The model asks for this file. */
  readonly file: string
  readonly longestMs: number
  /** `index` counts paid calls from 0. */
  readonly beforePaid: (index: number) => Promise<void>
}

export type EndedSession = {
  readonly ended: EndedAgent
  /** The text of the file; null where there is none. */
  readonly written: string | null
  readonly paid: readonly Overheard[]
}

/** Without the recorder. */
export async function runSession(agent: AgentProgram, plan: SessionPlan): Promise<EndedSession> {
  const place = await createWorkPlace({ hook: false })
  try {
    return await work(agent, place, plan)
  } finally {
    leave(place)
  }
}

/** With the recorder, which writes to the board of `team`, and a push at the end. The entries are those on the board. */
export async function runRecordedSession(
  agent: Agent,
  team: string,
  plan: SessionPlan,
): Promise<EndedSession & { readonly entries: readonly ReadEntry[] }> {
  const { manage, logbookUrl } = plan.fairgate
  const { token } = await manage.token(team)
  const place = await createWorkPlace({ hook: false })
  try {
    const init = ['init', '--url', logbookUrl, '--token-stdin', '--yes', '--tools', agent.tool]
    const set = await place.recorder(init, token)
    if (set.code !== 0) throw new Error(`init: ${set.output}${set.errors}`)
    const session = await work(agent, place, plan)
    const deadline = Date.now() + longestHookMs
    const hasStopped = () => place.pending().some(({ event }) => event === agent.events.stop)
    while (!hasStopped() && Date.now() < deadline) await Bun.sleep(50)
    const pushed = await place.git(['push', '-q', 'origin', 'main'])
    if (pushed.code !== 0) throw new Error(`push: ${pushed.output}${pushed.errors}`)
    return { ...session, entries: await readAllEntries(logbookUrl, token) }
  } finally {
    leave(place)
  }
}

async function work(agent: AgentProgram, place: WorkPlace, plan: SessionPlan): Promise<EndedSession> {
  const { fairgate, installed, key, model, prompt, file, longestMs, beforePaid } = plan
  fairgate.sandbox.setSwitches({ editFile: file })
  const tap = startTap(plan.modelUrl, beforePaid)
  try {
    const places = { ...place, modelUrl: tap.url, key, model }
    agent.prepare(places)
    const ended = await runAgent(agent.command(installed, prompt, model), {
      folder: place.root,
      variables: { ...place.variables, ...agent.variables(places) },
      longestMs,
    })
    if (isKept) console.log(ended.text)
    const path = join(place.root, file)
    return {
      ended,
      written: existsSync(path) ? readFileSync(path, 'utf8') : null,
      paid: tap.calls.filter(call => isPaid(call.method, call.path)),
    }
  } finally {
    await tap.stop()
  }
}

function leave(place: WorkPlace): void {
  if (isKept) console.log(`    ${place.folder}`)
  else place.remove()
}
