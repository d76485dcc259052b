// `fairgate spend …`: spend by owner and time, how long budgets last, the rows themselves, and the proof of the totals.
import {
  type SpendForecast,
  spendForecastSchema,
  type TeamForecast,
} from '@fairgate/contracts/spend/spend-forecast.ts'
import { type SpendProof, spendProofSchema } from '@fairgate/contracts/spend/spend-proof.ts'
import {
  maximumReportPage,
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
import { addCommand, addOptions, addRequest } from '../add-request.ts'
import type { CommandContext } from '../command-context.ts'
import { CommandFailure, refuseUsage } from '../command-failure.ts'
import { addTeamFilter, chooseTeam, parseInteger, parseTime, timeHelp } from '../options.ts'
import { absent, formatItems, formatNano, formatTable } from '../output/format.ts'
import {
  fileOptions,
  markOption,
  planTarget,
  type TargetOptions,
  writeStream,
} from '../output/write-stream.ts'
import { describeCalls, readCalls } from './call.ts'

const groupHelp = `
Ranges include --from and exclude --until; a call counts at the time it arrived. Totals cover all rows,
whatever --limit is. Refunds are subtracted.
${timeHelp}

Examples:
  $ fairgate spend top
  $ fairgate spend by-model team-01 --from 2026-11-21T10:00:00+09:00
  $ fairgate spend by-member team-01
  $ fairgate spend by-key team-01 --from -2h
  $ fairgate spend refusals --from -2h
  $ fairgate spend over-time --by 10m --split team --time-zone Asia/Seoul
  $ fairgate spend calls team-01 --refused
  $ fairgate spend export --csv --bom --output spend.csv
  $ fairgate spend forecast
  $ fairgate spend verify`

const filterOptions = [
  ['--key <key>', 'only calls of this key: alias, masked name or SHA-256'],
  ['--model <id>', 'only calls served by this model'],
  ['--from <time>', 'only calls from then on, such as -2h', parseTime],
  ['--until <time>', 'only calls before then', parseTime],
] as const

const lists = [
  ['top', 'team', 'list spend by team, highest first'],
  ['by-model', 'model', 'list spend by model'],
  ['by-member', 'member', 'list spend by member, over all of their keys'],
  ['by-key', 'key', 'list spend by key'],
  ['refusals', 'code', 'list refused calls by error code'],
] as const satisfies readonly (readonly [verb: string, by: SpendGrouping, description: string])[]

export function addSpendCommands(program: Command, context: CommandContext): void {
  const group = program.command('spend').description('report spend: by team, model, member, key and time')
  group.addHelpText('after', groupHelp)
  for (const [verb, by, description] of lists)
    addRequest(group, context, {
      verb,
      description,
      isOfTeams: true,
      options: [
        ...filterOptions,
        ['--limit <n>', 'at most this many', parseInteger(1, maximumReportPage), 100],
        ['--after <place>', 'continue where the last list ended'],
      ],
      request: fields => ({ get: '/spend', query: { by, ...fields } }),
      reply: spendReportSchema,
      list: 'items',
      describe: describeReport,
    })
  addRequest(group, context, {
    verb: 'over-time',
    description: 'list spend, calls and refusals over time',
    isOfTeams: true,
    options: [
      ...filterOptions,
      new Option('--by <step>', 'length of a step').choices(Object.keys(seriesSteps)).default('10m'),
      new Option('--split <what>', 'one series for each team, model, …').choices(spendGroupings),
      new Option('--time-zone <zone>', 'IANA name of the time zone of the steps').default('UTC'),
    ],
    names: { by: 'step', split: 'by' },
    request: query => ({ get: '/series/spend', query }),
    reply: spendSeriesSchema,
    list: 'series',
    describe: describeSeries,
  })
  addCommand(
    group,
    {
      verb: 'calls',
      description: 'list calls, newest first, with the total of all',
      isOfTeams: true,
      options: [
        ...filterOptions,
        ['--refused', 'only calls that were refused'],
        ['--limit <n>', 'at most this many', parseInteger(1, 100_000), 50],
        ['--before <place>', 'continue where the last list ended'],
      ],
    },
    async ({ refused, limit, before, ...filter }) => {
      const { ask, print } = context
      const outcome = refused === true ? 'refused' : undefined
      const page = await readCalls(ask, { ...filter, before, outcome }, Number(limit))
      const query = { ...filter, by: 'team', limit: 1 }
      const { total } = await ask({ get: '/spend', query }, spendReportSchema)
      print(
        { ...page, total },
        reply => `${describeCalls(reply)}\n\nTotal of all: ${describeTotal(reply.total)}`,
        'items',
      )
    },
  )
  const exporting = addTeamFilter(group.command('export')).description(
    'export the rows of the ledger, team by team',
  )
  addOptions(exporting, [
    ...filterOptions,
    ['--csv', 'write CSV'],
    ['--ndjson', 'write one JSON object per line (default, unless the file ends in .csv)'],
    ['--refused', 'include refused calls, which cost nothing'],
    ['--after <cursor>', 'continue after the row with this cursor'],
    ...fileOptions,
    markOption,
  ])
  exporting.action((argument: string | undefined, options: ExportOptions) => {
    const { team, csv = false, ndjson = false, output, force, bom, ...filter } = options
    const isNdjson = ndjson || context.isJson()
    if (csv && isNdjson) throw refuseUsage('use --csv or --ndjson, not both.')
    return writeStream(context, {
      ...planTarget(options, csv ? 'csv' : isNdjson ? 'ndjson' : undefined),
      path: '/spend/export',
      query: { team_id: chooseTeam(argument, team), ...filter },
      rows: 'rows',
    })
  })
  addRequest(group, context, {
    verb: 'forecast',
    description: 'forecast when the budget of each team runs out',
    isOfTeams: true,
    request: query => ({ get: '/spend/forecast', query }),
    reply: spendForecastSchema,
    list: 'items',
    describe: describeForecast,
  })
  addCommand(
    group,
    {
      verb: 'verify',
      description: 'verify that every total is the sum of its rows (exit code 1 if one is not)',
      isOfTeams: true,
      options: [['--whole', 'sum all rows, including those that an earlier check has summed']],
    },
    async query => {
      const proof = await context.ask({ get: '/spend/verify', query, patient: true }, spendProofSchema)
      context.print(proof, describeProof)
      if (!proof.ok)
        throw new CommandFailure(1, `${proof.wrong_count} totals are not the sums of their rows.`)
    },
  )
}

type ExportOptions = TargetOptions & {
  readonly team?: string
  readonly csv?: boolean
  readonly ndjson?: boolean
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
  return [formatNano(cost), share, String(calls), String(refused)]
}

function describeTotal({ calls, refused, cost_nano: cost }: Figures): string {
  return `${formatNano(cost)} USD in ${calls} calls, ${refused} refused`
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
      formatNano(point.cost_nano),
      String(point.calls),
      String(point.refused),
    ]),
  )
  const quiet = gaps.flatMap(({ from, until }) => {
    const [begin, end] = [showLocal(from, zone), showLocal(until, zone)]
    // Too short to show.
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

function describeForecast({ items }: SpendForecast): string {
  if (items.length === 0) return 'No forecast: there are no teams yet.'
  const table = formatItems(items, '', {
    TEAM: 'team_id',
    'LEFT USD': ({ left_nano }) => showNano(left_nano),
    'USD AN HOUR': ({ pace_nano_h: pace }) => showNano(pace.mid),
    'LOW TO HIGH': ({ pace_nano_h: pace }) => `${showNano(pace.low)} to ${showNano(pace.high)}`,
    ENDS: ({ verdict, dry_at: dry }) => describeEnd(verdict, dry.mid),
    RANGE: ({ dry_at: dry }) => (dry.high === null ? null : `${showTime(dry.high)} to ${showTime(dry.low)}`),
    RESETS: ({ resets_at }) => showTime(resets_at),
  })
  return `${table}\n\nAt the pace of the last hour; low and high over 15 minutes, 1 hour and 4 hours.\nTimes are UTC.`
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
  const before = proof.rows_before === 0 ? '' : ` (${proof.rows_before} of them proven before)`
  const looked = `${rows} rows${before}, ${owners} totals of ${teams} teams, ${(took / 1000).toFixed(1)} s`
  const moved =
    fallbacks === 0
      ? ''
      : `\n${fallbacks} totals of a key and model differ only because a fallback served calls, which is expected.`
  if (ok) return `Every total is the sum of its rows (${looked}).${moved}`
  const table = formatItems(wrong, '', {
    TEAM: 'team_id',
    OWNER: 'owner',
    'TOTAL USD': each => formatNano(each.total_nano),
    'SUM OF ROWS USD': each => formatNano(each.rows_nano),
  })
  return `${table}${count > wrong.length ? `\nand ${count - wrong.length} more` : ''}\n\nCompared: ${looked}.${moved}`
}
