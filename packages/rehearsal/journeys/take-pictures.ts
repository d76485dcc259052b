// `npm run pictures <folder>`: takes screenshots (`console:…`, `judge:…`, `team:…`, `wall:`) of the filled example (`--hostile`: of the small one from the
// journeys), in both themes and two widths.
import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OrganiserCallsPage } from '@fairgate/contracts/calls/call-list.ts'
import type { SessionsReply } from '@fairgate/contracts/console/sessions.ts'
import type { TeamsReply } from '@fairgate/contracts/console/teams.ts'
import type { JudgeCodesReply } from '@fairgate/contracts/judging/codes.ts'
import type { Page } from 'puppeteer-core'
import { openBrowser } from '../../server/journeys/console/testing/open-browser.ts'
import { seedEvent } from '../../server/journeys/console/testing/seed-event.ts'
import { seedJudging } from '../../server/journeys/console/testing/seed-judging.ts'
import { signInToConsole, signInToTeamPage } from '../../server/journeys/console/testing/sign-in.ts'
import { createManagement, type Management } from '../../server/journeys/testing/management.ts'
import { adminKey, startFairgate } from '../../server/journeys/testing/start-fairgate.ts'
import { startDemo } from '../src/start-demo.ts'

const isHostile = process.argv.includes('--hostile')
const [folder = 'pictures', ...asked] = process.argv.slice(2).filter(argument => argument !== '--hostile')
/** Every screen. `$team`, `$session`, `$entry` and `$call` are replaced by ids from the event. */
const defaults = [
  ...[
    '',
    '/event',
    '/messages',
    '/teams',
    ...['', '/limits', '/people', '/sessions', '/timeline', '/evidence', '/audit'].map(
      tab => `/teams/$team${tab}`,
    ),
    '/handouts',
    '/calls',
    '/calls?call=$call',
    '/logbook',
    '/sessions?team=$team',
    '/sessions/$team/$session',
    '/entries/$team/$entry',
    '/search?q=test',
    '/submissions',
    '/cases',
    ...['setup', 'panel', 'deal', 'progress', 'papers', 'results'].map(tab => `/judging?tab=${tab}`),
    '/spend',
    '/models',
    '/audit',
    '/settings',
  ].map(path => `console:/console${path}`),
  ...[
    '',
    '?team=$team',
    '?team=$team&show=score',
    '?team=$team&session=$session',
    '?team=$team&entry=$entry',
    '?view=sessions',
    '?view=search&q=test',
    '?view=order',
  ].map(query => `judge:/judging${query}`),
  ...['/', '/connect', '/calls', '/log', '/limits', '/ask'].map(path => `team:${path}`),
  'wall:',
]
mkdirSync(folder, { recursive: true })
const fairgate = await (isHostile ? startSmall() : startFilled())
const browser = await openBrowser()
try {
  const places = await findPlaces()
  const judgeId = await dealTeams()
  for (const [width, height] of [
    [1440, 900],
    [390, 844],
  ] as const) {
    for (const scheme of ['light', 'dark'] as const) {
      const { page, faults } = await browser.open({ width, height, scheme, isApart: true })
      // The console and the judge's page share a cookie.
      const { page: judgePage } = await browser.open({ width, height, scheme, isApart: true })
      await signInToConsole(page, fairgate.adminUrl, fairgate.adminKey)
      const pages = asked.length === 0 ? defaults : asked
      if (pages.some(each => each.startsWith('team:')))
        await signInToTeamPage(page, fairgate.gatewayUrl, fairgate.teamKey)
      if (pages.some(each => each.startsWith('judge:'))) await signInAsJudge(judgePage, judgeId)
      const { url: wallUrl } = await fairgate.manage.post<{ url: string }>('/wall_tokens', {
        name: 'Pictures',
        shows_budgets: true,
      })
      for (const each of pages) {
        const [door = '', asIs = ''] = each.split(/:(.*)/s)
        const path = asIs.replace(/\$(\w+)/g, (_, name: string) => places.get(name) ?? name)
        const root = door === 'team' ? fairgate.gatewayUrl : fairgate.adminUrl
        const wall = fairgate.gatewayUrl + new URL(wallUrl).pathname
        const shown = door === 'judge' ? judgePage : page
        await shown.goto(door === 'wall' ? wall + path : root + path)
        await shown
          .waitForNetworkIdle({ idleTime: 400, concurrency: 1, timeout: 8000 })
          .catch(() => undefined)
        const name = `${each.replaceAll(/[^a-z0-9]+/gi, '-')}-${width}-${scheme}.png`
        await shown.screenshot({ path: join(folder, name) as `${string}.png`, fullPage: true })
      }
      if (faults.length > 0) console.log(width, scheme, faults)
      await page.close()
      await judgePage.close()
    }
  }
} finally {
  await browser.close()
  await fairgate.stop()
}

async function findPlaces(): Promise<ReadonlyMap<string, string>> {
  const read = async <Reply>(path: string) =>
    (await (await fairgate.manage.call('GET', path)).json()) as Reply
  const teams = await read<TeamsReply>('/teams?sort=spent_nano&order=desc')
  const team = teams.items[isHostile ? 0 : 2]?.team_id ?? ''
  const [session] = (await read<SessionsReply>(`/sessions?team_id=${team}&logged=true`)).items
  const [call] = (await read<OrganiserCallsPage>(`/calls?team_id=${team}&limit=1`)).items
  return new Map([
    ['team', team],
    ['session', encodeURIComponent(session?.session_id ?? '')],
    ['call', call?.call_id ?? ''],
    ['entry', '1'],
  ])
}

/** Judging under way, with a small panel for the small event. Returns the id of a judge who has done some teams. */
async function dealTeams(): Promise<string> {
  const reply = await fairgate.manage.call('GET', '/teams?sort=team_id&limit=500')
  const { items } = (await reply.json()) as TeamsReply
  const teams = items.filter(({ state }) => state !== 'blocked').map(({ team_id }) => team_id)
  const { adminUrl, manage } = fairgate
  const { judges } = await seedJudging(adminUrl, manage, teams, isHostile ? 8 : 24)
  const present = judges.filter(({ absent }) => !absent)
  return present[Math.ceil(present.length / 3)]?.judge_id ?? ''
}

async function signInAsJudge(page: Page, judgeId: string): Promise<void> {
  const codes = await fairgate.manage.post<JudgeCodesReply>('/judging/codes', { judges: [judgeId] })
  await page.goto(codes.items[0]?.url ?? '')
  await page.waitForSelector('.judge-frame')
}

type Shown = {
  readonly adminUrl: string
  readonly adminKey: string
  readonly gatewayUrl: string
  readonly manage: Management
  /** A team's key. */
  readonly teamKey: string
  readonly stop: () => Promise<void>
}

async function startSmall(): Promise<Shown> {
  const small = await startFairgate()
  const { limited } = await seedEvent(small)
  return { ...small, adminKey, teamKey: limited.key }
}

async function startFilled(): Promise<Shown> {
  const { server, stop } = await startDemo(process.env, tmpdir())
  const manage = createManagement(server.adminUrl, server.adminKey)
  const reply = await manage.call('GET', '/teams?sort=spent_nano&order=desc')
  const { items } = (await reply.json()) as TeamsReply
  return { ...server, manage, teamKey: await manage.key(items[2]?.team_id ?? ''), stop }
}
