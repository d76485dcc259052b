// Compares the upstream's log with every window: never more than allowed in any 60 seconds, across restarts too.
//
// A call was admitted between the moment its client sent it and the moment the upstream was asked. Only calls with this whole interval
// in the same 60 seconds are counted together, so every finding is certain, even on a busy machine.
import type { LoggedCall } from '@fairgate/sandbox/hostile/call-log.ts'
import { counted } from '@fairgate/sandbox/hostile/families.ts'
import type { Account, ChaosCall, LimitChange } from './account.ts'
import { billOf, isTextOnly } from './bills.ts'

const minute = 60_000

/** Admissions of the last moments, not yet on disk, which a crash on PostgreSQL may lose. */
const forgottenMs = 1500

export type Admitted = {
  readonly sentAt: number
  readonly reachedAt: number
  readonly tokens: number
  readonly endpoint: string
}

type Scopes = Map<string, Admitted[]>

/** Marks of calls → the upstream's log of them, without token counts of calls that also do something else. */
export function groupByMark(logged: readonly LoggedCall[]): Map<string, LoggedCall[]> {
  const groups = new Map<string, LoggedCall[]>()
  for (const call of logged) {
    if (call.mark === null) continue
    const group = groups.get(call.mark)
    if (group === undefined) groups.set(call.mark, [call])
    else group.push(call)
  }
  return groups
}

const modelOf = (path: string, body: string): string | null =>
  /mm-2\.5-flash(?![\w-])/.test(`${path} ${body}`) ? 'mm-2.5-flash' : null

export function judgeWindows(account: Account, byMark: ReadonlyMap<string, readonly LoggedCall[]>): void {
  const scopes = collect(account.calls, byMark)
  for (const scope of new Set(account.limits.map(limit => limit.scope))) {
    const admitted = scopes.get(scope.replace(/ (rpm|tpm)$/, '')) ?? []
    const weigh = scope.endsWith('tpm') ? ({ tokens }: Admitted) => tokens : () => 1
    judgeScope(account, scope, admitted, weigh)
  }
  const forgotten = account.interruptions.flatMap(({ from, windowsWrittenAt }) =>
    [...scopes.values()]
      .flat()
      .flatMap(({ sentAt, reachedAt }) =>
        windowsWrittenAt !== null && sentAt > windowsWrittenAt && reachedAt < from ? [from - sentAt] : [],
      ),
  )
  account.figures['oldest call that a SIGKILL forgot, ms'] = Math.max(0, ...forgotten)
}

function collect(calls: readonly ChaosCall[], byMark: ReadonlyMap<string, readonly LoggedCall[]>): Scopes {
  const firstSent = new Map<string, ChaosCall>()
  for (const call of calls) {
    const known = firstSent.get(call.mark)
    if (known === undefined || call.sentAt < known.sentAt) firstSent.set(call.mark, call)
  }
  const scopes: Scopes = new Map()
  for (const [mark, call] of firstSent) {
    const logged = (byMark.get(mark) ?? []).filter(({ family }) => !counted.includes(family))
    const reachedAt = Math.min(...logged.map(({ at }) => at))
    if (!Number.isFinite(reachedAt)) continue
    const isBilled =
      isTextOnly(call.endpoint.name) && billOf(call.endpoint.name, byMark.get(mark) ?? []) !== null
    const tokens = isBilled
      ? logged.reduce((sum, { usage }) => sum + (usage?.prompt ?? 0) + (usage?.output ?? 0), 0)
      : 0
    const model = modelOf(
      call.endpoint.path,
      JSON.stringify(call.endpoint.form === 'file' || call.endpoint.takesWords ? {} : bodyOf(call)),
    )
    const owners = [`team:${call.team}`, `key:${call.key}`]
    for (const owner of owners) {
      for (const scope of model === null ? [owner] : [owner, `${owner} ${model}`]) {
        const list = scopes.get(scope) ?? []
        list.push({ sentAt: call.sentAt, reachedAt, tokens, endpoint: call.endpoint.name })
        scopes.set(scope, list)
      }
    }
  }
  return scopes
}

function bodyOf({ endpoint, prompt }: ChaosCall): object {
  const body = endpoint.body(prompt)
  return body instanceof FormData ? {} : body
}

function judgeScope(
  account: Account,
  scope: string,
  admitted: Admitted[],
  weigh: (call: Admitted) => number,
): void {
  admitted.sort((one, other) => one.sentAt - other.sentAt)
  const changes = account.limits.filter(limit => limit.scope === scope)
  let most = 0
  let worst: { readonly excess: number; readonly facts: string } | null = null
  for (const [index, first] of admitted.entries()) {
    const from = first.sentAt
    const to = from + minute
    let total = 0
    for (let next = index; next < admitted.length; next += 1) {
      const call = admitted[next]
      if (call === undefined || call.sentAt >= to) break
      if (call.reachedAt < to) total += weigh(call)
    }
    const limit = highestLimit(changes, from, to)
    const forgotten = forgottenIn(account, admitted, weigh, from, to)
    most = Math.max(most, total / limit)
    const excess = total - limit - forgotten
    if (excess > 0 && excess > (worst?.excess ?? 0)) {
      const over = account.interruptions
        .filter(interruption => interruption.from < to && interruption.to > from)
        .map(({ kind, from: at }) => `${kind} after ${((at - from) / 1000).toFixed(1)} s`)
      worst = {
        excess,
        facts: `${scope.replace(/sk-[\w-]+/, secret => `${secret.slice(0, 10)}…`)}: ${total} of ${limit} (and ${forgotten} that a crash may forget; ${composition(admitted, weigh, from, to)}) in 60 s from ${from}, over ${over.join(', ') || 'no restart'}`,
      }
    }
  }
  account.figures['fullest window, %'] = Math.max(
    account.figures['fullest window, %'] ?? 0,
    Math.round(most * 100),
  )
  if (worst !== null) account.violate('a window', worst.facts)
}

/** The highest limit that may have applied at any moment of the interval. */
function highestLimit(changes: readonly LimitChange[], from: number, to: number): number {
  let highest = 0
  for (const [index, change] of changes.entries()) {
    const next = changes[index + 1]
    if (change.askedAt < to && (next === undefined || next.inForceAt > from))
      highest = Math.max(highest, change.limit)
  }
  return highest
}

function forgottenIn(
  account: Account,
  admitted: readonly Admitted[],
  weigh: (call: Admitted) => number,
  from: number,
  to: number,
): number {
  let forgotten = 0
  for (const interruption of account.interruptions) {
    if (interruption.kind !== 'SIGKILL' || interruption.from >= to || interruption.from <= from) continue
    const knownUntil = interruption.windowsWrittenAt ?? interruption.from - forgottenMs
    for (const call of admitted)
      if (call.reachedAt > knownUntil && call.sentAt < interruption.to) forgotten += weigh(call)
  }
  return forgotten
}

/** Checks that a key never has more calls than slots, from reaching the upstream to its last byte. */
export function judgeSlots(
  account: Account,
  keys: readonly { readonly secret: string; readonly maxParallel: number | null }[],
  byMark: ReadonlyMap<string, readonly LoggedCall[]>,
): void {
  const timesSent = new Map<string, number>()
  for (const { mark } of account.calls) timesSent.set(mark, (timesSent.get(mark) ?? 0) + 1)
  for (const { secret, maxParallel } of keys) {
    if (maxParallel === null) continue
    const moments: { readonly at: number; readonly step: number }[] = []
    for (const { key, mark } of account.calls) {
      // For a repeated call the upstream's log does not show which attempt it was.
      if (key !== secret || timesSent.get(mark) !== 1) continue
      const logged = (byMark.get(mark) ?? []).filter(({ family }) => !counted.includes(family))
      const from = Math.min(...logged.map(({ at }) => at))
      const to = Math.max(...logged.map(({ at, lastSentAt }) => lastSentAt ?? at))
      if (!Number.isFinite(from) || to <= from) continue
      moments.push({ at: from, step: 1 }, { at: to, step: -1 })
    }
    moments.sort((one, other) => one.at - other.at || one.step - other.step)
    let running = 0
    let most = 0
    for (const { step } of moments) {
      running += step
      most = Math.max(most, running)
    }
    if (most > maxParallel)
      account.violate('slots', `${secret.slice(0, 10)}…: ${most} at once of ${maxParallel}`)
  }
}

/** The endpoints that used most of it. */
function composition(
  admitted: readonly Admitted[],
  weigh: (call: Admitted) => number,
  from: number,
  to: number,
): string {
  const sums = new Map<string, number>()
  for (const call of admitted)
    if (call.sentAt >= from && call.reachedAt < to)
      sums.set(call.endpoint, (sums.get(call.endpoint) ?? 0) + weigh(call))
  return [...sums]
    .sort((one, other) => other[1] - one[1])
    .slice(0, 6)
    .map(([endpoint, sum]) => `${endpoint} ${sum}`)
    .join(', ')
}
