// One run of a real agent on a real gateway: its team, its work, what it sent, and what was charged for it.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createWorkPlace, type WorkPlace } from '../../packages/recorder/journeys/testing/work-place.ts'
import type { ToolName } from '../../packages/recorder/src/tools/tool.ts'
import type { Fairgate } from '../../packages/server/journeys/testing/start-fairgate.ts'
import {
  type Place,
  readCharges,
  runStored,
  sumCost,
} from '../../packages/server/journeys/testing/stored-rows.ts'
import { type EndedAgent, runAgent } from '../programs/run-agent.ts'
import type { Check } from '../report.ts'
import { type Client, type Reaction, refusals } from './clients.ts'
import { isPaid, type Overheard, startTap } from './overhear.ts'

/** A model of the third generation: it refuses a loop in which its thought signatures were lost. */
const model = 'mm-3-flash-preview'
const file = 'hello.txt'
const longestHookMs = 5_000
/** Starting some of them takes 20 s of a busy machine, and opencode repeats a refusal for 90 s. */
const longestRunMs = 180_000
/** Qwen Code says after 90 s why it waits. */
const longestWaitMs = 130_000

export const situations = ['works', 'waits', ...refusals] as const
export type Situation = (typeof situations)[number]

/** For a look at what an agent has left behind and shown. */
const isKept = process.env.KEEP_PLACES !== undefined

export type RunOnGateway = {
  readonly checks: readonly Check[]
  /** For the table of what a person sees. */
  readonly seen: string
}

export type Surroundings = {
  readonly fairgate: Fairgate
  readonly passTime: (milliseconds: number) => void
  readonly installed: string
}

/** The second paid call is the one that is refused, so that the end comes in the middle of the work. */
export async function runOnGateway(
  client: Client,
  situation: Situation,
  { fairgate, passTime, installed }: Surroundings,
): Promise<RunOnGateway> {
  const { manage, gatewayUrl, place: data } = fairgate
  const team = `${client.name.replaceAll(' ', '-')}-${situation}`
  const key = await manage.team(team, { max_budget: 10, tpm_limit: 10_000_000 })
  fairgate.sandbox.setSwitches({ editFile: file })
  const tap = startTap(gatewayUrl, async index => {
    if (index !== 1) return
    if (situation === 'budget') await manage.post('/key/update', { key, max_budget: 0.000_001 })
    if (situation === 'blocked') await manage.post('/key/block', { key })
    if (situation === 'waits') await fillWindow(fairgate, key, passTime)
  })
  const place = await createWorkPlace({ hook: false })
  try {
    const { agent } = client
    const places = { ...place, modelUrl: tap.url, key, model }
    agent.prepare(places)
    const isRecorded = 'tool' in agent && situation === 'works'
    if (isRecorded) await setUpRecorder(agent.tool, place, fairgate, team)
    const ended = await runAgent(agent.command(installed, 'Write the file.', model), {
      folder: place.root,
      variables: { ...place.variables, ...agent.variables(places) },
      longestMs: reactionTo(client, situation)?.attempts === 'goes on' ? longestWaitMs : longestRunMs,
    })
    if (isKept) console.log(ended.text)
    const path = join(place.root, file)
    const written = existsSync(path) ? readFileSync(path, 'utf8') : null
    const charges = await readCharges(data, team)
    const { team_info } = await manage.teamInfo(team)
    const paid = tap.calls.filter(call => isPaid(call.method, call.path))
    const run = { client, situation, ended, written, paid }
    return {
      checks: [
        ...(situation === 'works' || situation === 'waits' ? judgeWork(run) : judgeRefusal(run)),
        {
          name: 'every answered call is charged, and the spend of the team is their sum',
          fault: compare(
            [charges.filter(({ model_id }) => model_id === model).length, Math.round(team_info.spend * 1e9)],
            [paid.filter(({ status }) => status === 200).length, sumCost(charges)],
          ),
        },
        await judgeRecord(client, paid, data, team),
        ...judgeSession(client, paid, isRecorded ? await readSessions(place) : null),
      ],
      seen: describeRun(run),
    }
  } finally {
    await tap.stop()
    if (isKept) console.log(`    ${place.folder}`)
    else place.remove()
  }
}

async function setUpRecorder(
  tool: ToolName,
  place: WorkPlace,
  { manage, logbookUrl }: Fairgate,
  team: string,
): Promise<void> {
  const { token } = await manage.token(team)
  const set = await place.recorder(
    ['init', '--url', logbookUrl, '--token-stdin', '--yes', '--tools', tool],
    token,
  )
  if (set.code !== 0) throw new Error(`init: ${set.output}${set.errors}`)
}

/** Some agents exit without waiting for their last hook, so the first entry is waited for. */
async function readSessions(place: WorkPlace): Promise<string[]> {
  const deadline = Date.now() + longestHookMs
  while (place.pending().length === 0 && Date.now() < deadline) await Bun.sleep(50)
  return [...new Set(place.pending().map(({ session_id }) => String(session_id)))]
}

/** Three seconds before it would be open again. */
async function fillWindow(
  { manage, gatewayUrl }: Fairgate,
  key: string,
  passTime: Surroundings['passTime'],
): Promise<void> {
  // Other calls of the team, a minute ago.
  passTime(61_000)
  await manage.post('/key/update', { key, rpm_limit: 20 })
  for (let sent = 0; sent < 20; sent += 1) {
    const reply = await fetch(`${gatewayUrl}/v1/embeddings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'mm-embedding-001', input: 'Hi' }),
    })
    if (!reply.ok) throw new Error(`filling the window: ${reply.status} ${await reply.text()}`)
  }
  passTime(57_000)
}

type Judged = {
  readonly client: Client
  readonly situation: Situation
  readonly ended: EndedAgent
  readonly written: string | null
  readonly paid: readonly Overheard[]
}

function judgeWork({ situation, ended, written, paid }: Judged): Check[] {
  const others = paid.filter(({ status }) => status !== 200)
  return [
    {
      name: 'the file is written and the session ends cleanly',
      fault:
        compare([ended.code, written], [0, 'Written by the sandbox.\n']) === null
          ? null
          : `code ${ended.code}, file ${written}, ${listCalls(paid)}: ${ended.text.slice(-1500)}`,
    },
    situation === 'works'
      ? { name: 'nothing is refused', fault: others.length === 0 ? null : listCalls(paid) }
      : {
          name: 'a full window is waited for, and the work goes on',
          fault:
            others.length > 0 && others.every(({ status }) => status === 429)
              ? null
              : `${listCalls(paid)}: ${ended.text.slice(-1500)}`,
        },
  ]
}

function reactionTo({ reactions }: Client, situation: Situation): Reaction | undefined {
  return situation === 'works' || situation === 'waits' ? undefined : reactions?.[situation]
}

function judgeRefusal({ client, situation, ended, paid }: Judged): Check[] {
  const reaction = reactionTo(client, situation)
  if (reaction === undefined) throw new Error(`${client.name} has no reaction to ${situation}.`)
  const refused = paid.filter(({ status }) => status !== 200).length
  const { attempts, shows } = reaction
  const text: Check = {
    name: `it shows "${shows}"`,
    fault: ended.text.includes(shows) ? null : ended.text.slice(-1500),
  }
  const asked = `${refused} refused calls: ${listCalls(paid)}`
  if (attempts === 'goes on') {
    const isSo = ended.isKilled && refused > 3 && refused < 20
    return [{ name: 'it goes on asking, with growing pauses', fault: isSo ? null : asked }, text]
  }
  return [
    {
      name: attempts === 1 ? 'it asks once and ends' : `it asks ${attempts} times and ends`,
      fault: refused === attempts && !ended.isKilled ? null : asked,
    },
    text,
  ]
}

/** What the gateway keeps of the calls that it answered: whose program made them, in which session. */
async function judgeRecord(
  { name, session }: Client,
  paid: readonly Overheard[],
  data: Place,
  team: string,
): Promise<Check> {
  const kept = await runStored<{ tool: string | null; session_id: string | null }>(
    data,
    'select tool, session_id from calls where team_id = ? and model_served = ? order by call_id',
    [team, model],
  )
  const [tool] = name.split(' ')
  const header = session !== null && session !== 'body' ? session.header : null
  const sent = paid
    .filter(({ status }) => status === 200)
    .map(({ headers, body }) => {
      const inBody = session === 'body' ? (/session-state\/([\w-]+)/.exec(body)?.[1] ?? null) : null
      return { tool, session_id: header === null ? inBody : headers.get(header) }
    })
  return { name: 'each answered call is on record with its tool and session', fault: compare(kept, sent) }
}

/** `recorded`: the ids of the sessions that the recorder's entries name; null where it does not run. */
function judgeSession({ session }: Client, paid: readonly Overheard[], recorded: string[] | null): Check[] {
  if (session === null) return []
  if (session === 'body') {
    if (recorded === null) return []
    const [id = ''] = recorded
    const isSo = recorded.length === 1 && paid.every(({ body }) => body.includes(id))
    return [
      {
        name: 'each call has, in its text, the id of the session that the entries carry',
        fault: isSo ? null : recorded.join(', '),
      },
    ]
  }
  const ids = [...new Set(paid.map(({ headers }) => headers.get(session.header)))]
  const isOne = ids.length === 1 && Boolean(ids[0])
  return [
    {
      name: `each call carries the id of the session in ${session.header}`,
      fault: isOne ? null : ids.join(', '),
    },
    ...(recorded === null
      ? []
      : [{ name: 'and the entries of the recorder carry the same', fault: compare(recorded, ids) }]),
  ]
}

function compare(found: unknown, wanted: unknown): string | null {
  const [left, right] = [JSON.stringify(found), JSON.stringify(wanted)]
  return left === right ? null : `${left}, not ${right}`
}

function listCalls(paid: readonly Overheard[]): string {
  return paid.map(({ status, at, path }) => `${status} ${path} at ${at.toFixed(1)} s`).join(', ')
}

function describeRun({ client, situation, ended, paid }: Judged): string {
  const statuses = paid.map(({ status }) => status).join(' ')
  const end = ended.isKilled ? 'still asking' : `exit ${ended.code}`
  return `| ${client.name} | ${situation} | ${statuses} | ${end} after ${ended.seconds.toFixed(0)} s |`
}
