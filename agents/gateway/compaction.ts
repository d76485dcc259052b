// Makes the conversation of a real agent too long, so that it asks the gateway for a summary and goes on with that.
import { createWorkPlace } from '../../packages/recorder/journeys/testing/work-place.ts'
import { readCharges, runStored } from '../../packages/server/journeys/testing/stored-rows.ts'
import type { AgentProgram } from '../programs/agent.ts'
import { type EndedAgent, runAgent } from '../programs/run-agent.ts'
import { type Check, compare } from '../report.ts'
import type { Compaction } from './clients.ts'
import { isPaid, type Overheard, startTap } from './overhear.ts'
import type { EndedSession, SessionPlan } from './session-on-gateway.ts'

/** Tokens of the first answer. Codex's own prompt and tools have about 6,000. */
const answerTokens = 30_000
const limitTokens = 20_000

export type RunCompaction = {
  readonly checks: readonly Check[]
  readonly session: EndedSession
  /** The end of a row of the table of what a person sees. */
  readonly seen: string
}

/** Codex only: a long answer, then another prompt in the same session, with a limit that the answer exceeds. */
export async function runCompaction(
  agent: AgentProgram,
  compaction: Compaction,
  team: string,
  plan: SessionPlan,
): Promise<RunCompaction> {
  const { fairgate, installed, key, model, longestMs } = plan
  fairgate.sandbox.setSwitches({})
  const place = await createWorkPlace({ hook: false })
  const tap = startTap(fairgate.gatewayUrl, async () => {})
  try {
    const places = { ...place, modelUrl: tap.url, key, model }
    agent.prepare(places)
    const run = (words: readonly string[]): Promise<EndedAgent> =>
      runAgent(words, {
        folder: place.root,
        variables: { ...place.variables, ...agent.variables(places) },
        longestMs,
      })
    const story = `Tell a long story. [[sandbox: toolCalls=0; outputTokens=${answerTokens}]]`
    const told = await run(agent.command(installed, story, model))
    const limit = ['-c', `model_auto_compact_token_limit=${limitTokens}`]
    const question = 'How does it end? [[sandbox: toolCalls=0]]'
    const words = agent.command(installed, question, model)
    const ended = await run([...words.slice(0, -1), ...limit, 'resume', '--last', question])
    const paid = tap.calls.filter(call => isPaid(call.method, call.path))
    const [, asked, after] = paid
    const costs = (await readCharges(fairgate.place, team)).map(({ cost_nano }) => cost_nano / 1e9)
    const stored = await runStored(fairgate.place, 'select call_id from stored_responses where team_id = ?', [
      team,
    ])
    return {
      checks: [
        {
          name: 'it tells the story, asks for a summary, and answers from it',
          fault:
            compare([told.code, ended.code, ...paid.map(({ status }) => status)], [0, 0, 200, 200, 200]) ??
            (ended.text.includes('How does it end?') ? null : ended.text.slice(-1500)),
        },
        { name: `it asks by ${compaction}`, fault: compare(asked && kindOf(asked), compaction) },
        {
          name: 'what it sends afterwards is the summary and no longer the story',
          fault:
            asked !== undefined && after !== undefined && after.body.length * 3 < asked.body.length
              ? null
              : `${asked?.body.length} characters, then ${after?.body.length}`,
        },
        { name: 'it has nothing stored', fault: compare(stored, []) },
      ],
      session: { ended, written: null, paid },
      seen: `${paid.map(({ path }) => path).join(', ')} | ${costs.join(' + ')} USD`,
    }
  } finally {
    await tap.stop()
    place.remove()
  }
}

function kindOf({ path, body }: Overheard): Compaction | null {
  if (path.endsWith('/compact')) return 'endpoint'
  const { input, tools } = JSON.parse(body)
  if (input.at(-1)?.type === 'compaction_trigger') return 'trigger'
  return tools.length === 0 ? 'call' : null
}
