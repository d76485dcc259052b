// suite: full on sqlite; 25 s
// Sign-in links, ended sessions, admin keys and webhooks in the console. Only this file notices a link that leaves its ticket in the address, an ended session that loses the screen, or an admin key's secret that stays visible.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { adminKey } from '../testing/start-fairgate.ts'
import { findChromium } from './testing/find-chromium.ts'
import { startPages, type TestPages } from './testing/start-pages.ts'
import { gone, pressSequence, ready, saysNoMore } from './testing/use-page.ts'

describe.skipIf(findChromium() === null)('the console', () => {
  let pages: TestPages

  beforeAll(async () => {
    pages = await startPages()
  })
  afterAll(() => pages.stop())

  test('a sign-in link works once and leaves nothing in the address', async () => {
    const { url } = await pages.fairgate.manage.post<{ url: string }>('/session/link', {})
    const here = url.replace(/^https?:\/\/[^/]+/, pages.fairgate.adminUrl)
    const { page, faults } = await pages.browser.open({ isApart: true })
    await page.goto(here)
    await page.waitForSelector('.frame')
    expect(page.url()).not.toContain('once')
    const second = await pages.browser.open({ isApart: true })
    await second.page.goto(here)
    await second.page.waitForSelector('[role=alert]')
    expect(await second.page.$eval('[role=alert]', ({ textContent }) => textContent)).toContain(
      'used already',
    )
    expect([...faults, ...second.faults]).toEqual([])
    await page.close()
    await second.page.close()
  })

  test('a session that ends elsewhere keeps the page and asks to sign in again', async () => {
    const { page } = await pages.openConsole('/console/spend')
    await ready(page, 'Kimchi Kernel')
    const [cookie] = await page.cookies(pages.fairgate.adminUrl)
    await fetch(`${pages.fairgate.adminUrl}/session`, {
      method: 'DELETE',
      headers: { cookie: `fairgate_session=${cookie?.value}`, 'sec-fetch-site': 'same-origin' },
    })
    await page.click('[role=radiogroup][aria-label="Group by"] input[value=key] + label')
    await ready(page, 'Your session has ended')
    expect(await page.$$eval('h1', heads => heads.map(({ textContent }) => textContent))).toContain('Spend')
    await page.waitForSelector('[role=dialog] input[type=password]')
    await page.type('[role=dialog] input[type=password]', adminKey)
    await page.keyboard.press('Enter')
    await saysNoMore(page, 'body', 'Your session has ended')
    expect(page.url()).toContain('/console/spend')
    await page.close()
  })

  test('shortcuts open screens, and a list shows them', async () => {
    const { page, faults } = await pages.openConsole('/console')
    await ready(page, 'Needs attention')
    await pressSequence(page, ['g', 'u'], '/console/models')
    await ready(page, 'mm-2.5-flash')
    await page.keyboard.press('?')
    await ready(page, 'Keyboard shortcuts')
    await page.keyboard.press('Escape')
    await saysNoMore(page, 'body', 'Keyboard shortcuts')
    expect(faults).toEqual([])
    await page.close()
  })

  test('an admin key is created, shown once, refused under a taken name, blocked and deleted', async () => {
    const { page, faults } = await pages.openConsole('/console/settings')
    await ready(page, 'People with access')
    const make = async () => {
      await page.click('text/New admin key')
      await page.waitForSelector('[role=dialog] input[data-autofocus]')
      await page.type('[role=dialog] input[data-autofocus]', 'Jiwoo <b>Han</b>')
      await page.click('text/Create key')
    }
    await make()
    await page.waitForSelector('[data-secret]')
    const secret = await page.$eval('[data-secret]', ({ textContent }) => textContent)
    expect(secret).toStartWith('adm-')
    await page.click('text/I have saved it')
    await gone(page, '[data-secret]')
    await ready(page, 'Jiwoo <b>Han</b>')
    expect(await page.content()).not.toContain(secret ?? '')
    await make()
    await page.waitForFunction(() => document.querySelector('[role=dialog] [id$=-error]') !== null)
    await page.keyboard.press('Escape')
    await gone(page, '[role=dialog]')
    await page.click('[aria-label^="Actions for the key of Jiwoo"]')
    await page.waitForSelector('[role=menuitem]')
    await page.click('text/Block')
    await ready(page, 'stops working at once')
    await page.click('[role=dialog] [data-confirm]')
    await ready(page, 'blocked')
    expect(
      (await fetch(`${pages.fairgate.adminUrl}/teams`, { headers: { authorization: `Bearer ${secret}` } }))
        .status,
    ).toBe(401)
    // What cannot be undone is shown first, and needs a reason.
    const choose = (words: string) =>
      page.waitForFunction(
        (wanted: string) => {
          if (document.querySelector('[role=dialog]') !== null) return false
          const items = [...document.querySelectorAll('[role=menuitem]')]
          const item = items.find(({ textContent }) => textContent === wanted)
          const button = document.querySelector('[aria-label^="Actions for the key of Jiwoo"]')
          if (item !== undefined) item.click()
          else if (button?.getAttribute('aria-expanded') !== 'true') button?.click()
          return item !== undefined
        },
        { polling: 100 },
        words,
      )
    const giveReason = async (reason: string) => {
      await page.waitForSelector('[role=dialog] .changes')
      expect(await page.$('[data-confirm]:not([disabled])')).toBeNull()
      await page.click('[role=dialog] input')
      await page.keyboard.type(reason)
      await page.waitForSelector('[data-confirm]:not([disabled])')
      await page.click('[data-confirm]')
    }
    await choose('Replace secret')
    await giveReason('The laptop was stolen')
    await page.waitForSelector('[data-secret]')
    const renewed = await page.$eval('[data-secret]', ({ textContent }) => textContent)
    expect(renewed).toStartWith('adm-')
    expect(renewed).not.toBe(secret)
    await page.click('text/I have saved it')
    await choose('Delete')
    await ready(page, 'Its actions stay in the audit log')
    await giveReason('They went home')
    await page.waitForFunction(
      () => document.querySelector('[aria-label^="Actions for the key of Jiwoo"]') === null,
    )
    expect(faults).toEqual([])
    await page.close()
  })

  test('the address field shows that a private webhook address is refused', async () => {
    const { page, faults } = await pages.openConsole('/console/settings?tab=webhooks')
    await ready(page, 'Only people signed in to this console')
    await page.click('text/New webhook')
    await page.waitForSelector('[role=dialog] input[data-autofocus]')
    await page.type('[role=dialog] input[data-autofocus]', 'https://127.0.0.1/hook')
    await page.click('text/Add webhook')
    await page.waitForFunction(() => document.querySelector('[role=dialog] [id$=-error]') !== null)
    expect(faults).toEqual([])
    await page.close()
  })
})
