// One situation of a real agent on a real gateway: its team, its work, what was charged and recorded, and what a person sees.
import type { Fairgate } from '../../packages/server/journeys/testing/start-fairgate.ts'
import {
  type Place,
  readCharges,
  runStored,
  type StoredCharge,
  sumCost,
  untilFiled,
} from '../../packages/server/journeys/testing/stored-rows.ts'
import type { Agent } from '../programs/agent.ts'
import { type Check, compare } from '../report.ts'
import { type Client, type Reaction, refusals } from './clients.ts'
import { runCompaction } from './compaction.ts'
import { judgeCovered, judgeUncovered, readCoverage, type Spent } from './judge-coverage.ts'
import type { Overheard } from './overhear.ts'
import { type EndedSession, runRecordedSession, runSession, type SessionPlan } from './session-on-gateway.ts'

/** Starting some of them takes 20 s of a busy machine, and opencode repeats a refusal for 90 s. */
const longestRunMs = 180_000
/** Qwen Code says after 90 s why it waits. */
const longestWaitMs = 130_000
const minuteMs = 60_000
/** So long after its last entry a session is no longer taken for one that goes on, and its texts are no longer near. */
const afterSessionMs = 16 * minuteMs
/** The gateway tells the coverage of a team again. */
const afterAnswerMs = 11_000
/** Nothing is pending any longer. */
const afterWaitMs = 25 * 60 * minuteMs

/** A model of the third generation: it refuses a loop in which its thought signatures were lost. */
const model = 'mm-3-flash-preview'

export const situations = ['works', 'waits', ...refusals, 'compacts'] as const
export type Situation = (typeof situations)[number]

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
  surroundings: Surroundings,
): Promise<RunOnGateway> {
  const { fairgate, passTime, installed } = surroundings
  const { manage } = fairgate
  const team = `${client.name.replaceAll(' ', '-')}-${situation}`
  const key = await manage.team(team, { max_budget: 10, tpm_limit: 10_000_000 })
  const plan: SessionPlan = {
    fairgate,
    modelUrl: fairgate.gatewayUrl,
    model,
    installed,
    key,
    prompt: 'Write the file that greets the world.',
    file: 'hello.txt',
    longestMs: reactionTo(client, situation)?.attempts === 'goes on' ? longestWaitMs : longestRunMs,
    beforePaid: async index => {
      if (index !== 1) return
      if (situation === 'budget') await manage.post('/key/update', { key, max_budget: 0.000_001 })
      if (situation === 'blocked') await manage.post('/key/block', { key })
      if (situation === 'waits') await fillWindow(fairgate, key, passTime)
    },
  }
  const { agent } = client
  if (client.compaction !== undefined && situation === 'compacts') {
    const { checks, session, seen } = await runCompaction(client.agent, client.compaction, team, plan)
    const row = `| ${client.name} | ${situation} | ${seen} |`
    return { checks: [...checks, ...(await judgeBooks(client, session, fairgate, team))], seen: row }
  }
  if ('tool' in agent && situation === 'works')
    return await runCovered({ ...client, agent }, team, plan, passTime)
  const session = await runSession(agent, plan)
  const run = { client, situation, ...session }
  return {
    checks: [
      ...(situation === 'works' || situation === 'waits' ? judgeWork(run) : judgeRefusal(run)),
      ...(await judgeBooks(client, session, fairgate, team)),
    ],
    seen: describeRun(run),
  }
}

/** A session with the recorder, and later one with another key of the same team and without it. */
async function runCovered(
  client: Client & { readonly agent: Agent },
  team: string,
  plan: SessionPlan,
  passTime: Surroundings['passTime'],
): Promise<RunOnGateway> {
  const { fairgate } = plan
  const situation = 'works'
  const by = client.session === null ? 'text' : 'session'
  const recorded = await runRecordedSession(client.agent, team, plan)
  const run = { client, situation, ...recorded } as const
  const covered = addUp(await readCharges(fairgate.place, team))
  const ids = [...new Set(recorded.entries.map(({ session_id }) => String(session_id)))]
  const checks = [
    ...judgeWork(run),
    ...(await judgeBooks(client, recorded, fairgate, team)),
    ...(client.session === null
      ? []
      : [
          {
            name: 'the entries of the recorder carry the id of the session that is on record',
            fault: compare(ids, await readSessions(fairgate.place, team)),
          },
        ]),
    judgeCovered(by, await readCoverage(fairgate, team), covered),
  ]
  passTime(afterSessionMs)
  const unrecorded = await runSession(client.agent, {
    ...plan,
    key: await fairgate.manage.key(team),
    prompt: 'Write the file that bids the world farewell.',
    file: 'farewell.txt',
  })
  passTime(afterWaitMs)
  const all = addUp(await readCharges(fairgate.place, team))
  const uncovered = { calls: all.calls - covered.calls, cost: all.cost - covered.cost }
  const others = (await readSessions(fairgate.place, team)).filter(id => !ids.includes(id))
  const spent = { covered, uncovered, ids: others }
  const found = judgeUncovered(by, await readCoverage(fairgate, team), spent)
  const foundByText: Check[] = []
  if (by === 'session') {
    await forgetSessions(fairgate.place, team, ids)
    passTime(afterAnswerMs)
    const { name, fault } = judgeUncovered('text', await readCoverage(fairgate, team), spent)
    foundByText.push({ name: `if the recorded calls named no session, by their texts: ${name}`, fault })
  }
  return {
    checks: [
      ...checks,
      ...judgeWork({ client, situation, ...unrecorded }).map(({ name, fault }) => ({
        name: `another key without the recorder: ${name}`,
        fault,
      })),
      found,
      ...foundByText,
    ],
    seen: describeRun(run),
  }
}

/** Past the server: as if the tool did not name its sessions in its calls. */
async function forgetSessions(place: Place, team: string, ids: readonly string[]): Promise<void> {
  for (const id of ids)
    await runStored(place, 'update calls set session_id = null where team_id = ? and session_id = ?', [
      team,
      id,
    ])
}

function addUp(charges: readonly StoredCharge[]): Spent {
  return { calls: charges.length, cost: sumCost(charges) }
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

type Judged = EndedSession & { readonly client: Client; readonly situation: Situation }

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
  return situation === 'budget' || situation === 'blocked' ? reactions?.[situation] : undefined
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

/** What the gateway keeps of the calls that it answered: what they cost, whose program made them, and in which session. */
async function judgeBooks(
  { name, session }: Client,
  { paid }: EndedSession,
  { place, manage }: Fairgate,
  team: string,
): Promise<Check[]> {
  const answered = paid.filter(({ status }) => status === 200)
  const charges = await readCharges(place, team)
  await untilFiled(place)
  const { team_info } = await manage.teamInfo(team)
  const kept = await runStored<{ tool: string | null; session_id: string | null }>(
    place,
    'select tool, session_id from calls where team_id = ? and model_served = ? order by call_id',
    [team, model],
  )
  const [tool] = name.split(' ')
  const ids = [...new Set(kept.map(({ session_id }) => session_id))]
  return [
    {
      name: 'every answered call is charged, and the spend of the team is their sum',
      fault: compare(
        [charges.filter(({ model_id }) => model_id === model).length, Math.round(team_info.spend * 1e9)],
        [answered.length, sumCost(charges)],
      ),
    },
    {
      name: 'each answered call is on record with its tool',
      fault: compare(
        kept.map(row => row.tool),
        answered.map(() => tool),
      ),
    },
    session === null
      ? { name: 'no call on record names a session', fault: compare(ids, [null]) }
      : {
          name: 'each call on record has the id of the one session that it was sent with',
          fault:
            ids.length === 1 && ids.every(id => id !== null && paid.every(call => carries(call, session, id)))
              ? null
              : `on record: ${ids.join(', ')}`,
        },
  ]
}

function carries({ headers, body }: Overheard, place: NonNullable<Client['session']>, id: string): boolean {
  return place === 'body' ? body.includes(id) : headers.get(place.header) === id
}

/** Ids of the sessions that the calls on record name. */
async function readSessions(place: Place, team: string): Promise<string[]> {
  await untilFiled(place)
  const rows = await runStored<{ session_id: string }>(
    place,
    'select distinct session_id from calls where team_id = ? and session_id is not null',
    [team],
  )
  return rows.map(({ session_id }) => session_id)
}

function listCalls(paid: readonly Overheard[]): string {
  return paid.map(({ status, at, path }) => `${status} ${path} at ${at.toFixed(1)} s`).join(', ')
}

function describeRun({ client, situation, ended, paid }: Judged): string {
  const statuses = paid.map(({ status }) => status).join(' ')
  const end = ended.isKilled ? 'still asking' : `exit ${ended.code}`
  return `| ${client.name} | ${situation} | ${statuses} | ${end} after ${ended.seconds.toFixed(0)} s |`
}
