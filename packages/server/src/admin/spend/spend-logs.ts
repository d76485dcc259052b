// GET /spend/logs: calls, or sums of each day, in the format that LiteLLM's scripts read.
import type { OrganiserCallItem } from '@fairgate/contracts/calls/call.ts'
import { maximumCallsPage } from '@fairgate/contracts/calls/call-list.ts'
import type { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import {
  maxSpendLogDays,
  maxSpendLogs,
  type SpendDay,
  type SpendLog,
  type SpendLogsQuery,
  spendLogsQuerySchema,
  spendLogsSchema,
} from '@fairgate/contracts/spend/spend-logs.ts'
import { parseMoment } from '../../directory/parse-times.ts'
import { refuseValue, requireTeam } from '../../directory/refusals.ts'
import { ownerIdOf } from '../../directory/user-info.ts'
import { resolveKey } from '../../record/read-filter.ts'
import type { SpendSum } from '../../store/statements/spend-sums.ts'
import { type AdminRoute, lookupRoute, type Management } from '../management-route.ts'

const dayMs = 86_400_000
/** Pages of calls that one request reads at most, for example to find the few of an owner: about a second. */
const maxPages = 500

export function spendLogsRoute(management: Management): AdminRoute {
  return lookupRoute({
    tag: 'Spend',
    openTo: 'organisers',
    path: '/spend/logs',
    summary: "List calls, or sums of each day, in LiteLLM's format",
    description:
      `With \`start_date\` and \`end_date\`: what each day cost, for at most ${maxSpendLogDays} days. Otherwise, or with \`summarize=false\`: ` +
      `single calls, newest first. More than ${maxSpendLogs} calls are refused, not cut: \`GET /calls\` lists any number, page by page.`,
    query: spendLogsQuerySchema,
    reply: spendLogsSchema,
    errors: ['invalid_request', 'team_not_found', 'key_not_found', 'unavailable'],
    isStrict: true,
    keepsOpen: true,
    look: (query): Promise<SpendLog[] | SpendDay[]> => {
      const range = readRange(query)
      const { start_date: start, end_date: end, summarize = true, request_id: requestId } = query
      const isSummed = summarize && start !== undefined && end !== undefined && requestId === undefined
      return isSummed ? sumDays(management, query, range) : listCalls(management, query, range)
    },
  })
}

/** Unix ms: at `from` or later, and before `until`. */
type Range = { readonly from: number | null; readonly until: number | null }

function readRange({ start_date: start, end_date: end }: SpendLogsQuery): Range {
  const from = start === undefined ? null : readDay('start_date', start)
  const until = end === undefined ? null : readDay('end_date', end) + dayMs
  if (from !== null && until !== null && from >= until)
    throw refuseValue('end_date', 'it is before start_date.')
  return { from, until }
}

function readDay(param: string, text: string): number {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return parseMoment(param, `${text}T00:00:00Z`)
  throw refuseValue(param, 'write a day in UTC, such as 2026-11-21.')
}

/** SHA-256 of a key → its owner; keys of the whole team and unknown ones have none. */
function listOwners({ directory }: Management): ReadonlyMap<string, string> {
  const keys = [...directory.deletedKeys(), ...directory.keys()]
  return new Map(keys.map(key => [key.keyHash, ownerIdOf(key) ?? '']))
}

/** Reads page by page, so that no statement reads more than a page. */
async function listCalls(
  management: Management,
  { api_key: key, user_id: userId, request_id: requestId, team_id: teamId }: SpendLogsQuery,
  { from, until }: Range,
): Promise<SpendLog[]> {
  const { calls } = management
  const owners = listOwners(management)
  const isWanted = ({ key: hash }: OrganiserCallItem) => userId === undefined || owners.get(hash) === userId
  if (requestId !== undefined) {
    const found = await calls.find(requestId)
    return found === null || !isWanted(found) ? [] : [describeCall(found, owners)]
  }
  const found: SpendLog[] = []
  let before: string | null = null
  let pages = 0
  do {
    const page: Awaited<ReturnType<typeof calls.readAll>> = await calls.readAll({
      limit: maximumCallsPage,
      ...(teamId === undefined ? {} : { team_id: teamId }),
      ...(key === undefined ? {} : { key }),
      ...(from === null ? {} : { from: isoTime(from) }),
      ...(until === null ? {} : { until: isoTime(until) }),
      ...(before === null ? {} : { before }),
    })
    found.push(...page.items.filter(isWanted).map(call => describeCall(call, owners)))
    before = page.next_before
    pages += 1
    if (found.length > maxSpendLogs) throw refuseMany(`More than ${maxSpendLogs} calls match.`)
    if (pages === maxPages && before !== null) throw refuseMany('Too many calls to search.')
  } while (before !== null)
  return found
}

function refuseMany(what: string): ApiError {
  return invalidRequest(
    'start_date',
    `${what} Give a shorter time with start_date and end_date, or use GET /calls, page by page.`,
  )
}

function describeCall(call: OrganiserCallItem, owners: ReadonlyMap<string, string>): SpendLog {
  const { received_at: received, first_byte_ms: firstByte, input_tokens: input, output_tokens: output } = call
  return {
    request_id: call.call_id,
    call_type: call.endpoint,
    api_key: call.key,
    spend: call.left_nano / 1e9,
    total_tokens: input + output,
    prompt_tokens: input,
    completion_tokens: output,
    startTime: received,
    endTime: call.ended_at,
    completionStartTime: firstByte === null ? null : isoTime(Date.parse(received) + firstByte),
    model: call.model_served ?? call.model_asked ?? '',
    model_group: call.model_asked ?? '',
    user: owners.get(call.key) ?? '',
    team_id: call.team_id,
    session_id: call.session.id,
    requester_ip_address: call.client_address,
    cache_hit: 'False',
    status: call.outcome === 'completed' || call.outcome === 'replayed' ? 'success' : 'failure',
    metadata: { outcome: call.outcome, code: call.code, count: call.count },
  }
}

/** One query a day: its groups are the keys and models of that day only. */
async function sumDays(
  management: Management,
  { api_key: key, user_id: userId, team_id }: SpendLogsQuery,
  { from, until }: Range,
): Promise<SpendDay[]> {
  const { directory, read } = management
  if (from === null || until === null) return []
  const days = Array.from({ length: Math.round((until - from) / dayMs) }, (_, index) => from + index * dayMs)
  if (days.length > maxSpendLogDays)
    throw refuseValue(
      'end_date',
      `the range has ${days.length} days; at most ${maxSpendLogDays} are summed at once. GET /series/spend sums any range.`,
    )
  const teamId = team_id === undefined ? null : requireTeam(directory, team_id).teamId
  const keys = teamId === null ? directory.keys() : directory.keysOfTeam(teamId)
  const keyHash = key === undefined ? null : resolveKey(keys, key)
  const owners = listOwners(management)
  const summed: SpendDay[] = []
  for (const day of days) {
    const filter = { from: day, until: day + dayMs, teamId, keyHash, modelId: null }
    const sums = await read.sumSpend({ ...filter, by: ['key_hash', 'model_id'] })
    const wanted = sums.filter(
      ({ keyHash: hash }) => userId === undefined || owners.get(hash ?? '') === userId,
    )
    summed.push(describeDay(day, wanted, owners))
  }
  return summed
}

function describeDay(day: number, sums: readonly SpendSum[], owners: ReadonlyMap<string, string>): SpendDay {
  const charged = sums.filter(({ cost }) => cost !== 0)
  const addBy = (nameOf: (sum: SpendSum) => string) => {
    const totals = new Map<string, number>()
    for (const sum of charged) totals.set(nameOf(sum), (totals.get(nameOf(sum)) ?? 0) + sum.cost)
    return Object.fromEntries([...totals].map(([name, cost]) => [name, cost / 1e9]))
  }
  return {
    ...addBy(({ keyHash }) => keyHash ?? ''),
    startTime: isoTime(day).slice(0, 10),
    spend: charged.reduce((total, { cost }) => total + cost, 0) / 1e9,
    models: addBy(({ modelId }) => modelId ?? ''),
    users: addBy(({ keyHash }) => owners.get(keyHash ?? '') ?? ''),
  }
}
