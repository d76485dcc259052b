// suite: full on sqlite; 35 s
// The team page in rare cases. Only this file notices typed text that is lost with a session, another team's data after a new sign-in, or figures that vanish offline.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startFairgate } from '../testing/start-fairgate.ts'
import { findChromium } from './testing/find-chromium.ts'
import { openBrowser } from './testing/open-browser.ts'
import { startTeamPages, type TeamPages } from './testing/start-team-pages.ts'
import { at, gone, ready, says, saysNoMore, textOf } from './testing/use-page.ts'

describe.skipIf(findChromium() === null)('the page of a team', () => {
  let pages: TeamPages
  beforeAll(async () => {
    pages = await startTeamPages()
  })
  afterAll(() => pages.stop())

  test('typed text survives the end of a session; another team that signs in sees nothing of the first', async () => {
    const { page } = await pages.openTeamPage('/', pages.keyOf('ginger-root'))
    await page.waitForSelector('.team-tabs a[href="/ask"]')
    await page.click('.team-tabs a[href="/ask"]')
    await page.waitForSelector('textarea')
    await page.type('textarea', 'May we use the image model?')
    const [cookie] = await page.cookies(pages.fairgate.gatewayUrl)
    expect(cookie).toMatchObject({ name: 'fairgate_team', httpOnly: true, sameSite: 'Strict' })
    const end = () =>
      fetch(`${pages.fairgate.gatewayUrl}/self/session`, {
        method: 'DELETE',
        headers: { cookie: `fairgate_team=${cookie?.value}`, 'sec-fetch-site': 'same-origin' },
      })
    expect((await end()).status).toBe(200)
    await page.click('text/Ask')
    await page.click('form button[type=submit]')
    await ready(page, 'Your session has ended')
    await page.waitForSelector('[role=dialog] input[type=password]')
    await page.type('[role=dialog] input[type=password]', pages.keyOf('ginger-root'))
    await page.keyboard.press('Enter')
    await saysNoMore(page, 'body', 'Your session has ended')
    expect(await page.$eval('textarea', field => field.value)).toBe('May we use the image model?')
    expect(await page.title()).toContain('Ginger Root')
    await page.click('[data-account]')
    await page.waitForSelector('[role=menuitem]')
    await page.click('text/Sign out everywhere')
    await page.waitForSelector('input[type=password]')
    await at(page, '/sign-in')
    await page.type('input[type=password]', pages.keyOf('paper-cranes'))
    await page.keyboard.press('Enter')
    await ready(page, 'Paper Cranes')
    expect(await textOf(page, 'body')).not.toContain('Ginger Root')
    await page.close()
  })

  test('a member creates another key, which is shown once and can then be copied with the command', async () => {
    const { page, faults } = await pages.openTeamPage('/connect?tool=curl', pages.memberKey)
    await page.waitForSelector('.snippet')
    await page.click('text/Create a key')
    await page.waitForSelector('[data-secret]')
    const secret = await textOf(page, '[data-secret]')
    expect(secret).toStartWith('sk-')
    await page.click('text/I have saved it')
    await gone(page, '[data-secret]')
    await ready(page, 'Copy with key')
    expect(await page.content()).not.toContain(secret)
    expect(await pages.call(secret)).toBe(200)
    expect(faults).toEqual([])
    await page.close()
  })

  test('filters and pages of calls are in the address; an unknown call and an unknown page say so', async () => {
    const { page, faults } = await pages.openTeamPage('/calls?outcome=refused', pages.event.limited.key)
    await page.waitForSelector('.call-row')
    expect(await textOf(page, '.call-rows')).not.toContain('completed')
    await page.goto(`${pages.fairgate.gatewayUrl}/calls?outcome=interrupted`)
    await ready(page, 'No calls match this filter.')
    await page.click('text/Clear the filter')
    await at(page, '/calls')
    await page.waitForSelector('.call-row')
    await page.goto(`${pages.fairgate.gatewayUrl}/calls?call=gw_nothing`)
    await ready(page, 'The call could not be loaded')
    await page.keyboard.press('Escape')
    await at(page, '/calls')
    expect(faults).toEqual([])
    await page.close()
  })

  test('the log can show one session alone, and a dismissed announcement stays dismissed', async () => {
    const { page, faults } = await pages.openTeamPage('/log?session=first-session', pages.memberKey)
    await page.waitForSelector('.entry-row')
    expect(await page.$$eval('.entry-row', rows => rows.length)).toBe(1)
    // Once dismissed, it stays dismissed in this browser.
    await page.click('[aria-label="Dismiss"]')
    await page.reload()
    await page.waitForSelector('.entry-row')
    expect(await textOf(page, 'main')).not.toContain('WWWW')
    expect(faults).toEqual([])
    await page.close()
  })

  test('a spent budget, a pause and a lost network show a calm message and keep the figures', async () => {
    const { team_info } = await pages.fairgate.manage.teamInfo('paper-cranes')
    await pages.fairgate.manage.post('/team/update', { team_id: 'paper-cranes', max_budget: team_info.spend })
    const { page, faults } = await pages.openTeamPage('/', pages.keyOf('paper-cranes'))
    // Figures are cached for a second, so the old ones may come first.
    await says(page, '.team-money', '$0.00')
    await page.waitForSelector('[data-spent]')
    await pages.fairgate.manage.change('POST', '/event/pause', { reason: 'The network is being repaired.' })
    await ready(page, 'The organisers have paused the event. The network is being repaired.')
    await pages.fairgate.manage.change('POST', '/event/resume')
    await saysNoMore(page, 'body', 'The organisers have paused the event.')
    await page.setOfflineMode(true)
    await ready(page, 'You are offline. Figures of')
    expect(await textOf(page, '.team-money')).toBe('$0.00')
    await page.setOfflineMode(false)
    await saysNoMore(page, 'body', 'You are offline.')
    expect(faults).toEqual([])
    await page.close()
  })
})

describe.skipIf(findChromium() === null)('the link to the page of a team', () => {
  test('signs in once and leaves nothing in the address', async () => {
    const fairgate = await startFairgate({ variables: { VENDOR_API_KEY: '', VENDOR_BASE_URL: '' } })
    const browser = await openBrowser()
    try {
      const [, here = ''] = /^ +team page +(\S+)$/m.exec(fairgate.announcement) ?? []
      const { page, faults } = await browser.open({ isApart: true })
      await page.goto(here)
      await page.waitForSelector('.team-frame')
      expect(page.url()).toBe(`${fairgate.gatewayUrl}/`)
      expect(faults).toEqual([])
      const second = await browser.open({ isApart: true })
      await second.page.goto(here)
      await second.page.waitForSelector('[role=alert]')
      expect(await textOf(second.page, '[role=alert]')).toContain('used already')
    } finally {
      await browser.close()
      await fairgate.stop()
    }
  })
})
