// suite: 65 s
// Every console screen once, in both themes and layouts. Only this file notices a barrier, a policy report, a screen wider than its window, or hostile text that became markup.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { findFaults } from './testing/check-screen.ts'
import { findChromium } from './testing/find-chromium.ts'
import { measureFirstView } from './testing/measure-first-view.ts'
import type { OpenedPage } from './testing/open-browser.ts'
import { hostileTexts } from './testing/seed-event.ts'
import { seedJudging } from './testing/seed-judging.ts'
import { startPages, type TestPages } from './testing/start-pages.ts'
import { gone, ready } from './testing/use-page.ts'

/** `shows`: texts and selectors, these in square brackets, that the complete screen has. */
const screens: readonly (readonly [path: string, ...shows: string[]])[] = [
  ['/console', 'Needs attention', 'Teams that need attention', 'Readiness', 'Forecast'],
  ['/console/event', 'Recent changes'],
  ['/console/event?do=extend', 'Extend a phase', '[[role=dialog] .changes]'],
  ['/console/event?do=phases', 'Add a phase'],
  ['/console/messages', 'Waiting'],
  ['/console/messages?show=announcements', 'The upstream was slow'],
  ['/console/notes', hostileTexts.html, '[[data-note]]'],
  ['/console/teams', '[tr[data-row=hostile]]'],
  ['/console/teams/hostile', 'RLO U+202E', 'Budget left'],
  ['/console/teams/kimchi-kernel', 'Kimchi Kernel', 'Budget left'],
  ['/console/teams/kimchi-kernel/timeline', 'no-such-model', 'claims 1 Jan 2099'],
  ['/console/teams/kimchi-kernel/people', 'Recorders', '[[data-part=keys]]'],
  ['/console/teams/kimchi-kernel/limits', '[[data-part=key-limits]]'],
  ['/console/teams/kimchi-kernel/sessions', '[tr[data-row]]'],
  ['/console/teams/kimchi-kernel/evidence', 'Verify now'],
  ['/console/teams/kimchi-kernel/notes', 'New note'],
  ['/console/teams/kimchi-kernel/audit', '[.audit-table]'],
  ['/console/handouts', 'have no active code'],
  ['/console/calls', '[tr[data-row]]'],
  ['/console/logbook', '[tr[data-row]]', 'claims 1 Jan 2099'],
  ['/console/sessions', '[tr[data-row]]'],
  [
    '/console/sessions/kimchi-kernel/SESSION',
    '[.talk-call]',
    hostileTexts.html,
    'RLO U+202E',
    'prototype: ',
    'claims 1 Jan 2099',
  ],
  ['/console/sessions/kimchi-kernel/SESSION?view=raw', '[.raw-entry]', 'claims 1 Jan 2099'],
  ['/console/entries/kimchi-kernel/6', '[[data-stored]]', 'onerror'],
  ['/console/submissions', 'Ask for submissions'],
  ['/console/judging?tab=setup', 'Is the time enough?', 'Version 1, saved'],
  ['/console/judging?tab=panel', '8 judges, 1 absent'],
  ['/console/judging?tab=deal', '[.matrix]', 'RLO U+202E'],
  ['/console/judging?tab=papers', 'Only the head judge enters paper scores.'],
  ['/console/judging?tab=progress', 'Judgements done', 'RLO U+202E'],
  ['/console/judging?tab=results', 'Ranking'],
  ['/console/cases', 'No team was asked anything.'],
  ['/console/search?q=owned', '[.search-hit mark]', 'claims 1 Jan 2099'],
  ['/console/spend', 'Kimchi Kernel'],
  ['/console/models', 'mm-2.5-flash'],
  ['/console/models?model=mm-2.5-pro', 'Prompts over'],
  ['/console/audit', '[[data-audit]]'],
  ['/console/settings', 'People with access'],
  ['/console/settings?tab=walls', 'No wall links yet'],
  ['/console/settings?tab=webhooks', 'New webhook'],
  ['/console/settings?tab=reader', 'Single-letter shortcuts'],
  ['/console/no-such-screen', 'Page not found'],
]

describe.skipIf(findChromium() === null)('the screen', () => {
  let pages: TestPages
  let opened: OpenedPage

  beforeAll(async () => {
    pages = await startPages()
    await pages.fairgate.manage.post('/notes', {
      subject: 'team',
      team_id: 'hostile',
      text: hostileTexts.html,
    })
    const { fairgate, event } = pages
    await seedJudging(
      fairgate.adminUrl,
      fairgate.manage,
      event.teams.map(({ teamId }) => teamId),
    )
    opened = await pages.openConsole('/console')
  })
  afterAll(() => pages.stop())

  test.each(screens)('%s', async (path, ...shows) => {
    const { page, faults } = opened
    const before = faults.length
    await page.goto(pages.fairgate.adminUrl + path.replace('SESSION', pages.event.sessionId))
    for (const each of shows) {
      const [, selector] = /^\[(.*)\]$/.exec(each) ?? []
      if (selector === undefined) await ready(page, each)
      else await page.waitForSelector(selector)
    }
    await gone(page, '[aria-busy=true]')
    expect([...(await findFaults(page)), ...faults.slice(before)]).toEqual([])
  })

  test('the first views of the console and the team page stay small', async () => {
    const ofConsole = await measureFirstView(await pages.openConsole('/console'), '.frame')
    const ofTeam = await measureFirstView(
      await pages.openTeamPage('/', pages.event.logged.key),
      '.team-frame',
    )
    for (const [{ script, style }, most] of [
      [ofConsole, 400_000],
      [ofTeam, 250_000],
    ] as const) {
      expect(script).toBeGreaterThan(50_000)
      expect(script).toBeLessThan(most)
      expect(style).toBeGreaterThan(5000)
      expect(style).toBeLessThan(40_000)
    }
  })
})
