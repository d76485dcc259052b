// suite: full on sqlite; 30 s
// Pause, end, catalog reload and the first steps. Only this file notices that one of their dialogs does not do what it previews.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { CatalogList } from '@fairgate/contracts/management/catalog.ts'
import type { EventRecord } from '@fairgate/contracts/management/event.ts'
import { adminKey, startFairgate } from '../testing/start-fairgate.ts'
import { findBarriers } from './testing/check-accessibility.ts'
import { findChromium } from './testing/find-chromium.ts'
import { openBrowser } from './testing/open-browser.ts'
import { signInToConsole } from './testing/sign-in.ts'
import { startPages, type TestPages } from './testing/start-pages.ts'
import { confirm, fill, looking, press, pressSequence, ready, says } from './testing/use-page.ts'

describe.skipIf(findChromium() === null)('actions for all teams', () => {
  let pages: TestPages

  beforeAll(async () => {
    pages = await startPages()
  })
  afterAll(() => pages.stop())

  const read = async <Reply>(path: string): Promise<Reply> =>
    (await (await pages.fairgate.manage.call('GET', path)).json()) as Reply

  test('shortcuts on the overview open the dialog of an action, and Back returns', async () => {
    const { page, faults } = await pages.openConsole('/console')
    await ready(page, 'Pause all')
    await pressSequence(page, ['g', 'p'], 'do=pause')
    await ready(page, 'Pause the event')
    await page.goBack()
    await page.waitForFunction(() => document.querySelector('h1')?.textContent === 'Overview', looking)
    expect(faults).toEqual([])
  })

  test('the event is paused from a link to the dialog, with a reason', async () => {
    const { page, faults } = await pages.openConsole('/console/event?do=pause')
    await ready(page, 'What will change')
    await page.waitForSelector('.changes')
    // A reason is required.
    expect(await page.$('[data-confirm]:not([disabled])')).toBeNull()
    await fill(page, 'Reason', 'A fire drill')
    await confirm(page)
    expect((await read<EventRecord>('/event')).paused).not.toBeNull()
    await pages.fairgate.manage.call('POST', '/event/resume', {})
    expect(faults).toEqual([])
  })

  test('an invalid duration is refused at its field', async () => {
    const { page, faults } = await pages.openConsole('/console/event?do=extend')
    await page.waitForSelector('[aria-label="Duration"]')
    await page.click('[aria-label="Duration"]', { count: 3 })
    await page.type('[aria-label="Duration"]', 'soon')
    await ready(page, 'Use a duration such as 20m or 1h30m')
    expect(await page.$('[data-confirm]:not([disabled])')).toBeNull()
    expect(faults).toEqual([])
    await page.close()
  })

  test('the event is ended and reopened, and the dialog shows both effects', async () => {
    const { page, faults } = await pages.openConsole('/console/event?do=end')
    await page.waitForSelector('.changes')
    const named = await page.$eval('.changes', list => list.textContent)
    expect(named).toContain('gateway: open → closed')
    expect(named).toContain('boards: open → locked')
    await fill(page, 'Reason', 'It is over')
    await confirm(page)
    expect((await read<EventRecord>('/event')).ended).not.toBeNull()
    await page.goto(`${pages.fairgate.adminUrl}/console/event?do=end`)
    await ready(page, 'Reopen the event')
    await page.waitForSelector('.changes')
    await fill(page, 'Reason', 'It continues')
    await confirm(page)
    expect((await read<EventRecord>('/event')).ended).toBeNull()
    expect(faults).toEqual([])
    await page.close()
  })

  test('the catalog is reloaded after a preview; an invalid file shows an error and changes nothing', async () => {
    const shipped = readFileSync(join(import.meta.dir, '../../../../config/models.yaml'), 'utf8')
    const own = await startFairgate({ models: shipped })
    const file = join(dirname(own.place.dataFolder), 'own-models.yaml')
    const { page, faults } = await pages.browser.open({ isApart: true })
    await signInToConsole(page, own.adminUrl, adminKey)
    await page.goto(`${own.adminUrl}/console/models`)
    await press(page, 'Reload catalog')
    await ready(page, 'No models changed.')
    await confirm(page)
    await ready(page, 'No changes;')
    const dearer = shipped.replace(/(mm-2\.5-flash:[\s\S]*?price:\s*\{ input: )[\d.]+/, '$10.45')
    expect(dearer).not.toBe(shipped)
    writeFileSync(file, dearer)
    await press(page, 'Reload catalog')
    await ready(page, '$0.45 per 1 M')
    expect(await findBarriers(page)).toEqual([])
    // Someone changes the file again before the button is pressed.
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
    await press(page, 'Reload catalog')
    await ready(page, 'own-models.yaml')
    expect(await page.$('[data-confirm]:not([disabled])')).toBeNull()
    expect(faults.filter(fault => !fault.includes('400'))).toEqual([])
    await page.close()
    await own.stop()
  })

  test('a price changed in the console is in the file', async () => {
    const own = await startFairgate({
      models: readFileSync(join(import.meta.dir, '../../../../config/models.yaml'), 'utf8'),
    })
    const { page, faults } = await pages.browser.open({ isApart: true })
    await signInToConsole(page, own.adminUrl, adminKey)
    await page.goto(`${own.adminUrl}/console/models?model=mm-2.5-flash`)
    await press(page, 'Edit…')
    await ready(page, 'Edit mm-2.5-flash')
    await fill(page, 'input', '0.45')
    await page.waitForSelector('.changes')
    await fill(page, 'Reason', 'It got dearer')
    await confirm(page)
    const { models } = (await (await own.manage.call('GET', '/catalog')).json()) as CatalogList
    expect(models.find(({ id }) => id === 'mm-2.5-flash')?.price).toMatchObject({ input: 0.45 })
    const file = readFileSync(join(dirname(own.place.dataFolder), 'own-models.yaml'), 'utf8')
    expect([file.startsWith('# The catalog'), file.includes('input: 0.45')]).toEqual([true, true])
    expect(faults).toEqual([])
    await page.close()
    await own.stop()
  })

  test('a model is removed after its users are shown, and the removal is undone', async () => {
    const own = await startFairgate({
      models: readFileSync(join(import.meta.dir, '../../../../config/models.yaml'), 'utf8'),
    })
    const listModels = async () =>
      ((await (await own.manage.call('GET', '/catalog')).json()) as CatalogList).models
    const key = await own.manage.team('ginger-root', { team_alias: 'Ginger Root', models: ['mm-2.5-flash'] })
    const charged = await fetch(`${own.gatewayUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'mm-2.5-flash',
        max_tokens: 16,
        messages: [{ role: 'user', content: 'Hi' }],
      }),
    })
    expect(charged.status).toBe(200)
    const before = await listModels()
    const { page, faults } = await pages.browser.open({ isApart: true })
    await signInToConsole(page, own.adminUrl, adminKey)
    await page.goto(`${own.adminUrl}/console/models?model=mm-2.5-flash`)
    await press(page, 'Remove…')
    await ready(page, '1 call from 1 team')
    await ready(page, 'Ginger Root: 1 call')
    await ready(page, 'models of the team "ginger-root" names unknown models')
    await fill(page, 'Reason', 'No one needs it')
    await press(page, 'Continue anyway', 'input')
    await confirm(page)
    expect((await listModels()).some(({ id }) => id === 'mm-2.5-flash')).toBe(false)
    await press(page, 'Undo')
    await says(page, '.toast', 'Undone')
    const byId = (models: CatalogList['models']) =>
      models.toSorted((one, other) => (one.id < other.id ? -1 : 1))
    expect(byId(await listModels())).toEqual(byId(before))
    expect(faults).toEqual([])
    await page.close()
    await own.stop()
  })
})

describe.skipIf(findChromium() === null)('the first minute', () => {
  test('a fresh server lists the setup steps, and each link leads to the place for its step', async () => {
    const fairgate = await startFairgate({ variables: { VENDOR_API_KEY: '', VENDOR_BASE_URL: '' } })
    const browser = await openBrowser()
    try {
      const { page, faults } = await browser.open({ isApart: true })
      await signInToConsole(page, fairgate.adminUrl, adminKey)
      await ready(page, '0 of 9 done')
      await page.click('.first-steps a[href*="do=settings"]')
      await page.waitForSelector('[role=dialog] .dialog-title')
      await fairgate.manage.change('PUT', '/event', { name: 'AI Cup' })
      await page.goto(`${fairgate.adminUrl}/console`)
      await ready(page, '1 of 9 done')
      await ready(page, 'AI Cup, in the time zone UTC.')
      expect(faults).toEqual([])
    } finally {
      await browser.close()
      await fairgate.stop()
    }
  })
})
