// suite: 89 s
// Overview, event and messages in a real browser: what organisers do for everybody, with its effect shown before.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { AnnouncementList } from '@fairgate/contracts/management/announcements.ts'
import type { CatalogList } from '@fairgate/contracts/management/catalog.ts'
import type { EventRecord } from '@fairgate/contracts/management/event.ts'
import type { ElementHandle, Page } from 'puppeteer-core'
import { adminKey, type Fairgate, startFairgate } from '../testing/start-fairgate.ts'
import { findBarriers } from './testing/check-accessibility.ts'
import { findChromium } from './testing/find-chromium.ts'
import { openBrowser, type TestBrowser } from './testing/open-browser.ts'
import { type SeededEvent, seedEvent } from './testing/seed-event.ts'
import { signInToConsole } from './testing/sign-in.ts'

const looking = { polling: 100 }
const ready = (page: Page, text: string) =>
  page.waitForFunction((wanted: string) => document.body?.textContent?.includes(wanted), looking, text)
/** A button by its words. */
const pressButton = async (page: Page, words: string) => {
  const found = await page.waitForFunction(
    (wanted: string) =>
      [...document.querySelectorAll('button')].find(({ textContent }) => textContent?.trim() === wanted) ??
      null,
    looking,
    words,
  )
  await (found as ElementHandle<never>).click()
}
const confirm = async (page: Page) => {
  await page.waitForSelector('[data-confirm]:not([disabled])')
  await page.click('[data-confirm]')
  await page.waitForFunction(() => document.querySelector('[data-confirm]') === null, looking)
}

describe.skipIf(findChromium() === null)('what organisers do for everybody', () => {
  let fairgate: Fairgate
  let browser: TestBrowser
  let event: SeededEvent

  beforeAll(async () => {
    fairgate = await startFairgate()
    event = await seedEvent(fairgate)
    browser = await openBrowser()
  }, 120_000)
  afterAll(async () => {
    await browser.close()
    await fairgate.stop()
  })

  const open = async (path: string) => {
    const opened = await browser.open({ isApart: true })
    await signInToConsole(opened.page, fairgate.adminUrl, adminKey)
    await opened.page.goto(fairgate.adminUrl + path)
    return opened
  }
  const read = async <Reply>(path: string): Promise<Reply> =>
    (await (await fairgate.manage.call('GET', path)).json()) as Reply

  test('the keys of the overview open the dialog of an act, and Back leads back', async () => {
    const { page, faults } = await open('/console')
    await ready(page, 'Pause all')
    await page.keyboard.press('g')
    await page.keyboard.press('p')
    await page.waitForFunction(() => location.search.includes('do=pause'), looking)
    await ready(page, 'Pause the event')
    await page.goBack()
    await page.waitForFunction(() => document.querySelector('h1')?.textContent === 'Overview', looking)
    expect(faults).toEqual([])
  }, 60_000)

  test('the event is paused by a link to the dialog, with a reason', async () => {
    const { page, faults } = await open('/console/event?do=pause')
    await ready(page, 'What will change')
    await page.waitForSelector('.changes')
    // Nothing is done without a reason.
    expect(await page.$('[data-confirm]:not([disabled])')).toBeNull()
    await (await page.$$('[role=dialog] input')).at(-1)?.type('A fire drill')
    await confirm(page)
    expect((await read<EventRecord>('/event')).paused).not.toBeNull()
    await fairgate.manage.call('POST', '/event/resume', {})
    expect(faults).toEqual([])
  }, 60_000)

  test('an announcement is seen before it is sent, and no longer than the door takes', async () => {
    const { page, faults } = await open('/console/messages?do=announce')
    await page.waitForSelector('[role=dialog] textarea')
    expect(await page.$eval('[role=dialog] textarea', field => field.getAttribute('maxlength'))).toBe('500')
    await page.type('[role=dialog] textarea', 'Lunch is <b>served</b> in hall 2.')
    await page.waitForSelector('.announcement-preview')
    expect(await page.$('.announcement-preview b')).toBeNull()
    await confirm(page)
    const { items } = await read<AnnouncementList>('/announcements')
    expect(items.map(({ text }) => text)).toContain('Lunch is <b>served</b> in hall 2.')
    expect(faults).toEqual([])
  }, 60_000)

  test('the effect of Extend is shown before; after it the clock of everybody is another', async () => {
    const { page, faults } = await open('/console/event?do=extend')
    await page.waitForSelector('.changes')
    const before =
      (await read<EventRecord>('/event')).phases.find(({ name }) => name === 'Contest')?.until ?? ''
    expect(await page.$eval('.changes', ({ textContent }) => textContent)).toContain('Contest')
    await (await page.$$('[role=dialog] input')).at(-1)?.type('The upstream was slow')
    await confirm(page)
    const after =
      (await read<EventRecord>('/event')).phases.find(({ name }) => name === 'Contest')?.until ?? ''
    expect(Date.parse(after) - Date.parse(before)).toBe(15 * 60_000)
    await ready(page, 'event.extend')
    expect(faults).toEqual([])
    await page.close()
  }, 60_000)

  test('a span that is none is refused at its field', async () => {
    const { page, faults } = await open('/console/event?do=extend')
    await page.waitForSelector('[aria-label="By how long"]')
    await page.click('[aria-label="By how long"]', { count: 3 })
    await page.type('[aria-label="By how long"]', 'soon')
    await ready(page, 'Such as 20m or 1h30m')
    expect(await page.$('[data-confirm]:not([disabled])')).toBeNull()
    expect(faults).toEqual([])
    await page.close()
  }, 60_000)

  test('boards are frozen and unfrozen, and no entry is taken between', async () => {
    const { page, faults } = await open('/console/event?do=freeze')
    await page.waitForSelector('.changes')
    await (await page.$$('[role=dialog] input')).at(-1)?.type('It is over')
    await confirm(page)
    expect((await read<EventRecord>('/event')).frozen).not.toBeNull()
    await page.goto(`${fairgate.adminUrl}/console/event?do=freeze`)
    await ready(page, 'Unfreeze the boards')
    await page.waitForSelector('.changes')
    await (await page.$$('[role=dialog] input')).at(-1)?.type('It goes on')
    await confirm(page)
    expect((await read<EventRecord>('/event')).frozen).toBeNull()
    expect(faults).toEqual([])
    await page.close()
  }, 60_000)

  test('a question of a team arrives while the page is open, and its answer reaches the team', async () => {
    const { page, faults } = await open('/console/messages')
    await ready(page, 'Nobody is waiting for an answer.')
    const asked = await fetch(`${fairgate.gatewayUrl}/self/questions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${event.limited.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'May we use <i>pens</i>?' }),
    })
    expect(asked.status).toBeLessThan(300)
    await ready(page, 'May we use <i>pens</i>?')
    await page.type('form textarea', 'Yes, blue ones.')
    await page.click('form button[type=submit]')
    await ready(page, 'Nobody is waiting for an answer.')
    const own = await fetch(`${fairgate.gatewayUrl}/self/questions`, {
      headers: { authorization: `Bearer ${event.limited.key}` },
    })
    expect(await own.text()).toContain('Yes, blue ones.')
    expect(faults).toEqual([])
    await page.close()
  }, 60_000)

  test('what needs attention is on the first page, and each organiser question is answered within two clicks', async () => {
    const { page, faults } = await open('/console')
    // Is everything all right, and will the money last? Without a click.
    await ready(page, 'Needs attention')
    await ready(page, 'Readiness')
    await ready(page, 'Forecast')
    // Why does this team complain? The palette, and its page.
    await page.keyboard.down('Control')
    await page.keyboard.press('k')
    await page.keyboard.up('Control')
    await page.waitForSelector('[role=combobox]')
    await page.type('[role=combobox]', 'cedar')
    await page.waitForFunction(
      () => document.querySelector('[role=option]')?.textContent?.includes('Cedar') === true,
      looking,
    )
    await page.keyboard.press('Enter')
    await ready(page, 'Why calls were refused')
    await ready(page, 'requests a minute')
    // Who has not started? One click.
    await page.goto(`${fairgate.adminUrl}/console/teams?state=not_started`)
    await ready(page, 'Night Ferry')
    // Stop everything now? One click and the reason.
    await page.goto(`${fairgate.adminUrl}/console`)
    await pressButton(page, 'Pause all')
    await ready(page, 'Pause the event')
    expect(faults).toEqual([])
    await page.close()
  }, 60_000)

  test('a wall is made in the settings, shows the hall live, and nothing once it is removed', async () => {
    const { page, faults } = await open('/console/settings?tab=walls')
    await ready(page, 'No projector has a link yet.')
    await pressButton(page, 'New wall')
    await page.waitForSelector('[role=dialog] input[data-autofocus]')
    await page.type('[role=dialog] input[data-autofocus]', 'Hall 1')
    await page.click('[role=dialog] button[type=submit]')
    await page.waitForSelector('[data-secret]')
    const link = await page.$eval('[data-secret]', ({ textContent }) => textContent)
    const wall = await browser.open({ isApart: true, width: 1920, height: 1080 })
    await wall.page.goto(fairgate.gatewayUrl + new URL(link ?? '').pathname)
    await ready(wall.page, 'Kimchi Kernel')
    await ready(wall.page, 'left until')
    // Names of teams are text, in the hall too.
    await ready(wall.page, 'RLO U+202E')
    expect(await wall.page.$('main img')).toBeNull()
    await fairgate.manage.post('/announcements', { text: 'Lunch is ready in hall 2.' })
    await ready(wall.page, 'Lunch is ready in hall 2.')
    const barriers = await findBarriers(wall.page)
    await pressButton(page, 'I have saved it')
    await ready(page, 'Hall 1')
    await pressButton(page, 'Remove')
    await ready(page, 'shows nothing any more')
    await (await page.$$('[role=dialog] input')).at(-1)?.type('The hall closes')
    await confirm(page)
    await ready(page, 'No projector has a link yet.')
    await wall.page.reload()
    await ready(wall.page, 'does not work any more')
    expect([...faults, ...wall.faults, ...barriers]).toEqual([])
    await page.close()
    await wall.page.close()
  }, 90_000)

  test.each(['light', 'dark'] as const)(
    'no barriers and no sideways scroll in the %s theme',
    async scheme => {
      const found: string[] = []
      for (const width of [1440, 390]) {
        const { page, faults } = await browser.open({ isApart: true, scheme, width })
        await signInToConsole(page, fairgate.adminUrl, adminKey)
        for (const [path, text] of [
          ['/console', 'Teams that need a look'],
          ['/console/event', 'What happened'],
          ['/console/event?do=extend', 'Which phase'],
          ['/console/event?do=phases', 'Another phase'],
          ['/console/messages', 'Waiting'],
          ['/console/messages?show=announcements', 'The upstream was slow'],
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
    180_000,
  )

  test('the catalog is read again after its changes were shown, and a faulty file is told and changes nothing', async () => {
    const shipped = readFileSync(join(import.meta.dir, '../../../../config/models.yaml'), 'utf8')
    const own = await startFairgate({ models: shipped })
    const file = join(dirname(own.place.dataFolder), 'own-models.yaml')
    const { page, faults } = await browser.open({ isApart: true })
    await signInToConsole(page, own.adminUrl, adminKey)
    await page.goto(`${own.adminUrl}/console/models`)
    await pressButton(page, 'Read the catalog again')
    await ready(page, 'No model is another.')
    await confirm(page)
    await ready(page, 'Nothing has changed;')
    const dearer = shipped.replace(/(mm-2\.5-flash:[\s\S]*?price:\s*\{ input: )[\d.]+/, '$10.45')
    expect(dearer).not.toBe(shipped)
    writeFileSync(file, dearer)
    await pressButton(page, 'Read the catalog again')
    await ready(page, '$0.45 per 1 M')
    expect(await findBarriers(page)).toEqual([])
    // Somebody writes it once more before the button is pressed.
    writeFileSync(file, dearer.replace('input: 0.45', 'input: 0.50'))
    await page.waitForSelector('[data-confirm]:not([disabled])')
    await page.click('[data-confirm]')
    await ready(page, 'Something changed since the preview')
    await ready(page, '$0.50 per 1 M')
    await confirm(page)
    await ready(page, '1 changed;')
    const { models } = (await (await own.manage.call('GET', '/catalog')).json()) as CatalogList
    expect(models.find(({ id }) => id === 'mm-2.5-flash')?.price).toMatchObject({ input: 0.5 })
    writeFileSync(file, 'models: [')
    await pressButton(page, 'Read the catalog again')
    await ready(page, 'own-models.yaml')
    expect(await page.$('[data-confirm]:not([disabled])')).toBeNull()
    expect(faults.filter(fault => !fault.includes('400'))).toEqual([])
    await page.close()
    await own.stop()
  }, 90_000)
})

describe.skipIf(findChromium() === null)('the first minute', () => {
  test('a fresh server is filled with a rehearsed event by a button, and offers it no more', async () => {
    const fairgate = await startFairgate({ variables: { VENDOR_API_KEY: '', VENDOR_BASE_URL: '' } })
    const browser = await openBrowser()
    try {
      const { page, faults } = await browser.open({ isApart: true })
      await signInToConsole(page, fairgate.adminUrl, adminKey)
      await ready(page, 'Nothing has happened here yet.')
      await pressButton(page, 'Fill it with a rehearsal')
      await ready(page, 'Rehearsal')
      await ready(page, 'Lemon Tree')
      await page.waitForFunction(
        () => document.body?.textContent?.includes('Nothing has happened here yet.') === false,
        looking,
      )
      expect(faults).toEqual([])
    } finally {
      await browser.close()
      await fairgate.stop()
    }
  }, 90_000)
})
