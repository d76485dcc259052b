// suite: 30 s
// The page of a judge: signing in with a claim link, what to read next, the dossier and its sessions, on a wide screen and a phone. Only this
// file notices a judge who cannot get in, does not see what to read, loses typed text, or sees figures that no longer hold.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { JudgeCodesReply } from '@fairgate/contracts/judging/codes.ts'
import type { JudgingSetup } from '@fairgate/contracts/judging/setup.ts'
import type { BrowserContext, Page } from 'puppeteer-core'
import { openPanel, type PanelJudge } from '../testing/panel-judges.ts'
import { findFaults } from './testing/check-screen.ts'
import { findChromium } from './testing/find-chromium.ts'
import { hostileTexts } from './testing/seed-event.ts'
import { startPages, type TestPages } from './testing/start-pages.ts'
import { at, fill, find, gone, looking, press, ready, says, textOf, whenSearch } from './testing/use-page.ts'

const hour = 3_600_000
const setup: JudgingSetup = {
  criteria: [
    { id: 'direction', name: 'Direction', weight: 2, max: 5 },
    { id: 'checking', name: `Checking ${hostileTexts.html}`, weight: 1, max: 5 },
  ],
  ranking: 'mean',
  ties: [{ by: 'head_judge' }],
  judges_per_team: 1,
  minutes_per_team: 10,
  minutes_per_judge: 480,
  calibration_team: 'kimchi-kernel',
  closes_at: new Date(Date.now() + 2 * hour).toISOString(),
  seed: '4 2 6 1',
}

describe.skipIf(findChromium() === null)("a judge's page", () => {
  let pages: TestPages
  let judge: PanelJudge
  let context: BrowserContext
  let url = ''

  beforeAll(async () => {
    pages = await startPages()
    const { fairgate, event, browser } = pages
    const at = (ms: number) => new Date(Date.now() + ms).toISOString()
    await fairgate.manage.change('PUT', '/event/phases', {
      phases: [{ name: 'Contest', from: at(-5 * hour), until: at(hour), submissions_until: at(hour) }],
    })
    const handedIn = await fetch(`${fairgate.gatewayUrl}/self/submission`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${event.logged.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        based_on: 0,
        title: `Kernel ${hostileTexts.html}`,
        summary: hostileTexts.reordered,
        repository: 'https://github.com/kimchi/kernel',
      }),
    })
    expect(handedIn.status).toBe(200)
    const [made] = await openPanel(fairgate, setup, ['Mira Lang'])
    if (made === undefined) throw new Error('No judge was added.')
    judge = made
    url = await renewLink()
    context = await browser.createContext()
  })
  afterAll(() => pages.stop())

  /** The link used before stops working, and its sessions end. */
  async function renewLink(): Promise<string> {
    const codes = await pages.fairgate.manage.post<JudgeCodesReply>('/judging/codes', {
      judges: [judge.judgeId],
    })
    return codes.items[0]?.url ?? ''
  }

  async function openPage(path: string, width = 1440) {
    const opened = await pages.browser.open({ context, width, height: width < 768 ? 844 : 900 })
    await opened.page.goto(pages.fairgate.adminUrl + path)
    return opened
  }

  const hasHeading = (page: Page, text: string) => says(page, '#content h1', text)

  test('a wrong code shows what is wrong, and the link signs in by itself', async () => {
    const { page, faults } = await openPage('/judging')
    await fill(page, 'Your code', 'WRNG-CDEX-JKMN')
    expect(await findFaults(page)).toEqual([])
    await press(page, 'Sign in')
    await page.waitForSelector('[role=alert]')
    expect(await textOf(page, '[role=alert]')).not.toBe('')
    await page.goto('about:blank')
    await page.goto(url)
    await hasHeading(page, 'Your teams')
    expect(page.url()).toBe(`${pages.fairgate.adminUrl}/judging`)
    expect(faults).toEqual([])
    await page.close()
  })

  test('the start page leads to the first team, whose dossier is recorded as begun', async () => {
    const { page, faults } = await openPage('/judging')
    await ready(page, '0 of 9 done')
    await ready(page, 'at 10 min each you need 1 h 30 min')
    await page.waitForSelector('[data-live=live]')
    expect(await findFaults(page)).toEqual([])
    await press(page, 'Read Kimchi Kernel', 'a')
    await at(page, '/judging?team=kimchi-kernel')
    await hasHeading(page, 'Kimchi Kernel')
    await ready(page, 'How they worked')
    await says(page, '#content', `Kernel ${hostileTexts.html}`)
    await ready(page, 'RLO U+202E')
    await page.waitForSelector('a[href="https://github.com/kimchi/kernel"][rel~=noopener][target=_blank]')
    await page.waitForSelector('.judge-score')
    expect(await findFaults(page)).toEqual([])
    await page.waitForSelector('.judge-list a[aria-current=page] svg[aria-label=begun]')
    expect(faults).toEqual([])
    await page.close()
  })

  test('arrow keys go through the teams, and the heading gets the focus', async () => {
    const { page } = await openPage('/judging?team=kimchi-kernel')
    await hasHeading(page, 'Kimchi Kernel')
    await page.keyboard.press('ArrowRight')
    await page.waitForFunction(() => !location.search.includes('kimchi-kernel'), looking)
    await page.waitForFunction(
      () => document.activeElement === document.querySelector('#content h1'),
      looking,
    )
    await page.keyboard.press('ArrowLeft')
    await at(page, '/judging?team=kimchi-kernel')
    await page.close()
  })

  test('one tap leads into a session, where hostile entries stay text and can be cited', async () => {
    const { page, faults } = await openPage('/judging?team=kimchi-kernel')
    await page.waitForSelector(`a.judged-session[href*="${pages.event.sessionId}"]`)
    await page.click(`a.judged-session[href*="${pages.event.sessionId}"]`)
    await ready(page, 'The scheduler starves low priority jobs.')
    await ready(page, 'terminal sequences removed')
    await page.click('.talk-entry .cite')
    await press(page, 'Direction', '[role=menuitemcheckbox]')
    await says(page, '.talk-entry .cite', 'Cited')
    await page.keyboard.press('Escape')
    await gone(page, '[role=menu]')
    expect(await findFaults(page)).toEqual([])
    await page.click('.talk-entry .talk-body a[href*="entry="]')
    await hasHeading(page, 'Entry 1')
    await ready(page, 'As stored')
    expect(await findFaults(page)).toEqual([])
    expect(faults).toEqual([])
    await page.close()
  })

  test('sessions of all teams can be filtered, and the logs searched', async () => {
    const { page, faults } = await openPage('/judging?view=sessions')
    await page.waitForSelector('a.judged-session')
    expect(await findFaults(page)).toEqual([])
    await press(page, 'Dearest', 'label')
    await whenSearch(page, 'sort=dearest')
    await page.goto(`${pages.fairgate.adminUrl}/judging?view=search&q=starves`)
    await page.waitForSelector('.search-hit')
    expect(await findFaults(page)).toEqual([])
    await page.click('.search-hit')
    await whenSearch(page, 'session=')
    await ready(page, 'The scheduler starves low priority jobs.')
    expect(faults).toEqual([])
    await page.close()
  })

  test('on a phone the scores open over the team, and Back closes them', async () => {
    const { page, faults } = await openPage('/judging', 390)
    await hasHeading(page, 'Your teams')
    await press(page, 'Continue with Kimchi Kernel', 'a')
    await ready(page, 'How they worked')
    await press(page, 'Score')
    await says(page, '[role=dialog]', 'Direction')
    expect(await findSmallTargets(page, '[role=dialog] button, .judge-bottom a')).toEqual([])
    await page.goBack()
    await gone(page, '[role=dialog]')
    expect(await findSmallTargets(page, '#content a, #content button, #content summary')).toEqual([])
    expect(faults).toEqual([])
    await page.close()
  })

  test('a change of the end reaches the page by itself', async () => {
    const { page } = await openPage('/judging')
    await page.waitForSelector('[data-live=live]')
    const closed = { ...setup, closes_at: new Date(Date.now() - 60_000).toISOString() }
    await pages.fairgate.manage.call('PUT', '/judging/setup', { setup: closed })
    await ready(page, 'Scoring closed')
    await says(page, '.judge-head', 'Closed')
    await pages.fairgate.manage.call('PUT', '/judging/setup', { setup })
    await ready(page, 'left, ends')
    await page.close()
  })

  test('a session that ends asks for the code, and keeps what was typed', async () => {
    const { page } = await openPage('/judging?team=kimchi-kernel')
    await ready(page, 'Comment for the team')
    await fill(page, 'Comment for the team', 'Clear plan, tests first')
    url = await renewLink()
    await says(page, '[role=dialog]', 'Your session has ended')
    await fill(page, 'Your code', new URL(url).hash.slice('#code='.length).toLowerCase())
    await press(page, 'Sign in')
    await gone(page, '[role=dialog]')
    const field = await find(page, 'Comment for the team', 'textarea')
    expect(await field.evaluate(element => (element as { value?: string }).value)).toBe(
      'Clear plan, tests first',
    )
    await page.close()
  })

  test('a blind judge sees numbers and letters, and no links of the submission', async () => {
    const { page, faults } = await openPage('/judging')
    await hasHeading(page, 'Your teams')
    await pages.fairgate.manage.call('PUT', '/judging/setup', { setup: { ...setup, blind: true } })
    await page.goto(`${pages.fairgate.adminUrl}/judging`)
    await ready(page, 'Team ')
    await press(page, (await textOf(page, '.judge-next a')).trim(), '.judge-next a')
    await ready(page, 'How they worked')
    await ready(page, 'because judging is blind')
    const shown = await textOf(page, '#root')
    expect(shown).toContain('Person A')
    expect(shown).not.toContain('Kimchi')
    expect(page.url()).toMatch(/team=\d+$/)
    expect(await page.$('a[href*="github.com"]')).toBeNull()
    expect(faults).toEqual([])
    await pages.fairgate.manage.call('PUT', '/judging/setup', { setup })
    await page.close()
  })

  test('an organiser who opens it is told what it is for, and the document hides no route', async () => {
    const { page } = await pages.openConsole('/judging')
    await ready(page, 'This page is for judges with a claim link')
    expect(await findFaults(page)).toEqual([])
    await page.close()
    const answers = await Promise.all(
      ['/judging', '/judging/queue', '/judging/setup'].map(path => fetch(pages.fairgate.adminUrl + path)),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 401])
    expect(answers.map(({ headers }) => headers.get('content-type')?.split(';')[0])).toEqual([
      'text/html',
      'application/json',
      'application/json',
    ])
  })
})

/** Visible controls that are lower than a thumb needs. */
function findSmallTargets(page: Page, selector: string): Promise<string[]> {
  return page.$$eval(selector, all =>
    all.flatMap(element => {
      const { height } = element.getBoundingClientRect() as { height: number }
      return height > 0 && height < 44
        ? [`${element.textContent?.slice(0, 30)}: ${Math.round(height)} px`]
        : []
    }),
  )
}
