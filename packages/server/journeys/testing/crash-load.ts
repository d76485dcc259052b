// Mixed load on a server that is killed again and again, with an account of its promises.
import { expect } from 'bun:test'
import type { TeamInfo } from '@fairgate/contracts/info/team-record.ts'
import { ingest, readAllEntries, sampleEntry } from './logbook-client.ts'
import { createManagement, type Management } from './management.ts'
import { type SpawnedFairgate, spawnFairgate } from './spawn-fairgate.ts'
import { adminKey, type Surroundings } from './start-fairgate.ts'
import {
  readCharges,
  readOpenCosts,
  readRecordedCosts,
  sumCost,
  untilFiled,
  untilSwept,
} from './stored-rows.ts'

const teamId = 'crash'
const workers = 30
/** Minimum number of answers and of entries in each round. */
const leastPromises = 25

/** Answers that clients got, so the data must be there after the crash. */
type Promises = {
  /** Call ids of whole answers. */
  readonly answered: string[]
  /** Marks of acknowledged entries. */
  readonly acknowledged: string[]
  /** Ids of teams with an answered creation. */
  readonly teams: string[]
  /** Streams abandoned by their client; each may be charged once or, before its first byte, not at all. */
  left: number
}

export type CrashReport = { readonly kills: number; readonly promises: Promises; readonly charges: number }

export type CrashOptions = {
  readonly kills: number
  /** Finished requests after which the server is killed, once some of them were whole answers and some acknowledged entries. */
  readonly requestsPerRound: number
  /** The server to begin with; a new one by default. */
  readonly begin?: SpawnedFairgate
  /** Runs after each restart, once the server has passed all checks. */
  readonly onRestart?: (server: SpawnedFairgate) => Promise<void>
}

/** Kills, restarts and checks; the last server is drained. */
export async function runCrashRounds(place: Surroundings, options: CrashOptions): Promise<CrashReport> {
  const promises: Promises = { answered: [], acknowledged: [], teams: [], left: 0 }
  const newName = createNames()
  let server = options.begin ?? (await spawnFairgate({ variables: place.variables }))
  const manage = createManagement(server.adminUrl, adminKey)
  const key = await manage.team(teamId, { max_budget: 1000 })
  const { token } = await manage.token(teamId)
  for (let round = 1; round <= options.kills; round += 1) {
    await loadUntilKilled(server, { key, token }, promises, newName, options.requestsPerRound)
    server = await spawnFairgate({ variables: place.variables })
    await checkLedger(place, server, promises)
    if (round % 10 === 0 || round === options.kills) await checkLogbook(server, token, promises)
    await options.onRestart?.(server)
  }
  const charges = (await readCharges(place, teamId)).length
  server.kill('SIGTERM')
  expect(await server.exited).toBe(0)
  return { kills: options.kills, promises, charges }
}

type Credentials = { readonly key: string; readonly token: string }

async function loadUntilKilled(
  server: SpawnedFairgate,
  { key, token }: Credentials,
  promises: Promises,
  newName: () => string,
  requests: number,
): Promise<void> {
  const manage = createManagement(server.adminUrl, adminKey)
  const calls: readonly (() => Promise<void>)[] = [
    { model: 'mm-2.5-flash', stream: false },
    { model: 'mm-2.5-flash', stream: true },
    { model: 'claude-opus', stream: false },
    { model: 'claude-opus', stream: true },
  ].map(asked => async () => void promises.answered.push(await chat(server, key, asked)))
  const kinds: readonly (() => Promise<void>)[] = [
    ...calls,
    async () => {
      await leaveStream(server, key)
      promises.left += 1
    },
    async () => {
      const marks = Array.from({ length: 5 }, newName)
      const entries = marks.map(mark => ({ ...sampleEntry, prompt: mark }))
      const reply = await ingest(server.logbookUrl, token, entries)
      if (reply.status === 202) promises.acknowledged.push(...marks)
    },
    async () => {
      const name = newName()
      await manage.post('/team/new', { team_id: name })
      promises.teams.push(name)
    },
  ]
  const enough = Promise.withResolvers<void>()
  const answeredAtLeast = promises.answered.length + leastPromises
  const acknowledgedAtLeast = promises.acknowledged.length + leastPromises
  let finished = 0
  let isStopped = false
  const load = Array.from({ length: workers }, async (_, worker) => {
    const work = kinds[worker % kinds.length]
    while (!isStopped && work !== undefined) {
      // A killed server shows as a broken connection; without an answer there is no promise.
      const isDone = await work().then(
        () => true,
        () => false,
      )
      finished += 1
      const isAnswer = isDone && calls.includes(work)
      const hasPromised =
        promises.answered.length >= answeredAtLeast && promises.acknowledged.length >= acknowledgedAtLeast
      if (finished < requests || !hasPromised || !isAnswer) continue
      // At the same moment as an answer: if it came before its charge was on disk, the charge would be lost.
      server.kill('SIGKILL')
      enough.resolve()
    }
  })
  await enough.promise
  await server.exited
  isStopped = true
  await Promise.all(load)
}

async function checkLedger(place: Surroundings, server: SpawnedFairgate, promises: Promises): Promise<void> {
  await untilSwept(place)
  const charges = await readCharges(place, teamId)
  const timesCharged = new Map<string, number>()
  for (const { call_id } of charges) timesCharged.set(call_id, (timesCharged.get(call_id) ?? 0) + 1)
  const wrong = promises.answered.filter(callId => timesCharged.get(callId) !== 1)
  expect(wrong).toEqual([])
  expect(await readOpenCosts(place)).toEqual([])

  await untilFiled(place)
  const costs = charges.map(({ call_id, cost_nano }) => [call_id, cost_nano] as const)
  expect(await readRecordedCosts(place, teamId)).toEqual(new Map(costs))

  const manage = createManagement(server.adminUrl, adminKey)
  const { team_info } = await manage.teamInfo(teamId)
  expect(Math.round(team_info.spend * 1e9)).toBe(sumCost(charges))
  expect(team_info.held).toBe(0)
  const figures = await (await fetch(`${server.adminUrl}/metrics`)).text()
  expect(figures).toMatch(/^fairgate_holds 0$/m)
  expect(figures).toMatch(/^fairgate_running_slots 0$/m)
  await checkTeams(manage, promises)
}

async function checkTeams(manage: Management, promises: Promises): Promise<void> {
  const listed = (await (await manage.call('GET', '/team/list')).json()) as TeamInfo['team_info'][]
  const known = new Set(listed.map(team => team.team_id))
  expect(promises.teams.filter(name => !known.has(name))).toEqual([])
}

async function checkLogbook(server: SpawnedFairgate, token: string, promises: Promises): Promise<void> {
  const timesStored = new Map<string, number>()
  for (const { prompt } of await readAllEntries(server.logbookUrl, token)) {
    timesStored.set(prompt, (timesStored.get(prompt) ?? 0) + 1)
  }
  expect(promises.acknowledged.filter(mark => timesStored.get(mark) !== 1)).toEqual([])
  const verdict = await createManagement(server.adminUrl, adminKey).verifyLog(teamId)
  expect(verdict).toMatchObject({ ok: true, problem: null })
}

/** Models of two kinds of upstream (testing/two-kinds.ts). */
type Asked = { readonly model: string; readonly stream: boolean }

function ask(server: SpawnedFairgate, key: string, asked: Asked, signal?: AbortSignal): Promise<Response> {
  return fetch(`${server.gatewayUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...asked,
      max_tokens: 48,
      messages: [{ role: 'user', content: 'Hello [[sandbox: chunkDelayMs=2]]' }],
    }),
    ...(signal === undefined ? {} : { signal }),
  })
}

/** Returns the call id once the whole reply has arrived. */
async function chat(server: SpawnedFairgate, key: string, asked: Asked): Promise<string> {
  const response = await ask(server, key, asked)
  const text = await response.text()
  if (response.status !== 200 || (asked.stream && !text.endsWith('data: [DONE]\n\n')))
    throw new Error('No answer.')
  return response.headers.get('x-gateway-call-id') ?? ''
}

async function leaveStream(server: SpawnedFairgate, key: string): Promise<void> {
  const leaving = new AbortController()
  const response = await ask(server, key, { model: 'mm-2.5-flash', stream: true }, leaving.signal)
  await response.body?.getReader().read()
  leaving.abort()
}

function createNames(): () => string {
  let number = 0
  return () => {
    number += 1
    return `name-${number}`
  }
}
