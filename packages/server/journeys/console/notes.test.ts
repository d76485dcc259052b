// Notes in a real browser: a judge writes them where something is seen, finds them again, and nobody else changes them.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { NewAdminKeyReply } from '@fairgate/contracts/management/access.ts'
import type { NoteList } from '@fairgate/contracts/management/notes.ts'
import type { ElementHandle, Page } from 'puppeteer-core'
import { adminKey, type Fairgate, startFairgate } from '../testing/start-fairgate.ts'
import { findBarriers } from './testing/check-accessibility.ts'
import { findChromium } from './testing/find-chromium.ts'
import { openBrowser, type TestBrowser } from './testing/open-browser.ts'
import { hostileTexts, type SeededEvent, seedEvent } from './testing/seed-event.ts'
import { signInToConsole } from './testing/sign-in.ts'

const ready = (page: Page, text: string) =>
  page.waitForFunction((wanted: string) => document.body.textContent?.includes(wanted), {}, text)
const field = 'textarea[aria-label="New note"]'
/** A button or an entry of a menu by its words. */
const press = async (page: Page, words: string) => {
  const found = await page.waitForFunction(
    (wanted: string) =>
      [...document.querySelectorAll('button:not(:disabled)')].find(
        ({ textContent }) => textContent?.trim() === wanted,
      ) ?? null,
    {},
    words,
  )
  await (found.asElement() as ElementHandle).click()
}

describe.skipIf(findChromium() === null)('notes', () => {
  let fairgate: Fairgate
  let event: SeededEvent
  let browser: TestBrowser
  let judgeKey = ''

  beforeAll(async () => {
    fairgate = await startFairgate()
    event = await seedEvent(fairgate)
    browser = await openBrowser()
    const made = await fairgate.manage.post<NewAdminKeyReply>('/admin_keys', {
      name: 'Mira Bauer',
      role: 'judge',
    })
    judgeKey = made.key
  }, 120_000)
  afterAll(async () => {
    await browser.close()
    await fairgate.stop()
  })

  const open = async (path: string, key: string, scheme: 'light' | 'dark' = 'light') => {
    const opened = await browser.open({ isApart: true, scheme })
    await signInToConsole(opened.page, fairgate.adminUrl, key)
    await opened.page.goto(fairgate.adminUrl + path)
    return opened
  }
  const listed = async () => {
    const reply = await fairgate.manage.call('GET', '/notes')
    return ((await reply.json()) as NoteList).items
  }

  test('a judge writes on the session, the entry and the team; the draft survives a reload, and an empty one is not sent', async () => {
    const { page, faults } = await open(
      `/console/sessions/${event.logged.teamId}/${event.sessionId}`,
      judgeKey,
    )
    await page.waitForSelector(field)
    await page.type(field, 'Asks for the failing test first.')
    await page.reload()
    await page.waitForFunction(
      (selector: string) => document.querySelector(selector)?.value === 'Asks for the failing test first.',
      {},
      field,
    )
    await press(page, 'Add the note')
    await page.waitForSelector('[data-note]')
    expect(await page.$eval(field, ({ value }) => value)).toBe('')
    await page.type(field, '   ')
    expect(await page.$('button[type=submit][disabled]')).not.toBeNull()

    await page.goto(`${fairgate.adminUrl}/console/entries/${event.logged.teamId}/1`)
    await page.waitForSelector(field)
    await page.type(field, `See ${hostileTexts.html} ${hostileTexts.reordered}`)
    await press(page, 'Add the note')
    await page.waitForSelector('[data-note]')

    await page.goto(`${fairgate.adminUrl}/console/teams/${event.logged.teamId}/notes`)
    await page.waitForSelector(field)
    await page.type(field, 'Tests by hand.')
    await press(page, 'Add the note')
    await page.waitForSelector('[data-note]')
    expect((await listed()).map(({ subject, author }) => [subject, author])).toEqual([
      ['team', 'Mira Bauer'],
      ['entry', 'Mira Bauer'],
      ['session', 'Mira Bauer'],
    ])
    expect(faults).toEqual([])
  })

  test('all notes stand on one screen that leads to what they are about, and text that attacks stays text', async () => {
    for (const scheme of ['light', 'dark'] as const) {
      const { page, faults } = await open('/console/notes', judgeKey, scheme)
      await ready(page, 'Tests by hand.')
      expect(await page.title()).not.toContain('owned')
      await ready(page, '<script>')
      expect(await findBarriers(page)).toEqual([])
      expect(faults).toEqual([])
      await page.close()
    }
    const { page, faults } = await open('/console/notes?about=session', adminKey)
    await ready(page, 'Asks for the failing test first.')
    expect(await page.evaluate(() => document.body.textContent?.includes('Tests by hand.'))).toBe(false)
    await page.click('[data-note] a')
    await page.waitForFunction(() => location.pathname.startsWith('/console/sessions/'))
    await page.goBack()
    await page.waitForFunction(() => location.search === '?about=session')
    expect(faults).toEqual([])
  })

  test('the author changes and deletes a note; another judge only reads it', async () => {
    const { key } = await fairgate.manage.post<NewAdminKeyReply>('/admin_keys', {
      name: 'Jiwoo Han',
      role: 'judge',
    })
    const other = await open(`/console/teams/${event.logged.teamId}/notes`, key)
    await ready(other.page, 'Tests by hand.')
    expect(await other.page.$('[aria-label="Change or delete this note"]')).toBeNull()
    expect(other.faults).toEqual([])

    const { page, faults } = await open(`/console/teams/${event.logged.teamId}/notes`, judgeKey)
    await page.waitForSelector('[aria-label="Change or delete this note"]')
    await page.click('[aria-label="Change or delete this note"]')
    await press(page, 'Change…')
    await page.waitForSelector('textarea[aria-label="Text of the note"]')
    await page.focus('textarea[aria-label="Text of the note"]')
    await page.keyboard.press('End')
    await page.keyboard.type(' They said why.')
    await press(page, 'Save')
    await ready(page, 'Tests by hand. They said why.')
    await page.click('[aria-label="Change or delete this note"]')
    await press(page, 'Delete…')
    await page.waitForSelector('[role=dialog]')
    await press(page, 'Delete the note')
    await page.waitForFunction(() => document.querySelector('[data-note]') === null)
    expect((await listed()).map(({ subject }) => subject)).toEqual(['entry', 'session'])
    expect(faults).toEqual([])
  })

  test('an operator has no notes', async () => {
    const { key } = await fairgate.manage.post<NewAdminKeyReply>('/admin_keys', {
      name: 'Operator',
      role: 'operator',
    })
    const { page, faults } = await open('/console/notes', key)
    await ready(page, 'It takes the key of an organiser or a judge.')
    expect(await page.$$eval('.frame-nav a', links => links.map(link => link.textContent))).toEqual([
      'Overview',
      'Event',
      'Messages',
      'Models & upstreams',
      'Audit',
      'Settings',
    ])
    expect(faults).toEqual([])
  })
})
