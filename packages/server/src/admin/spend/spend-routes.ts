// GET /spend, /series/spend, /spend/forecast and /spend/verify: spend by owner and over time, its forecast, and its proof.
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
import { requireTeam } from '../../directory/refusals.ts'
import { type AdminRoute, lookupRoute, type Management } from '../management-route.ts'
import { exportSpendRoutes } from './export-spend.ts'

const facts = { tag: 'Spend', openTo: 'organisers', isStrict: true } as const
const filterErrors = ['invalid_request', 'team_not_found', 'key_not_found', 'unavailable'] as const

export function spendRoutes(management: Management): AdminRoute[] {
  const { directory, spend } = management
  const { reports, proveTotals } = spend
  return [
    lookupRoute({
      ...facts,
      path: '/spend',
      summary: 'Report spend by team, member, key, model or refusal',
      description:
        'Sums over any range, including `from` but not `until`, by the time a call arrived: exactly the sums of the rows, for any page. ' +
        'Refunds are subtracted. Figures come from the record that is never deleted, so they include deleted keys.',
      query: spendReportQuerySchema,
      reply: spendReportSchema,
      errors: filterErrors,
      look: (query): Promise<SpendReport> => reports.report(query),
    }),
    lookupRoute({
      ...facts,
      path: '/series/spend',
      summary: 'Spend, calls and refusals over time',
      description:
        'In steps aligned with the hours and days of `time_zone`. A step without a call has no point, and `gaps` lists steps without any. ' +
        'The first and last step may be cut by `from` and `until`.',
      query: spendSeriesQuerySchema,
      reply: spendSeriesSchema,
      errors: filterErrors,
      look: (query): Promise<SpendSeries> => reports.series(query),
    }),
    lookupRoute({
      ...facts,
      path: '/spend/forecast',
      summary: "Forecast when each team's budget ends at its current pace",
      description:
        'Uses the pace of the last hour, and the lowest and highest of the last 15 minutes, hour and four hours. It is a simple division, not a promise: ' +
        'teams spend in bursts.',
      query: forecastQuerySchema,
      reply: spendForecastSchema,
      errors: ['invalid_request', 'team_not_found', 'unavailable'],
      look: (query): Promise<SpendForecast> => reports.forecast(query),
    }),
    lookupRoute({
      ...facts,
      openTo: 'operators',
      path: '/spend/verify',
      summary: 'Prove that every total is the sum of its rows',
      description:
        'Sums the rows of the ledger, in slices so that others can read in between, and compares them with the totals of each team, key, and key ' +
        'and model, and with the sums behind reports. A team continues where its rows were last proven; one that then looks wrong, and each team ' +
        'once a day, is summed from its first row. With `whole=true` all are, which takes some seconds for a million rows. The server also proves the totals every hour.',
      query: spendProofQuerySchema,
      reply: spendProofSchema,
      errors: ['invalid_request', 'team_not_found', 'unavailable'],
      keepsOpen: true,
      look: ({ team_id: teamId, whole }, { signal: client }): Promise<SpendProof> => {
        if (teamId !== undefined) requireTeam(directory, teamId)
        return proveTotals({ teamId: teamId ?? null, isWhole: whole === 'true' }, client)
      },
    }),
    ...exportSpendRoutes(management),
  ]
}
