// The clients of a campaign: paid calls of every form, some abandoned, some repeated, and the answer of each.
import { faults } from '@fairgate/sandbox/hostile/fault-table.ts'
import { credentialOf, type Endpoint, endpoints, sendCall, writePrompt } from '../hostile/endpoints.ts'
import { errorIn, judgeReply, parse, type SeenReply } from '../hostile/judge-reply.ts'
import type { Account, ChaosCall } from './account.ts'
import type { Dice } from './dice.ts'
import type { ServerUnderChaos } from './server-under-chaos.ts'
import type { ChaosKey, ChaosTeam } from './teams.ts'

export type Campaign = {
  readonly dice: Dice
  readonly account: Account
  readonly server: ServerUnderChaos
  readonly teams: readonly ChaosTeam[]
  /** Share of calls that meet a fault. */
  readonly hostileShare: number
  /** Ordered videos, for polls, downloads and deletes. */
  readonly videos: {
    readonly key: string
    readonly id: string
    readonly dialect: Endpoint['dialect']
    isDeleted: boolean
  }[]
  /** Calls with an Idempotency-Key that may be repeated. */
  readonly repeatable: ChaosCall[]
  readonly hasEnded: () => boolean
}

/** Relative frequency of each. */
const weights: Readonly<Record<string, number>> = {
  chat: 30,
  'chat-stream': 20,
  'chat-once': 10,
  'chat-stream-once': 8,
  relay: 10,
  'relay-events': 8,
  'relay-array': 5,
  'relay-once': 4,
  'relay-events-once': 4,
  embeddings: 6,
  'other-chat': 6,
  'other-stream': 6,
  'claude-chat': 6,
  'claude-stream': 6,
  'claude-messages': 6,
  'claude-messages-stream': 6,
  music: 1,
  videos: 1,
  'relay-order': 0.5,
  'chat-image': 1,
  images: 1,
  'images-of-chat': 1,
  edits: 1,
}
const usualWeight = 2
const weighted = endpoints.map(endpoint => ({ endpoint, weight: weights[endpoint.name] ?? usualWeight }))
const small = weighted.filter(({ endpoint }) =>
  /chat(-stream|-of-two)?(-once)?$|^relay(-events|-array)?(-once)?$|embed/.test(endpoint.name),
)

function chooseEndpoint(dice: Dice, isSmall: boolean): Endpoint {
  const from = isSmall ? small : weighted
  let rest = dice.roll() * from.reduce((sum, { weight }) => sum + weight, 0)
  for (const { endpoint, weight } of from) {
    rest -= weight
    if (rest < 0) return endpoint
  }
  return dice.pick(from).endpoint
}

/** Without floods, which the table of faults has: here they would only measure the machine. */
function chooseFault(dice: Dice, endpoint: Endpoint): string | null {
  const known = Object.entries(faults).filter(
    ([, { bites, endless }]) =>
      endless !== 'flood' && endpoint.families.some(family => bites.includes(family)),
  )
  return known.length === 0 ? null : dice.pick(known)[0]
}

const longestReplyMs = 40_000

/** Makes one call of a team, with the given fault. */
export async function makeCall(campaign: Campaign): Promise<void> {
  const { dice, account, teams, repeatable } = campaign
  const team = dice.pick(teams)
  const key = dice.pick(team.keys)
  if (repeatable.length > 0 && dice.chance(0.08)) {
    const earlier = dice.pick(repeatable)
    await runCall(campaign, { ...earlier, sentAt: Date.now() }, null, earlier)
    return
  }
  const endpoint = chooseEndpoint(dice, team.isSmall)
  const fault = dice.chance(campaign.hostileShare) ? chooseFault(dice, endpoint) : null
  const mark = dice.name()
  const slow = dice.chance(0.2)
    ? `; chunkDelayMs=${dice.integer(1, 60)}; firstByteDelayMs=${dice.integer(1, 400)}`
    : ''
  const prompt = writePrompt(endpoint, {
    mark,
    ...(fault === null ? {} : { fault }),
    more: `videoMs=${dice.integer(0, 3000)}${slow}`,
  })
  const call: ChaosCall = {
    team: team.id,
    key: key.secret,
    secret: chooseSecret(dice, key),
    endpoint,
    mark,
    fault,
    prompt,
    idempotencyKey: endpoint.isIdempotent === true ? `once-${mark}` : null,
    patienceMs: dice.chance(0.2) ? null : dice.integer(0, 100),
    sentAt: Date.now(),
    answeredAt: 0,
    status: 0,
    callId: null,
    cost: null,
    hasLeft: false,
    isWhole: false,
    originalCallId: null,
    errorCode: null,
    digest: null,
    ending: '',
  }
  if (fault !== null) account.count('calls with a fault')
  const leaveAfterMs = dice.chance(0.07) ? dice.integer(1, 300) : null
  await runCall(campaign, call, leaveAfterMs, null, key)
  if (call.idempotencyKey !== null && dice.chance(0.6)) {
    repeatable.push(call)
    if (repeatable.length > 300) repeatable.shift()
  }
}

async function runCall(
  campaign: Campaign,
  given: ChaosCall,
  leaveAfterMs: number | null,
  repeats: ChaosCall | null,
  key?: ChaosKey,
): Promise<void> {
  const { account, server } = campaign
  const call: ChaosCall =
    repeats === null
      ? given
      : {
          ...given,
          status: 0,
          callId: null,
          cost: null,
          hasLeft: false,
          isWhole: false,
          originalCallId: null,
          errorCode: null,
          digest: null,
          ending: '',
        }
  account.calls.push(call)
  const wasDenied = key?.deniedSince ?? null
  const leaving = new AbortController()
  const late = setTimeout(() => leaving.abort(), longestReplyMs)
  const early =
    leaveAfterMs === null
      ? null
      : setTimeout(() => {
          call.hasLeft = true
          leaving.abort()
        }, leaveAfterMs)
  const seen = { status: 0, headers: new Headers(), text: '', broken: null as string | null }
  try {
    const response = await sendCall(
      call.endpoint,
      { gatewayUrl: server.current().gatewayUrl, key: call.secret },
      call.prompt,
      {
        signal: leaving.signal,
        ...(call.patienceMs === null ? {} : { patienceMs: call.patienceMs }),
        ...(call.idempotencyKey === null ? {} : { idempotencyKey: call.idempotencyKey }),
      },
    )
    seen.status = response.status
    seen.headers = response.headers
    call.status = response.status
    call.callId = response.headers.get('x-gateway-call-id')
    seen.text = Buffer.from(await response.bytes()).toString('latin1')
    call.isWhole = true
  } catch (error) {
    seen.broken = String(error)
  } finally {
    clearTimeout(late)
    if (early !== null) clearTimeout(early)
  }
  call.answeredAt = Date.now()
  note(campaign, call, { ...seen, milliseconds: call.answeredAt - call.sentAt }, repeats)
  if (wasDenied !== null && call.status === 200)
    account.violate('a blocked or deleted key was answered', describe(call))
  if (key !== undefined) judgeRenewal(account, call, key)
}

/** While both work, each is used half of the time; later the old one now and then. */
function chooseSecret(dice: Dice, { secret, renewal }: ChaosKey): string {
  if (renewal === null) return secret
  return dice.chance(Date.now() < renewal.refusedFrom ? 0.5 : 0.05) ? secret : renewal.secret
}

/** A key's old secret works until the end of its grace, and no longer. */
function judgeRenewal(account: Account, call: ChaosCall, { secret, renewal, deniedSince }: ChaosKey): void {
  if (renewal === null || call.secret !== secret || deniedSince !== null) return
  if (call.answeredAt < renewal.worksUntil) {
    account.count('calls with an old secret in its grace')
    if (call.status === 401) account.violate('an old secret was refused in its grace', describe(call))
  }
  if (call.sentAt < renewal.refusedFrom || call.status === 0) return
  account.count('calls with an old secret after its grace')
  if (call.status === 200) account.violate('an old secret was answered after its grace', describe(call))
}

function note(campaign: Campaign, call: ChaosCall, reply: SeenReply, repeats: ChaosCall | null): void {
  const { account, server, videos } = campaign
  if (reply.broken !== null) {
    if (call.hasLeft) account.count('left by their client')
    else if (server.wasInterrupted(call.sentAt, call.answeredAt)) account.count('broken by a kill')
    else account.violate('a connection broke', `${describe(call)}: ${reply.broken}`)
    return
  }
  account.count(`status ${call.status}`)
  for (const wrong of judgeReply(reply, call.endpoint))
    account.violate('a reply', `${describe(call)}: ${wrong}`)
  const cost = reply.headers.get('x-gateway-response-cost')
  call.cost = cost === null ? null : Math.round(Number(cost) * 1e9)
  call.originalCallId = reply.headers.get('x-gateway-original-call-id')
  if (call.status !== 200) {
    const error = errorIn(parse(reply.text))
    call.errorCode = typeof error?.code === 'string' ? error.code : null
    if (call.errorCode !== null) account.count(`code ${call.errorCode}`)
    return
  }
  account.count('answers')
  if (call.endpoint.form === 'events' || call.endpoint.form === 'array') call.ending = reply.text.slice(-300)
  call.digest = Bun.hash(reply.text).toString(36)
  if (call.originalCallId !== null) {
    account.count('replays')
    if (
      repeats?.isWhole === true &&
      // A first attempt without cost is not stored, so a later one is then replayed.
      repeats.callId === call.originalCallId &&
      repeats.status === 200 &&
      repeats.digest !== null &&
      repeats.digest !== call.digest
    )
      account.violate('a replay differs', describe(call))
  }
  if (call.endpoint.form === 'order') {
    const made = parse(reply.text) as { readonly id?: unknown; readonly name?: unknown } | undefined
    const id = call.endpoint.dialect === 'openai' ? made?.id : made?.name
    if (typeof id === 'string' && id.length < 1000)
      videos.push({ key: call.secret, id, dialect: call.endpoint.dialect, isDeleted: false })
  }
}

/** Polls, downloads, lists or deletes a video, or asks for information. */
export async function lookAround(campaign: Campaign): Promise<void> {
  const { dice, account, server, teams, videos } = campaign
  const team = dice.pick(teams)
  const key = dice.pick(team.keys)
  const video = videos.length > 0 && dice.chance(0.6) ? dice.pick(videos) : null
  const isRelayed = video?.dialect === 'vendor'
  const isDelete = video !== null && !isRelayed && dice.chance(0.1)
  const wasDeleted = video?.isDeleted === true
  const path =
    video === null
      ? dice.pick(['/key/info', `/team/info?team_id=${team.id}`, '/v1/models', '/v1/videos'])
      : isRelayed
        ? `/vendor/v1beta/${video.id}`
        : `/v1/videos/${video.id}${!isDelete && dice.chance(0.3) ? '/content' : ''}`
  const sentAt = Date.now()
  const dialect = isRelayed ? 'vendor' : 'openai'
  try {
    const response = await fetch(`${server.current().gatewayUrl}${path}`, {
      method: isDelete ? 'DELETE' : 'GET',
      headers: credentialOf({ dialect }, video?.key ?? chooseSecret(dice, key)),
      redirect: 'manual',
      keepalive: false,
      signal: AbortSignal.timeout(longestReplyMs),
    })
    const text = Buffer.from(await response.bytes()).toString('latin1')
    account.count('looks of clients')
    const reply = {
      status: response.status,
      headers: response.headers,
      text,
      broken: null,
      milliseconds: Date.now() - sentAt,
    }
    const form = path.endsWith('/content') ? 'download' : 'look'
    for (const wrong of judgeReply(reply, { dialect, form })) account.violate('a reply', `${path}: ${wrong}`)
    if (video !== null && isDelete && response.status === 200) video.isDeleted = true
    if (wasDeleted && response.status === 200) account.violate('a deleted video is there', path)
  } catch (error) {
    // A truncated copy ends with a broken connection; nothing else could show it.
    if (!server.wasInterrupted(sentAt, Date.now()) && !path.endsWith('/content'))
      account.violate('a connection broke', `${path}: ${error}`)
  }
}

export function describe(call: ChaosCall): string {
  const { endpoint, team, mark, fault, status, callId, idempotencyKey } = call
  return `${endpoint.name} of ${team}, mark ${mark}, fault ${fault ?? 'none'}, status ${status}, call ${callId ?? 'unknown'}${idempotencyKey === null ? '' : `, ${idempotencyKey}`}, from ${call.sentAt} to ${call.answeredAt}${call.ending === '' ? '' : `, ending ${call.ending}`}`
}
