// Plays faults on endpoints, many at once, and checks every reply and charge against the promises.
import { faultGroups } from '@fairgate/sandbox/hostile/fault-table.ts'
import type { Fault } from '@fairgate/sandbox/hostile/script.ts'
import { readCharges, type StoredCharge } from '../stored-rows.ts'
import { type CallForm, credentialOf, type Endpoint, sendCall, writePrompt } from './endpoints.ts'
import type { HostileFairgate } from './hostile-fairgate.ts'
import { errorIn, judgeReply, parse, readReply, type SeenReply } from './judge-reply.ts'

export type Play = { readonly endpoint: Endpoint; readonly name: string; readonly fault: Fault }

/** Faults that do not depend on an Idempotency-Key, which only changes how a reply is delivered and stored. */
const alike: readonly string[] = [...Object.keys(faultGroups.usage), ...Object.keys(faultGroups.answer)]

/** Each fault with each endpoint that it affects. */
export function pairUp(
  endpoints: readonly Endpoint[],
  faults: Readonly<Record<string, Fault>>,
  isWanted: (fault: Fault) => boolean,
): Play[] {
  return Object.entries(faults).flatMap(([name, fault]) =>
    isWanted(fault)
      ? endpoints
          .filter(({ families }) => families.some(family => fault.bites.includes(family)))
          .filter(({ isIdempotent }) => isIdempotent !== true || !alike.includes(name))
          .map(endpoint => ({ endpoint, name, fault }))
      : [],
  )
}

export type TableReport = {
  readonly violations: readonly string[]
  readonly replies: number
  readonly charges: number
  readonly maxResidentMegabytes: number
}

export type TableOptions = {
  readonly atOnce: number
  /** No reply may take longer. */
  readonly longestMs: number
  /** How long a video is polled after its order. */
  readonly watchMs: number
}

type Paid = { readonly key: string; readonly teamId: string; readonly hold: number }
type Answered = Play & { readonly paid: Paid; readonly reply: SeenReply; readonly state: string | null }

/** Far more than all faults could cost, and still a safe integer of nano-dollars. */
const plenty = 1_000_000

export async function runTable(
  fairgate: HostileFairgate,
  plays: readonly Play[],
  options: TableOptions,
): Promise<TableReport> {
  const violations: string[] = []
  const names = [...new Set(plays.map(({ endpoint }) => endpoint))]
  const teams = await openTeams(fairgate, names)
  const answered: Answered[] = []
  let maxResidentMegabytes = 0
  const waiting = [...plays]
  const work = async () => {
    for (let play = waiting.shift(); play !== undefined; play = waiting.shift()) {
      const team = teams.get(play.endpoint.name)
      if (team === undefined) continue
      const paid = mayExceed(play) ? await openLike(fairgate, team, play.name) : team
      const { reply, state } = await playOne(fairgate, play, paid, options, violations)
      answered.push({ ...play, paid, reply, state })
    }
  }
  let isRunning = true
  const watching = (async () => {
    while (isRunning) {
      const { residentMegabytes } = await fairgate.figures()
      maxResidentMegabytes = Math.max(maxResidentMegabytes, residentMegabytes)
      await Bun.sleep(250)
    }
  })()
  await Promise.all(Array.from({ length: options.atOnce }, work))
  isRunning = false
  await watching
  let charges = 0
  for (const [{ teamId, hold }, own] of Map.groupBy(answered, ({ paid }) => paid)) {
    const rows = await readCharges(fairgate.place, teamId)
    charges += rows.length
    for (const one of own) {
      for (const wrong of [...judgeMeaning(one), ...judgeCharges(one, rowsOf(rows, one.reply), hold)])
        violations.push(`${describe(one)}: ${wrong}`)
    }
    const { team_info } = await fairgate.manage.teamInfo(teamId)
    const total = rows.reduce((sum, row) => sum + row.cost_nano, 0)
    if (Math.round(team_info.spend * 1e9) !== total)
      violations.push(`${teamId}: spend ${team_info.spend}, charges ${total}`)
  }
  return { violations, replies: answered.length, charges, maxResidentMegabytes }
}

const describe = ({ name, endpoint }: Pick<Play, 'name' | 'endpoint'>) => `${name} on ${endpoint.name}`

/** Usage above a team's hold raises its next holds, so such a play has its own team and other holds stay the same. */
function mayExceed({ name }: Play): boolean {
  return name in faultGroups.usage || name === 'searches-many'
}

async function openLike({ manage }: HostileFairgate, { teamId, hold }: Paid, name: string): Promise<Paid> {
  const own = `${teamId}-${name}`
  return { key: await manage.team(own, { max_budget: plenty }), teamId: own, hold }
}

/** A team with one key per endpoint, and the hold of an equal call, read while upstream replies are held back. */
async function openTeams(
  fairgate: HostileFairgate,
  endpoints: readonly Endpoint[],
): Promise<ReadonlyMap<string, Paid>> {
  const { vendor } = fairgate
  vendor.setSwitches({ firstByteDelayMs: 1 })
  const release = fairgate.holdUpstream()
  const opening = endpoints.map(endpoint => openTeam(fairgate, endpoint))
  await Promise.all(opening.map(async one => (await one).held))
  release()
  const teams = await Promise.all(opening.map(async one => (await one).finished))
  vendor.setSwitches({})
  return new Map(endpoints.map((endpoint, index) => [endpoint.name, teams[index] ?? missing(endpoint)]))
}

function missing({ name }: Endpoint): never {
  throw new Error(`There is no team for ${name}.`)
}

async function openTeam(
  { manage, server }: HostileFairgate,
  endpoint: Endpoint,
): Promise<{ readonly held: Promise<number>; readonly finished: Promise<Paid> }> {
  const teamId = `hostile-${endpoint.name}`
  const key = await manage.team(teamId, { max_budget: plenty })
  const prompt = writePrompt(endpoint, { mark: `hold-${endpoint.name}` })
  const asked = readReply(sendCall(endpoint, { gatewayUrl: server.gatewayUrl, key }, prompt))
  let isRunning = true
  void asked.then(() => {
    isRunning = false
  })
  const readHold = async () => {
    let hold = 0
    while (isRunning && hold === 0) {
      const { team_info } = await manage.teamInfo(teamId)
      // A video is charged before the upstream is asked.
      hold = Math.round((endpoint.form === 'order' ? team_info.spend + team_info.held : team_info.held) * 1e9)
      await Bun.sleep(20)
    }
    return hold
  }
  const held = readHold()
  const finish = async (): Promise<Paid> => {
    const hold = await held
    const reply = await asked
    if (reply.status !== 200 || hold === 0)
      throw new Error(
        `${endpoint.name} without a fault: ${reply.status}, hold ${hold}, ${reply.broken ?? reply.text.slice(0, 300)}`,
      )
    return { key, teamId, hold }
  }
  return { held, finished: finish() }
}

async function playOne(
  { server }: HostileFairgate,
  { endpoint, name }: Play,
  { key }: Paid,
  { longestMs, watchMs }: TableOptions,
  violations: string[],
): Promise<{ reply: SeenReply; state: string | null }> {
  const credential = { gatewayUrl: server.gatewayUrl, key }
  const note = (what: string, reply: SeenReply, form: CallForm | 'look' | 'download' = endpoint.form) => {
    const found = judgeReply(reply, { ...endpoint, form })
    for (const wrong of found) violations.push(`${name} on ${endpoint.name}${what}: ${wrong}`)
  }
  const prompt = writePrompt(endpoint, { fault: name, mark: 'x', more: 'videoMs=0' })
  const signal = AbortSignal.timeout(longestMs)
  const reply = await readReply(sendCall(endpoint, credential, prompt, { signal }))
  note('', reply)
  if (endpoint.form !== 'order' || reply.status !== 200) return { reply, state: null }
  const get = async (path: string) =>
    readReply(
      fetch(`${server.gatewayUrl}${path}`, {
        headers: credentialOf(endpoint, key),
        redirect: 'manual',
        signal: AbortSignal.timeout(longestMs),
      }),
    )
  const state = await (endpoint.dialect === 'openai' ? watchVideo : watchOperation)(reply, get, watchMs, note)
  return { reply, state }
}

const longestName = 4000

type Get = (path: string) => Promise<SeenReply>
type Note = (what: string, reply: SeenReply, form: 'look' | 'download') => void

/** Polls until the video has ended or the time is over, requests its file, and returns its last state. */
async function watchVideo(ordered: SeenReply, get: Get, watchMs: number, note: Note): Promise<string | null> {
  const id = String((parse(ordered.text) as { id?: unknown } | undefined)?.id)
  const until = performance.now() + watchMs
  let state = 'processing'
  while (state === 'processing' && performance.now() < until) {
    const look = await get(`/v1/videos/${id}`)
    note(' (look)', look, 'look')
    state = String((parse(look.text) as { status?: unknown } | undefined)?.status)
    if (state === 'processing') await Bun.sleep(100)
  }
  note(' (content)', await get(`/v1/videos/${id}/content`), 'download')
  return state
}

async function watchOperation(
  ordered: SeenReply,
  get: Get,
  _watchMs: number,
  note: Note,
): Promise<string | null> {
  const name = String((parse(ordered.text) as { name?: unknown } | undefined)?.name)
  // Doors accept no URL of that length.
  if (name.length > longestName) return null
  const look = await get(`/vendor/v1beta/${name}`)
  note(' (look)', look, 'look')
  const file = /files\/([\w-]+)/.exec(look.text)?.[1]
  if (file === undefined) return null
  note(' (file)', await get(`/vendor/v1beta/files/${file}`), 'look')
  note(' (download)', await get(`/vendor/v1beta/files/${file}:download?alt=media`), 'download')
  return null
}

/** Empty replies with status 200. */
const empty: readonly string[] = ['error-as-200', 'error-string-as-200', 'empty-200', 'null-200']

/** Further expectations for a few faults: an empty reply is an upstream failure, and finished output is an answer. */
function judgeMeaning({ name, endpoint, reply }: Answered): string[] {
  if (reply.broken !== null) return []
  const isStream = endpoint.form === 'events'
  const hasFailed = reply.status >= 429 || (isStream && errorIn(lastEvent(reply.text)) !== null)
  if (empty.includes(name) && endpoint.dialect === 'openai' && !hasFailed)
    return [`an empty reply was treated as an answer: ${reply.status}`]
  if (name === 'stream-open-after-finish' && hasFailed)
    return [`a finished answer was treated as a failure: ${reply.status}`]
  return []
}

function rowsOf(rows: readonly StoredCharge[], { headers }: SeenReply): StoredCharge[] {
  const callId = headers.get('x-gateway-call-id')
  return callId === null
    ? []
    : rows.filter(row => row.call_id === callId || row.call_id === `${callId}/refund`)
}

/** A call is charged at most once and never above its hold; an answer exactly once, an error only with its cost on it. */
function judgeCharges(
  { endpoint, reply, state }: Answered,
  rows: readonly StoredCharge[],
  hold: number,
): string[] {
  if (reply.broken !== null) return []
  const wrong: string[] = []
  const charges = rows.filter(({ cost_nano }) => cost_nano >= 0)
  const net = rows.reduce((sum, row) => sum + row.cost_nano, 0)
  if (charges.length > 1) wrong.push(`${charges.length} charges`)
  if (rows.length - charges.length > 1) wrong.push(`${rows.length - charges.length} refunds`)
  for (const { cost_nano } of charges)
    if (cost_nano > hold) wrong.push(`charged ${cost_nano / 1e9} of a hold of ${hold / 1e9}`)
  const header = reply.headers.get('x-gateway-response-cost')
  const isAnswer = reply.status === 200
  if (isAnswer && endpoint.form !== 'events' && endpoint.form !== 'array' && charges.length !== 1)
    wrong.push('an answer without a charge')
  const isStream = endpoint.form === 'events' || endpoint.form === 'array'
  if (isAnswer && isStream && charges.length === 0 && errorIn(lastPiece(endpoint, reply.text)) === null)
    wrong.push('a stream without a charge')
  if (header !== null && Math.round(Number(header) * 1e9) !== charges[0]?.cost_nano)
    wrong.push(`cost header ${header}, charge ${charges[0]?.cost_nano}`)
  if (!isAnswer && header === null && net !== 0) wrong.push(`${reply.status} and charged ${net / 1e9}`)
  if (state === 'failed' && net !== 0) wrong.push(`failed and not refunded: ${net / 1e9}`)
  if (state === 'completed' && net === 0) wrong.push('completed and refunded')
  return wrong
}

function lastPiece({ form }: Endpoint, text: string): unknown {
  if (form === 'events') return lastEvent(text)
  const pieces = parse(text)
  return Array.isArray(pieces) ? pieces.at(-1) : null
}

function lastEvent(text: string): unknown {
  const pieces = text.split(/\r?\n/).filter(line => line.startsWith('data: ') && line !== 'data: [DONE]')
  return parse((pieces.at(-1) ?? '').slice(6))
}
