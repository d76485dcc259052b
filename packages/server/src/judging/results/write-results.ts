// Published results in the forms that others read: a page, a spreadsheet, and the scoreboard that CTFtime polls. Pure.
import { createHash } from 'node:crypto'
import type { CtftimeScoreboard, PublishedResults } from '@fairgate/contracts/judging/results.ts'
import { formatZonedMoment } from '@fairgate/contracts/text/zoned-time.ts'
import { html, type Markup } from '../../http/html.ts'
import { writeCell } from '../../http/write-cell.ts'

type PublishedTeam = PublishedResults['teams'][number]

/** The figure that decides, from 0 to 1; null if the judges' orders do, because their strengths have no unit. */
function scoreOf({ ranking }: PublishedResults, { mean, adjusted }: PublishedTeam): number | null {
  if (ranking === 'order') return null
  return ranking === 'adjusted' ? (adjusted ?? mean) : mean
}

/**
 * The form that CTFtime reads (ctftime.org/json-scoreboard-feed): criteria stand where tasks stand there, and scores are in hundredths. Only
 * ranked teams are in it.
 */
export function writeCtftime(results: PublishedResults): CtftimeScoreboard {
  const at = Math.floor(Date.parse(results.published_at) / 1000)
  return {
    tasks: results.criteria.map(({ name }) => name),
    standings: results.teams.flatMap(team => {
      if (team.rank === null) return []
      return {
        pos: team.rank,
        team: team.team,
        score: Math.round((scoreOf(results, team) ?? team.mean ?? 0) * 10_000) / 100,
        taskStats: Object.fromEntries(
          results.criteria.map(({ id, name }) => [name, { points: team.criteria[id] ?? 0, time: at }]),
        ),
        lastAccept: at,
      }
    }),
  }
}

/** One row a team. Cells that a spreadsheet could take for a formula have an apostrophe in front. */
export function writeCsv({ criteria, teams }: PublishedResults, hasMark: boolean): string {
  const head = [
    'rank',
    'team_id',
    'team',
    'judgements',
    'mean',
    'adjusted',
    ...criteria.map(({ id }) => id),
    'unranked',
  ]
  const number = (value: number | null) => (value === null ? '' : String(Math.round(value * 10_000) / 10_000))
  const rows = teams.map(team =>
    [
      number(team.rank),
      writeCell(team.team_id),
      writeCell(team.team),
      number(team.judgements),
      number(team.mean),
      number(team.adjusted),
      ...criteria.map(({ id }) => number(team.criteria[id] ?? null)),
      team.unranked ?? '',
    ].join(','),
  )
  return `${hasMark ? '\ufeff' : ''}${[head.join(','), ...rows].join('\r\n')}\r\n`
}

const style = `@page{margin:16mm}
:root{color-scheme:light dark;--text:light-dark(#1c2430,#e3e7ee);--soft:light-dark(#5b6675,#98a3b3);--line:light-dark(#dfe4ea,#313a47);--page:light-dark(#fff,#14181f)}
*{box-sizing:border-box}
body{margin:0 auto;max-width:60rem;padding:1.5rem 1rem 3rem;background:var(--page);color:var(--text);font:16px/1.5 system-ui,sans-serif}
h1{margin:0;line-height:1.2;overflow-wrap:anywhere}
h2{margin:2rem 0 .5rem;font-size:1.15rem}
p,li{overflow-wrap:anywhere}
.soft{color:var(--soft)}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%}
caption{text-align:left;color:var(--soft);padding-bottom:.25rem}
th,td{padding:.4rem .6rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top;overflow-wrap:anywhere}
.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
tr{break-inside:avoid}
@media print{:root{color-scheme:light}.screen{display:none}body{max-width:none;padding:0}}`

/** Nothing runs on the page, and nothing is loaded from elsewhere. */
export const resultsPageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
}

/** `timeZone`: of the event. Null: nothing is published yet. */
export function writeResultsPage(results: PublishedResults | null, timeZone: string): string {
  const title = results === null || results.event === '' ? 'Results' : `Results of ${results.event}`
  const content =
    results === null
      ? html`<p>The results are not published yet.</p>`
      : html`<p class="soft">Published ${formatZonedMoment(Date.parse(results.published_at), timeZone)}<span class="screen">. The same as <a href="results.csv">CSV</a> and <a href="results.json">JSON</a>.</span></p>
${renderCorrections(results, timeZone)}${renderRanking(results)}${renderUnranked(results)}${renderTies(results)}<h2>How this came about</h2>
<ul>${results.method.map(line => html`<li>${line}</li>`)}</ul>
`
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${{ markup: style }}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}</main>
</body>
</html>
`
  return page.markup
}

function renderCorrections({ corrections }: PublishedResults, timeZone: string): Markup {
  if (corrections.length === 0) return html``
  return html`<h2>Corrections</h2>
<ol>${corrections.map(
    ({ text, at }) =>
      html`<li>${text} <span class="soft">${formatZonedMoment(Date.parse(at), timeZone)}</span></li>`,
  )}</ol>
`
}

function renderRanking(results: PublishedResults): Markup {
  const { criteria, teams, ranking } = results
  const ranked = teams.filter(({ rank }) => rank !== null)
  if (ranked.length === 0) return html`<p>No team has a rank.</p>`
  const points = (value: number | null) => (value === null ? '–' : value.toFixed(2))
  return html`<div class="wide" role="region" aria-label="Ranking" tabindex="0"><table>
<caption>Scores are means of the judges. ${ranking === 'order' ? 'The orders of the judges decide the rank.' : ''}</caption>
<thead><tr><th scope="col" class="number">Rank</th><th scope="col">Team</th><th scope="col" class="number">Score of 100</th>${
    ranking === 'adjusted' ? html`<th scope="col" class="number">Adjusted</th>` : html``
  }${criteria.map(
    ({ name, max }) => html`<th scope="col" class="number">${name} of ${max}</th>`,
  )}<th scope="col" class="number">Judges</th></tr></thead>
<tbody>${ranked.map(
    team => html`<tr><td class="number">${team.rank ?? ''}</td><th scope="row">${team.team}</th><td class="number">${hundredths(team.mean)}</td>${
      ranking === 'adjusted' ? html`<td class="number">${hundredths(team.adjusted)}</td>` : html``
    }${criteria.map(({ id }) => html`<td class="number">${points(team.criteria[id] ?? null)}</td>`)}<td class="number">${team.judgements}</td></tr>
`,
  )}</tbody></table></div>
`
}

const hundredths = (value: number | null) => (value === null ? '–' : (value * 100).toFixed(1))

const reasons: Readonly<Record<NonNullable<PublishedTeam['unranked']>, string>> = {
  not_judged: 'no judgement',
  too_few_judgements: 'a single judgement',
  gate: 'did not meet a condition of the event',
}

function renderUnranked({ teams }: PublishedResults): Markup {
  const unranked = teams.filter(({ rank }) => rank === null)
  if (unranked.length === 0) return html``
  return html`<h2>Without a rank</h2>
<ul>${unranked.map(
    ({ team, unranked: why }) => html`<li>${team}: ${why === null ? 'no judgement' : reasons[why]}</li>`,
  )}</ul>
`
}

function renderTies({ ties, teams, criteria }: PublishedResults): Markup {
  if (ties.length === 0) return html``
  const names = new Map(teams.map(({ team_id, team }) => [team_id, team]))
  const nameOf = (teamId: string) => names.get(teamId) ?? teamId
  return html`<h2>Ties</h2>
<ul>${ties.map(({ step, teams: tied, values, reason }) => {
    const by =
      step.by === 'criterion'
        ? `by ${criteria.find(({ id }) => id === step.criterion)?.name ?? step.criterion}`
        : step.by === 'order'
          ? "by the judges' orders"
          : 'by the head judge'
    const list = tied
      .map(
        teamId =>
          `${nameOf(teamId)} ${values[teamId] === null ? '–' : Math.round((values[teamId] ?? 0) * 100) / 100}`,
      )
      .join(', ')
    return html`<li>${by}: ${list}${reason === null ? '' : `. ${reason}`}</li>`
  })}</ul>
`
}
