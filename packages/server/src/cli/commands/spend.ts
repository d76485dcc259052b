// `fairgate spend …`: what was spent, by whom and when, how long budgets last, the rows themselves, and the proof of the totals.
import {
  type SpendForecast,
  spendForecastSchema,
  type TeamForecast,
} from '@fairgate/contracts/spend/spend-forecast.ts'
import { type SpendProof, spendProofSchema } from '@fairgate/contracts/spend/spend-proof.ts'
import {
  maximumReportPage,
  type SeriesStep,
  type SpendGrouping,
  type SpendReport,
  type SpendReportItem,
  type SpendSeries,
  seriesSteps,
  spendGroupings,
  spendReportSchema,
  spendSeriesSchema,
} from '@fairgate/contracts/spend/spend-report.ts'
import { type Command, Option } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { CommandFailure, refuseUsage } from '../command-failure.ts'
import type { AdminQuery } from '../door/call-admin-door.ts'
import { addTeamFilter, chooseTeam, parseInteger, type TeamOption } from '../options.ts'
import { absent, formatTable, formatUsd } from '../output/format.ts'
import { type ExportFormat, type StreamSurroundings, writeStream } from '../output/write-stream.ts'
import { describeCalls, readCalls } from './call.ts'

const groupHelp = `
Ranges include --from and not --until; a call belongs to the moment at which it came. Sums are those of
all rows, whatever --limit says. Refunds are taken off.

Examples:
  $ fairgate spend top
  $ fairgate spend by-model team-01 --from 2026-11-21T10:00:00+09:00
  $ fairgate spend over-time --by 10m --split team --time-zone Asia/Seoul
  $ fairgate spend calls team-01 --refused
  $ fairgate spend export --csv --bom --output spend.csv
  $ fairgate spend forecast
  $ fairgate spend verify`

type FilterOptions = TeamOption & {
  readonly key?: string
  readonly model?: string
  readonly from?: string
  readonly until?: string
}

const lists = [
  ['top', 'team', 'what each team spent, the dearest first'],
  ['by-model', 'model', 'what was spent on each model'],
  ['by-member', 'member', 'what was spent by each member, with all of their keys'],
  ['by-key', 'key', 'what was spent with each key'],
  ['refusals', 'code', 'how many calls were refused, by the code of the error'],
] as const satisfies readonly (readonly [verb: string, by: SpendGrouping, description: string])[]

export function addSpendCommands(
  program: Command,
  context: CommandContext,
  surroundings: StreamSurroundings,
): void {
  const group = program
    .command('spend')
    .description('what was spent, by whom and when, and how long it lasts')
  group.addHelpText('after', groupHelp)
  for (const [verb, by, description] of lists) {
    addFilters(group.command(verb))
      .description(description)
      .option('--limit <n>', 'at most this many', parseInteger(1, maximumReportPage), 100)
      .option('--after <place>', 'where the last list ended')
      .action((argument: string | undefined, options: FilterOptions & { limit: number; after?: string }) => {
        const { limit, after } = options
        const query = { by, limit, after, ...buildFilter(argument, options) }
        return context.show({ get: '/spend', query }, spendReportSchema, describeReport)
      })
  }
  addFilters(group.command('over-time'))
    .description('spend, calls and refusals in steps of time')
    .addOption(
      new Option('--by <step>', 'how long a step is').choices(Object.keys(seriesSteps)).default('10m'),
    )
    .addOption(new Option('--split <what>', 'one series for each').choices(spendGroupings))
    .option('--time-zone <zone>', 'IANA name of the zone whose hours and days the steps follow', 'UTC')
    .action((argument: string | undefined, options: SeriesOptions) => {
      const { by: step, split: by, timeZone: time_zone } = options
      const query = { step, by, time_zone, ...buildFilter(argument, options) }
      return context.show({ get: '/series/spend', query }, spendSeriesSchema, describeSeries)
    })
  addFilters(group.command('calls'))
    .description('the calls behind the sums, newest first, with the total of all')
    .option('--refused', 'only calls that were refused')
    .option('--limit <n>', 'at most this many', parseInteger(1, 100_000), 50)
    .option('--before <place>', 'where the last list ended')
    .action((argument: string | undefined, options: CallsOptions) =>
      listCalls(context, buildFilter(argument, options), options),
    )
  addFilters(group.command('export'))
    .description('the rows of the ledger as a stream, team by team')
    .option('--csv', 'as CSV')
    .option('--ndjson', 'as one JSON object a line (default, unless the file ends in .csv)')
    .option('--refused', 'with the refused calls, which cost nothing')
    .option('--after <cursor>', 'go on behind the row with this cursor')
    .option('-o, --output <file>', 'write to this file, which is there only when it is whole')
    .option('--force', 'replace a file that is there')
    .option('--bom', 'begin CSV with the mark by which Excel recognises UTF-8')
    .action((argument: string | undefined, options: ExportOptions) =>
      writeStream(context, surroundings, planExport(argument, options, context.isJson())),
    )
  addTeamFilter(group.command('forecast'))
    .description('when the budget of each team ends at its present pace')
    .action((argument: string | undefined, options: TeamOption) => {
      const query = { team_id: chooseTeam(argument, options) }
      return context.show({ get: '/spend/forecast', query }, spendForecastSchema, describeForecast)
    })
  addTeamFilter(group.command('verify'))
    .description('prove that every total is the sum of its rows (exit code 1 when one is not)')
    .action(async (argument: string | undefined, options: TeamOption) => {
      const query = { team_id: chooseTeam(argument, options) }
      const proof = await context.ask({ get: '/spend/verify', query, patient: true }, spendProofSchema)
      context.print(proof, describeProof)
      if (!proof.ok)
        throw new CommandFailure(1, `${proof.wrong_count} totals are not the sums of their rows.`)
    })
}

type SeriesOptions = FilterOptions & {
  readonly by: SeriesStep
  readonly split?: SpendGrouping
  readonly timeZone: string
}
type CallsOptions = FilterOptions & {
  readonly refused?: boolean
  readonly limit: number
  readonly before?: string
}
type ExportOptions = FilterOptions & {
  readonly csv?: boolean
  readonly ndjson?: boolean
  readonly refused?: boolean
  readonly after?: string
  readonly output?: string
  readonly force?: boolean
  readonly bom?: boolean
}

function addFilters(command: Command): Command {
  return addTeamFilter(command)
    .option('--key <key>', 'only calls of this key: alias, masked name or SHA-256')
    .option('--model <id>', 'only calls served by this model')
    .option('--from <time>', 'ISO 8601 with an offset: only calls from then on')
    .option('--until <time>', 'ISO 8601 with an offset: only calls before it')
}

function buildFilter(argument: string | undefined, options: FilterOptions): AdminQuery {
  const { key, model, from, until } = options
  return { team_id: chooseTeam(argument, options), key, model, from, until }
}

function describeReport({ by, items, next, total }: SpendReport): string {
  if (items.length === 0) return 'Nothing was spent or refused.'
  const table = formatTable(
    [...nameTitles[by], 'USD', 'SHARE', 'CALLS', 'REFUSED'],
    items.map(item => [...nameItem(by, item), ...describeFigures(item, total.cost_nano)]),
  )
  const sum = `Total: ${describeTotal(total)}`
  return `${table}\n\n${sum}${next === null ? '' : `\nMore: --after ${next}`}`
}

const nameTitles: Readonly<Record<SpendGrouping, readonly string[]>> = {
  team: ['TEAM', 'NAME'],
  member: ['TEAM', 'MEMBER'],
  key: ['TEAM', 'KEY', 'ALIAS'],
  model: ['MODEL'],
  code: ['CODE'],
}

function nameItem(
  by: SpendGrouping,
  item: Omit<SpendReportItem, 'calls' | 'refused' | 'cost_nano'>,
): string[] {
  const {
    team_id = absent,
    team_alias,
    member_id,
    member_name,
    key,
    key_name,
    key_alias,
    model,
    code = absent,
  } = item
  switch (by) {
    case 'team':
      return [team_id, team_alias ?? absent]
    case 'member':
      return [team_id, member_name ?? member_id ?? '(keys without a member)']
    case 'key':
      return [team_id, key_name ?? `${key?.slice(0, 12) ?? ''}… (deleted)`, key_alias ?? absent]
    case 'model':
      return [model ?? absent]
    case 'code':
      return [code]
  }
}

type Figures = Pick<SpendReportItem, 'calls' | 'refused' | 'cost_nano'>

function describeFigures({ calls, refused, cost_nano: cost }: Figures, all: number): string[] {
  const share = all > 0 ? `${((cost / all) * 100).toFixed(1)} %` : absent
  return [formatUsd(cost / 1e9), share, String(calls), String(refused)]
}

function describeTotal({ calls, refused, cost_nano: cost }: Figures): string {
  return `${formatUsd(cost / 1e9)} USD in ${calls} calls, ${refused} refused`
}

function describeSeries({ series, by, gaps, total, step, time_zone: zone }: SpendSeries): string {
  if (series.length === 0) return 'Nothing was spent or refused.'
  const rows = series.flatMap(({ points, ...item }) =>
    points.map(point => ({ point, name: by === null ? [] : nameItem(by, item) })),
  )
  rows.sort((left, right) => (left.point.at < right.point.at ? -1 : left.point.at > right.point.at ? 1 : 0))
  const table = formatTable(
    [`FROM (${zone})`, ...(by === null ? [] : nameTitles[by]), 'USD', 'CALLS', 'REFUSED'],
    rows.map(({ point, name }) => [
      showLocal(point.at, zone),
      ...name,
      formatUsd(point.cost_nano / 1e9),
      String(point.calls),
      String(point.refused),
    ]),
  )
  const quiet = gaps.flatMap(({ from, until }) => {
    const [begin, end] = [showLocal(from, zone), showLocal(until, zone)]
    // Shorter than what is shown.
    return begin === end ? [] : [`${begin} to ${end}`]
  })
  const pauses =
    quiet.length === 0
      ? ''
      : `\nNothing: ${quiet.slice(0, 5).join('; ')}${quiet.length > 5 ? `; and ${quiet.length - 5} more` : ''}`
  return `${table}\n\nTotal: ${describeTotal(total)}, in steps of ${step}${pauses}`
}

/** `2026-11-21 19:00` by the clocks of the zone. */
function showLocal(time: string, timeZone: string): string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' })
  return format.format(new Date(time))
}

async function listCalls(
  { ask, print }: CommandContext,
  filter: AdminQuery,
  { refused = false, limit, before }: CallsOptions,
): Promise<void> {
  const query = { ...filter, before, outcome: refused ? 'refused' : undefined }
  const page = await readCalls(ask, query, limit)
  const { total } = await ask(
    { get: '/spend', query: { ...filter, by: 'team', limit: 1 } },
    spendReportSchema,
  )
  print({ ...page, total }, reply => `${describeCalls(reply)}\n\nTotal of all: ${describeTotal(reply.total)}`)
}

const formats: Readonly<Record<ExportFormat, { readonly path: string; readonly mediaType: string }>> = {
  ndjson: { path: '/spend/export.ndjson', mediaType: 'application/x-ndjson' },
  csv: { path: '/spend/export.csv', mediaType: 'text/csv' },
}

/** Refuses options that make no sense together. Throws CommandFailure 2. */
function planExport(argument: string | undefined, options: ExportOptions, isJson: boolean) {
  const { csv = false, ndjson = false, output, force = false, bom = false, refused, after } = options
  if (csv && (ndjson || isJson)) throw refuseUsage('--csv and --ndjson exclude each other.')
  const isCsv = csv || (!ndjson && !isJson && output?.toLowerCase().endsWith('.csv') === true)
  if (bom && !isCsv) throw refuseUsage('--bom is for CSV only.')
  if (force && output === undefined) throw refuseUsage('--force is for --output only.')
  const format: ExportFormat = isCsv ? 'csv' : 'ndjson'
  return {
    ...formats[format],
    format,
    file: output ?? null,
    mayReplace: force,
    rows: 'rows',
    query: { ...buildFilter(argument, options), refused, after, bom: bom ? true : undefined },
  }
}

function describeForecast({ items }: SpendForecast): string {
  if (items.length === 0) return 'No forecast: there are no teams yet.'
  const table = formatTable(
    ['TEAM', 'LEFT USD', 'USD AN HOUR', 'LOW TO HIGH', 'ENDS', 'RANGE', 'RESETS'],
    items.map(({ team_id, left_nano, pace_nano_h: pace, dry_at: dry, resets_at, verdict }) => [
      team_id,
      showNano(left_nano),
      showNano(pace.mid),
      `${showNano(pace.low)} to ${showNano(pace.high)}`,
      describeEnd(verdict, dry.mid),
      dry.high === null ? absent : `${showTime(dry.high)} to ${showTime(dry.low)}`,
      showTime(resets_at),
    ]),
  )
  return `${table}\n\nAt the pace of the last hour; low and high over the last 15 minutes, hour and four hours. Times are UTC.`
}

function describeEnd(verdict: TeamForecast['verdict'], mid: string | null): string {
  switch (verdict) {
    case 'no_budget':
      return 'no budget'
    case 'spent':
      return 'nothing left'
    case 'runs_dry':
      return showTime(mid)
    default:
      return 'not at this pace'
  }
}

function showNano(nano: number | null): string {
  return nano === null ? absent : (nano / 1e9).toFixed(2)
}

function showTime(time: string | null): string {
  return time === null ? absent : `${time.slice(0, 10)} ${time.slice(11, 16)}`
}

function describeProof(proof: SpendProof): string {
  const { ok, teams, owners, rows, wrong, wrong_count: count, took_ms: took, by_fallback: fallbacks } = proof
  const looked = `${rows} rows, ${owners} totals of ${teams} teams, ${(took / 1000).toFixed(1)} s`
  const moved =
    fallbacks === 0
      ? ''
      : `\n${fallbacks} totals of a key and model differ only because a fallback has served: that is how they count.`
  if (ok) return `Every total is the sum of its rows (${looked}).${moved}`
  const table = formatTable(
    ['TEAM', 'OWNER', 'TOTAL USD', 'SUM OF ROWS USD'],
    wrong.map(each => [
      each.team_id,
      each.owner,
      formatUsd(each.total_nano / 1e9),
      formatUsd(each.rows_nano / 1e9),
    ]),
  )
  return `${table}${count > wrong.length ? `\nand ${count - wrong.length} more` : ''}\n\nCompared: ${looked}.${moved}`
}
