// suite: 25 s
// Signing in and out, the judge's view and a lost connection. Only this file notices a person who cannot sign in, stays signed in, or sees old figures as current.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { NewAdminKeyReply } from '@fairgate/contracts/management/access.ts'
import { startCutProxy } from '../testing/cut-proxy.ts'
import { adminKey } from '../testing/start-fairgate.ts'
import { findFaults } from './testing/check-screen.ts'
import { findChromium } from './testing/find-chromium.ts'
import { signInToConsole } from './testing/sign-in.ts'
import { startPages, type TestPages } from './testing/start-pages.ts'
import { find, gone, holdsFocus, looking, press, ready, saysNoMore } from './testing/use-page.ts'

describe.skipIf(findChromium() === null)('the console', () => {
  let pages: TestPages

  beforeAll(async () => {
    pages = await startPages()
  })
  afterAll(() => pages.stop())

  test('a wrong key shows an error, the right one signs in, and signing out ends the session', async () => {
    const { page, faults } = await pages.browser.open({ isApart: true })
    await page.goto(`${pages.fairgate.adminUrl}/console/teams`)
    await page.waitForSelector('input[type=password]')
    const found = await findFaults(page)
    await page.type('input[type=password]', pages.event.limited.key)
    await page.keyboard.press('Enter')
    await page.waitForSelector('[role=alert]')
    expect(await page.$eval('[role=alert]', ({ textContent }) => textContent)).toContain(
      'Gateway keys and log tokens do not work here',
    )
    await page.$eval('input[type=password]', field => {
      ;(field as unknown as { value: string }).value = ''
    })
    await page.click('input[type=password]', { count: 3 })
    await page.type('input[type=password]', adminKey)
    await page.keyboard.press('Enter')
    await page.waitForSelector('.frame')
    // A deep link opens its screen after sign-in.
    expect(new URL(page.url()).pathname).toBe('/console/teams')
    const [cookie] = await page.cookies(pages.fairgate.adminUrl)
    expect(cookie).toMatchObject({ name: 'fairgate_session', httpOnly: true, sameSite: 'Strict' })
    await page.click('[data-account]')
    await page.waitForSelector('[role=menuitem]')
    await page.click('[role=menuitem]')
    await page.waitForSelector('input[type=password]')
    expect(
      (
        await fetch(`${pages.fairgate.adminUrl}/teams`, {
          headers: { cookie: `fairgate_session=${cookie?.value}` },
        })
      ).status,
    ).toBe(401)
    expect([...found, ...faults]).toEqual([])
    await page.close()
  })

  test('a judge sees no actions and no parts for organisers only', async () => {
    const { key } = await pages.fairgate.manage.post<NewAdminKeyReply>('/admin_keys', {
      name: 'Mira Judge',
      role: 'judge',
    })
    const { page, faults } = await pages.openConsole('/console/teams', { key })
    const open = async (path: string, text: string) => {
      await page.goto(pages.fairgate.adminUrl + path)
      await ready(page, text)
      await gone(page, '[aria-busy=true]')
      return await page.$eval('body', ({ textContent }) => textContent)
    }
    await page.waitForSelector('tr[data-row]')
    expect(await page.$('tr[data-row] input[type=checkbox]')).toBeNull()
    const offered = await page.$$eval('.page-head button, .page-head a', all =>
      all.map(({ textContent }) => textContent?.trim()),
    )
    expect(offered.toSorted()).toEqual(['CSV', 'Columns'])
    await open('/console/teams/kimchi-kernel/people?do=block', 'Recorders')
    expect(await page.$('[data-part=keys]')).toBeNull()
    expect(await page.$('[role=dialog]')).toBeNull()
    await open('/console/teams/kimchi-kernel/limits', 'Only organisers can see this tab.')
    await open('/console/teams/kimchi-kernel?do=correct', 'Why calls were refused')
    expect(await page.$('[role=dialog]')).toBeNull()
    await open('/console/handouts', 'Only organisers can hand out claim codes.')
    await open('/console/audit', 'Only organisers and operators can see the audit log.')
    const settings = await open('/console/settings', 'This browser')
    expect(settings).not.toContain('New admin key')
    expect(settings).not.toContain('Audit')
    expect(await open('/console/models', 'mm-2.5-flash')).not.toContain('Reload catalog')
    expect(faults).toEqual([])
    await page.close()
  })

  test('focus moves to the heading of the next screen, and back after a dialog', async () => {
    const { page, faults } = await pages.openConsole('/console')
    const whenFocused = (selector: string, text: string) =>
      page.waitForFunction(
        (where: string, wanted: string) => {
          const { activeElement } = document
          const all = [...document.querySelectorAll(where)]
          return activeElement?.textContent?.trim() === wanted && all.includes(activeElement)
        },
        looking,
        selector,
        text,
      )
    await page.waitForSelector('tr[data-row]')
    await page.click('nav a[href="/console/calls"]')
    await whenFocused('h1', 'Calls')
    await page.click('nav a[href="/console/teams"]')
    await whenFocused('h1', 'Teams')
    await page.waitForSelector('tr[data-row="kimchi-kernel"]')
    await page.focus('tr[data-row="kimchi-kernel"]')
    await page.keyboard.press('Enter')
    // This heading arrives with the data.
    await whenFocused('h1', 'Kimchi Kernel')
    await press(page, 'Grant…')
    await holdsFocus(page, 'Amount')
    expect(await findFaults(page)).toEqual([])
    await page.keyboard.press('Escape')
    await gone(page, '[role=dialog]')
    await whenFocused('button', 'Grant…')
    await press(page, 'Block')
    await holdsFocus(page, 'Reason')
    await page.keyboard.press('Escape')
    await gone(page, '[role=dialog]')
    // After a dialog opened from a menu, focus returns to the menu's button.
    await press(page, 'More actions')
    await press(page, 'Correct spend…', '[role=menuitem]')
    await ready(page, 'A correction changes the cost of one call')
    await page.keyboard.press('Escape')
    await gone(page, '[role=dialog]')
    await page.waitForFunction(
      () => document.activeElement?.getAttribute('aria-label') === 'More actions',
      looking,
    )
    // A pressed tab keeps the focus, because the heading stays the same.
    await page.click('.tabs a[href$="/limits"]')
    await ready(page, 'Team limits')
    await page.click('.tabs a[href$="/evidence"]')
    await ready(page, 'Log chain')
    await whenFocused('.tabs a', 'Evidence')
    expect(faults).toEqual([])
    await page.close()
  })

  test('the first action of a screen takes at most ten Tab presses', async () => {
    for (const [path, action] of [
      ['/console', 'Pause all'],
      ['/console/event', 'event.yaml'],
      ['/console/teams', 'Columns'],
      ['/console/calls', 'CSV'],
      ['/console/teams/kimchi-kernel', 'Grant…'],
    ] as const) {
      const { page } = await pages.openConsole(path)
      await find(page, action, 'button, a')
      let tabs = 0
      const step = async () => {
        tabs += 1
        await page.keyboard.press('Tab')
        return page.evaluate(() => document.activeElement?.textContent?.trim() ?? '')
      }
      expect([path, await step()]).toEqual([path, 'Skip to content'])
      await page.keyboard.press('Enter')
      while (tabs < 10 && (await step()) !== action);
      expect([path, await page.evaluate(() => document.activeElement?.textContent?.trim())]).toEqual([
        path,
        action,
      ])
      await page.close()
    }
  })

  test('the page shows stale when the server is silent, and recovers by itself', async () => {
    const proxy = await startCutProxy(pages.fairgate.adminUrl)
    const { page } = await pages.browser.open({ isApart: true })
    try {
      await signInToConsole(page, new URL(proxy.url).origin, adminKey)
      await page.waitForSelector('[data-live=live]')
      await proxy.cut()
      await page.waitForSelector('[data-live=stale]')
      await ready(page, 'Connection lost')
      await find(page, 'Try now', 'button')
      await proxy.restore()
      await page.waitForSelector('[data-live=live]')
      await saysNoMore(page, 'body', 'Connection lost')
    } finally {
      await page.close()
      await proxy.cut()
    }
  })
})
