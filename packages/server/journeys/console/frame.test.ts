// suite: 112 s
// The console as a whole in a real browser: signing in and out, roles, keys, the palette, live figures, themes, and what no page may do.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { NewAdminKeyReply } from '@fairgate/contracts/management/access.ts'
import type { Page } from 'puppeteer-core'
import { startCutProxy } from '../testing/cut-proxy.ts'
import { adminKey, type Fairgate, startFairgate } from '../testing/start-fairgate.ts'
import { findBarriers } from './testing/check-accessibility.ts'
import { findChromium } from './testing/find-chromium.ts'
import { openBrowser, type TestBrowser } from './testing/open-browser.ts'
import { type SeededEvent, seedEvent } from './testing/seed-event.ts'
import { signInToConsole } from './testing/sign-in.ts'

const ready = (page: Page, text: string) =>
  page.waitForFunction((wanted: string) => document.body?.textContent?.includes(wanted), {}, text)
const press = async (page: Page, ...keys: readonly string[]) => {
  for (const key of keys) await page.keyboard.press(key as 'Enter')
}

describe.skipIf(findChromium() === null)('the console', () => {
  let fairgate: Fairgate
  let event: SeededEvent
  let browser: TestBrowser

  beforeAll(async () => {
    fairgate = await startFairgate()
    event = await seedEvent(fairgate)
    browser = await openBrowser()
  }, 120_000)
  afterAll(async () => {
    await browser.close()
    await fairgate.stop()
  })

  test('a wrong key is refused with a sentence, the right one leads in, and signing out ends it', async () => {
    const { page, faults } = await browser.open({ isApart: true })
    await page.goto(`${fairgate.adminUrl}/console/teams`)
    await page.waitForSelector('input[type=password]')
    await page.type('input[type=password]', event.limited.key)
    await press(page, 'Enter')
    await page.waitForSelector('[role=alert]')
    expect(await page.$eval('[role=alert]', ({ textContent }) => textContent)).toContain(
      'Gateway keys and log tokens do not work here',
    )
    await page.$eval('input[type=password]', field => {
      ;(field as unknown as { value: string }).value = ''
    })
    await page.click('input[type=password]', { count: 3 })
    await page.type('input[type=password]', adminKey)
    await press(page, 'Enter')
    await page.waitForSelector('.frame')
    // A deep link leads where it says.
    expect(new URL(page.url()).pathname).toBe('/console/teams')
    const [cookie] = await page.cookies(fairgate.adminUrl)
    expect(cookie).toMatchObject({ name: 'fairgate_session', httpOnly: true, sameSite: 'Strict' })
    await page.click('[data-account]')
    await page.waitForSelector('[role=menuitem]')
    await page.click('[role=menuitem]')
    await page.waitForSelector('input[type=password]')
    expect(
      (
        await fetch(`${fairgate.adminUrl}/teams`, {
          headers: { cookie: `fairgate_session=${cookie?.value}` },
        })
      ).status,
    ).toBe(401)
    expect(faults).toEqual([])
    await page.close()
  }, 60_000)

  test('a link opens the console signed in, once, and leaves nothing in the address', async () => {
    const { url } = await fairgate.manage.post<{ url: string }>('/session/link', {})
    const here = url.replace(/^https?:\/\/[^/]+/, fairgate.adminUrl)
    const { page, faults } = await browser.open({ isApart: true })
    await page.goto(here)
    await page.waitForSelector('.frame')
    expect(page.url()).not.toContain('once')
    const second = await browser.open({ isApart: true })
    await second.page.goto(here)
    await second.page.waitForSelector('[role=alert]')
    expect(await second.page.$eval('[role=alert]', ({ textContent }) => textContent)).toContain(
      'used already',
    )
    expect([...faults, ...second.faults]).toEqual([])
    await page.close()
    await second.page.close()
  }, 60_000)

  test('a session that ends elsewhere leaves the page as it is, and asks to sign in again', async () => {
    const { page } = await browser.open({ isApart: true })
    await signInToConsole(page, fairgate.adminUrl, adminKey)
    await page.goto(`${fairgate.adminUrl}/console/spend`)
    await ready(page, 'Kimchi Kernel')
    const [cookie] = await page.cookies(fairgate.adminUrl)
    await fetch(`${fairgate.adminUrl}/session`, {
      method: 'DELETE',
      headers: { cookie: `fairgate_session=${cookie?.value}`, 'sec-fetch-site': 'same-origin' },
    })
    await page.click('[role=radiogroup][aria-label="Summed by"] input[value=key] + label')
    await ready(page, 'Your session has ended')
    expect(await page.$$eval('h1', heads => heads.map(({ textContent }) => textContent))).toContain('Spend')
    await page.waitForSelector('[role=dialog] input[type=password]')
    await page.type('[role=dialog] input[type=password]', adminKey)
    await press(page, 'Enter')
    await page.waitForFunction(() => document.body?.textContent?.includes('Your session has ended') === false)
    expect(page.url()).toContain('/console/spend')
    await page.close()
  }, 60_000)

  test('keys lead everywhere, the palette finds teams, keys and screens, and the list of keys is true', async () => {
    const { page, faults } = await browser.open({ isApart: true })
    await signInToConsole(page, fairgate.adminUrl, adminKey)
    await page.keyboard.press('g')
    await page.keyboard.press('u')
    await ready(page, 'Models & upstreams')
    await page.waitForFunction(() => location.pathname === '/console/models')
    await page.keyboard.press('?')
    await ready(page, 'Keys that work here')
    await page.keyboard.press('Escape')
    await page.waitForFunction(() => document.body?.textContent?.includes('Keys that work here') === false)
    await page.keyboard.down('Control')
    await page.keyboard.press('k')
    await page.keyboard.up('Control')
    await page.waitForSelector('[role=combobox]')
    await page.type('[role=combobox]', 'kimchi')
    await page.waitForSelector('[role=option]')
    await page.waitForFunction(
      () => document.querySelector('[role=option]')?.textContent?.includes('Kimchi Kernel') === true,
    )
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => location.pathname === '/console/teams/kimchi-kernel')
    await page.goBack()
    await page.waitForFunction(() => location.pathname === '/console/models')
    // A secret is looked up by its digest: it never stands in an address.
    const asked: string[] = []
    page.on('request', request => asked.push(request.url() + (request.postData() ?? '')))
    await page.keyboard.down('Control')
    await page.keyboard.press('k')
    await page.keyboard.up('Control')
    await page.waitForSelector('[role=combobox]')
    await page.type('[role=combobox]', event.limited.key)
    await page.waitForFunction(
      () => document.querySelector('[role=option]')?.textContent?.includes('key') === true,
    )
    expect(asked.filter(text => text.includes(event.limited.key))).toEqual([])
    expect(faults).toEqual([])
    await page.close()
  }, 60_000)

  test('an unknown address says so, and an unknown file of the page is a plain 404', async () => {
    const { page, faults } = await browser.open({ isApart: true })
    await signInToConsole(page, fairgate.adminUrl, adminKey)
    await page.goto(`${fairgate.adminUrl}/console/no-such-screen`)
    await ready(page, 'There is no such page.')
    const missing = await fetch(`${fairgate.adminUrl}/console-page/admin-main-00000000.js`)
    expect([missing.status, missing.headers.get('content-type')]).toEqual([
      404,
      'application/json;charset=utf-8',
    ])
    for (const name of ['../manifest.json', '..%2fmanifest.json', '__proto__', 'constructor'])
      expect((await fetch(`${fairgate.adminUrl}/console-page/${name}`)).status).toBe(404)
    expect(faults).toEqual([])
    await page.close()
  }, 60_000)

  test('a judge sees no acts and no settings of others; the server refuses them as well', async () => {
    const { key } = await fairgate.manage.post<NewAdminKeyReply>('/admin_keys', {
      name: 'Mira Judge',
      role: 'judge',
    })
    const { page, faults } = await browser.open({ isApart: true })
    await signInToConsole(page, fairgate.adminUrl, key)
    await page.goto(`${fairgate.adminUrl}/console/settings`)
    await ready(page, 'This browser')
    const text = await page.$eval('body', ({ textContent }) => textContent)
    expect(text).not.toContain('New admin key')
    expect(text).not.toContain('Audit')
    await page.goto(`${fairgate.adminUrl}/console/models`)
    await ready(page, 'mm-2.5-flash')
    expect(await page.$eval('body', ({ textContent }) => textContent)).not.toContain('Read the catalog again')
    const status = await page.evaluate(
      async () =>
        (
          await fetch('/catalog/reload', {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: '{}',
          })
        ).status,
    )
    expect(status).toBe(403)
    expect(faults).toEqual([])
    await page.close()
  }, 60_000)

  test('an admin key is made, shown once, refused twice under one name, blocked and deleted', async () => {
    const { page, faults } = await browser.open({ isApart: true })
    await signInToConsole(page, fairgate.adminUrl, adminKey)
    await page.goto(`${fairgate.adminUrl}/console/settings`)
    await ready(page, 'People with access')
    const make = async () => {
      await page.click('text/New admin key')
      await page.waitForSelector('[role=dialog] input[data-autofocus]')
      await page.type('[role=dialog] input[data-autofocus]', 'Jiwoo <b>Han</b>')
      await page.click('text/Make the key')
    }
    await make()
    await page.waitForSelector('[data-secret]')
    const secret = await page.$eval('[data-secret]', ({ textContent }) => textContent)
    expect(secret).toStartWith('adm-')
    await page.click('text/I have saved it')
    await page.waitForFunction(() => document.querySelector('[data-secret]') === null)
    await ready(page, 'Jiwoo <b>Han</b>')
    expect(await page.content()).not.toContain(secret ?? '')
    await make()
    await page.waitForFunction(() => document.querySelector('[role=dialog] [id$=-error]') !== null)
    await page.keyboard.press('Escape')
    await page.waitForFunction(() => document.querySelector('[role=dialog]') === null)
    await page.click('[aria-label^="Acts on the key of Jiwoo"]')
    await page.waitForSelector('[role=menuitem]')
    await page.click('text/Block')
    await ready(page, 'stops working at once')
    await page.click('[role=dialog] [data-confirm]')
    await ready(page, 'blocked')
    expect(
      (await fetch(`${fairgate.adminUrl}/teams`, { headers: { authorization: `Bearer ${secret}` } })).status,
    ).toBe(401)
    // What cannot be undone is shown first, and needs a reason.
    const choose = (words: string) =>
      page.waitForFunction(
        (wanted: string) => {
          if (document.querySelector('[role=dialog]') !== null) return false
          const items = [...document.querySelectorAll('[role=menuitem]')]
          const item = items.find(({ textContent }) => textContent === wanted)
          const button = document.querySelector('[aria-label^="Acts on the key of Jiwoo"]')
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
    await choose('Make its secret new')
    await giveReason('The laptop was stolen')
    await page.waitForSelector('[data-secret]')
    const renewed = await page.$eval('[data-secret]', ({ textContent }) => textContent)
    expect(renewed).toStartWith('adm-')
    expect(renewed).not.toBe(secret)
    await page.click('text/I have saved it')
    await choose('Delete')
    await ready(page, 'What it did stays in the audit')
    await giveReason('They went home')
    await page.waitForFunction(
      () => document.querySelector('[aria-label^="Acts on the key of Jiwoo"]') === null,
    )
    expect(faults).toEqual([])
    await page.close()
  }, 60_000)

  test('a webhook at a private address is refused at its field', async () => {
    const { page, faults } = await browser.open({ isApart: true })
    await signInToConsole(page, fairgate.adminUrl, adminKey)
    await page.goto(`${fairgate.adminUrl}/console/settings?tab=webhooks`)
    await ready(page, 'Nobody is told outside')
    await page.click('text/New webhook')
    await page.waitForSelector('[role=dialog] input[data-autofocus]')
    await page.type('[role=dialog] input[data-autofocus]', 'https://127.0.0.1/hook')
    await page.click('text/Add it')
    await page.waitForFunction(() => document.querySelector('[role=dialog] [id$=-error]') !== null)
    expect(faults).toEqual([])
    await page.close()
  }, 60_000)

  test('the page goes stale when the server is silent, and comes back by itself', async () => {
    const proxy = await startCutProxy(fairgate.adminUrl)
    const { page } = await browser.open({ isApart: true })
    try {
      await signInToConsole(page, new URL(proxy.url).origin, adminKey)
      await page.waitForSelector('[data-live=live]')
      await proxy.cut()
      await page.waitForSelector('[data-live=stale]')
      await ready(page, 'Connection lost')
      await proxy.restore()
      await page.waitForSelector('[data-live=live]')
      await page.waitForFunction(() => document.body?.textContent?.includes('Connection lost') === false)
    } finally {
      await page.close()
      await proxy.cut()
    }
  }, 90_000)

  test.each(['light', 'dark'] as const)(
    'no barriers, no policy reports and no sideways scroll in the %s theme',
    async scheme => {
      const found: string[] = []
      for (const width of [1440, 390]) {
        const { page, faults } = await browser.open({ isApart: true, scheme, width })
        await signInToConsole(page, fairgate.adminUrl, adminKey)
        for (const [path, text] of [
          ['/console/spend', 'Kimchi Kernel'],
          ['/console/models', 'mm-2.5-flash'],
          ['/console/models?model=mm-2.5-pro', 'Prompts of more than'],
          ['/console/settings', 'People with access'],
          ['/console/settings?tab=reader', 'Keys of a single letter'],
        ] as const) {
          await page.goto(fairgate.adminUrl + path)
          await ready(page, text)
          found.push(...(await findBarriers(page)).map(each => `${path} ${width}: ${each}`))
          const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
          if (wide > 0) found.push(`${path} ${width}: ${wide} px too wide`)
        }
        found.push(...faults)
        await page.close()
      }
      expect(found).toEqual([])
    },
    120_000,
  )

  test('the first view comes in few bytes and is there soon', async () => {
    const { page } = await browser.open({ isApart: true })
    await signInToConsole(page, fairgate.adminUrl, adminKey)
    await page.goto(`${fairgate.adminUrl}/console`)
    await page.waitForSelector('.frame')
    const { scripts, styles } = await page.evaluate(() => {
      const sizes = performance.getEntriesByType('resource') as unknown as {
        name: string
        encodedBodySize: number
      }[]
      const sum = (ending: string) =>
        sizes
          .filter(({ name }) => name.endsWith(ending))
          .reduce((total, { encodedBodySize }) => total + encodedBodySize, 0)
      return { scripts: sum('.js'), styles: sum('.css') }
    })
    expect(scripts).toBeGreaterThan(50_000)
    expect(scripts).toBeLessThan(400_000)
    expect(styles).toBeLessThan(40_000)
    await page.close()
  }, 60_000)
})
