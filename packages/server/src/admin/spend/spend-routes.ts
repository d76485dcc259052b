// GET /spend, /series/spend, /spend/forecast and /spend/verify: what was spent, by whom and when, how long it lasts, and the proof of it.
import {
  forecastQuerySchema,
  type SpendForecast,
  spendForecastSchema,
} from '@fairgate/contracts/spend/spend-forecast.ts'
import {
  type SpendProof,
  spendProofQuerySchema,
  spendProofSchema,
} from '@fairgate/contracts/spend/spend-proof.ts'
import {
  type SpendReport,
  type SpendSeries,
  spendReportQuerySchema,
  spendReportSchema,
  spendSeriesQuerySchema,
  spendSeriesSchema,
} from '@fairgate/contracts/spend/spend-report.ts'
import type { Directory } from '../../directory/create-directory.ts'
import { requireTeam } from '../../directory/refusals.ts'
import type { SpendReading } from '../../insight/start-spend.ts'
import { type AdminRoute, lookupRoute } from '../management-route.ts'
import { exportSpendRoutes } from './export-spend.ts'

const tag = 'Spend'
const filterErrors = ['invalid_request', 'team_not_found', 'key_not_found', 'unavailable'] as const

export function spendRoutes(
  { reports, proveTotals, exportRows }: SpendReading,
  directory: Directory,
  clock: () => number,
): AdminRoute[] {
  return [
    lookupRoute({
      tag,
      openTo: 'organisers',
      path: '/spend',
      summary: 'What was spent, by team, member, key, model or refusal',
      description:
        'Sums over any range, `from` included and `until` not, by the time at which a call came: exactly those of the rows, whatever page is ' +
        'asked for. What was refunded is taken off. Figures are those of the record that is never deleted, also for keys that are gone.',
      query: spendReportQuerySchema,
      reply: spendReportSchema,
      errors: filterErrors,
      isStrict: true,
      look: (query): Promise<SpendReport> => reports.report(query),
    }),
    lookupRoute({
      tag,
      openTo: 'organisers',
      path: '/series/spend',
      summary: 'Spend, calls and refusals over time',
      description:
        'In steps that follow the hours and days of `time_zone`. A step without a call has no point, and `gaps` says where no series has one. ' +
        'The first and the last step may be cut by `from` and `until`.',
      query: spendSeriesQuerySchema,
      reply: spendSeriesSchema,
      errors: filterErrors,
      isStrict: true,
      look: (query): Promise<SpendSeries> => reports.series(query),
    }),
    lookupRoute({
      tag,
      openTo: 'organisers',
      path: '/spend/forecast',
      summary: 'When the budget of each team ends at its present pace',
      description:
        'The pace of the last hour, and the lowest and highest of the last 15 minutes, hour and four hours. It is a division and no promise: ' +
        'teams spend in bursts.',
      query: forecastQuerySchema,
      reply: spendForecastSchema,
      errors: ['invalid_request', 'team_not_found', 'unavailable'],
      isStrict: true,
      look: (query): Promise<SpendForecast> => reports.forecast(query),
    }),
    lookupRoute({
      tag,
      openTo: 'operators',
      path: '/spend/verify',
      summary: 'Prove that every total is the sum of its rows',
      description:
        'Sums all rows of the ledger again, in slices between which others read, and compares them with the totals of each team, key, and key ' +
        'and model, and with the sums that reports are read from. It takes some seconds for a million rows. The server does the same by itself every hour.',
      query: spendProofQuerySchema,
      reply: spendProofSchema,
      errors: ['invalid_request', 'team_not_found', 'unavailable'],
      isStrict: true,
      keepsOpen: true,
      look: ({ team_id: teamId }): Promise<SpendProof> => {
        if (teamId !== undefined) requireTeam(directory, teamId)
        return proveTotals(teamId ?? null)
      },
    }),
    ...exportSpendRoutes({ read: exportRows, directory, clock }),
  ]
}
