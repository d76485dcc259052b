// Overview, event and messages in a real browser: what organisers do for everybody, with its effect shown before.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { AnnouncementList } from '@fairgate/contracts/management/announcements.ts'
import type { EventRecord } from '@fairgate/contracts/management/event.ts'
import type { Page } from 'puppeteer-core'
import { adminKey, type Fairgate, startFairgate } from '../testing/start-fairgate.ts'
import { findChromium } from './testing/find-chromium.ts'
import { openBrowser, type TestBrowser } from './testing/open-browser.ts'
import { seedEvent } from './testing/seed-event.ts'
import { signInToConsole } from './testing/sign-in.ts'

const looking = { polling: 100 }
const ready = (page: Page, text: string) =>
  page.waitForFunction((wanted: string) => document.body.textContent?.includes(wanted), looking, text)
const confirm = async (page: Page) => {
  await page.waitForSelector('[data-confirm]:not([disabled])')
  await page.click('[data-confirm]')
  await page.waitForFunction(() => document.querySelector('[data-confirm]') === null, looking)
}

describe.skipIf(findChromium() === null)('what organisers do for everybody', () => {
  let fairgate: Fairgate
  let browser: TestBrowser

  beforeAll(async () => {
    fairgate = await startFairgate()
    await seedEvent(fairgate)
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
    await page.waitForSelector('[data-confirm]')
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
})
