// suite: full on sqlite; 25 s
// The logbook of all teams. Only this file notices held entries that are not counted, or a filter that does not apply to new entries.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { NewAdminKeyReply } from '@fairgate/contracts/management/access.ts'
import type { Page } from 'puppeteer-core'
import { ingest } from '../testing/logbook-client.ts'
import { findChromium } from './testing/find-chromium.ts'
import { startPages, type TestPages } from './testing/start-pages.ts'
import { fill, looking, press, pressSequence, ready } from './testing/use-page.ts'

const firstRow = (page: Page) => page.$eval('tr[data-row]', row => row.textContent ?? '')
/** Waits until the newest row has this text. */
const untilFirst = (page: Page, text: string) =>
  page.waitForFunction(
    (wanted: string) => document.querySelector('tr[data-row]')?.textContent?.includes(wanted),
    looking,
    text,
  )

describe.skipIf(findChromium() === null)('the logbook', () => {
  let pages: TestPages

  beforeAll(async () => {
    pages = await startPages()
  })
  afterAll(() => pages.stop())

  const open = (path: string, key?: string) => pages.openConsole(path, key === undefined ? {} : { key })
  const log = async (teamId: string, prompt: string, members: object = {}) => {
    const token = pages.event.teams.find(team => team.teamId === teamId)?.token ?? ''
    const entry = {
      ts: new Date().toISOString(),
      ...{ tool: 'codex', event: 'UserPromptSubmit', session_id: `session-of-${teamId}` },
      ...{ repo: 'a/b', branch: 'main', commit: 'abc1234', student: 'haeun@example.org' },
      prompt,
      ...members,
    }
    const reply = await ingest(pages.fairgate.logbookUrl, token, [entry])
    expect(reply.status).toBe(202)
    await reply.body?.cancel()
  }

  test('new entries of any team appear at the top at once; while paused they are counted and shown on request', async () => {
    const { page, faults } = await open('/console/logbook')
    await page.waitForSelector('tr[data-row]')
    await log('paper-cranes', 'Fold it once.')
    await untilFirst(page, 'Fold it once.')
    await log('tidal-lock', 'Turn it <b>twice</b>.')
    await untilFirst(page, 'Turn it <b>twice</b>.')
    // Pushed now, though it happened before all others.
    await log('tidal-lock', 'From yesterday.', { ts: new Date(Date.now() - 86_400_000).toISOString() })
    await untilFirst(page, 'From yesterday.')
    await log('tidal-lock', 'Turn it <b>three times</b>.')
    await untilFirst(page, 'Turn it <b>three times</b>.')
    await page.keyboard.press('f')
    await log('paper-cranes', 'Fold it again.')
    await ready(page, '1 new entry')
    expect(await firstRow(page)).toContain('Turn it')
    await page.click('text/1 new entry')
    await untilFirst(page, 'Fold it again.')
    expect(faults).toEqual([])
    await page.close()
  })

  test('a filter is in the address, shows when nothing matches, and applies to new entries', async () => {
    const { page, faults } = await open('/console/logbook')
    await page.waitForSelector('tr[data-row]')
    await fill(page, 'Team', 'Ginger')
    await press(page, 'Ginger Root', '[role=option]')
    await ready(page, 'No entries match this filter.')
    expect(new URL(page.url()).searchParams.get('team')).toBe('ginger-root')
    await log('tidal-lock', 'Of another team.')
    await log('ginger-root', 'Peel the ginger.', { event: 'Stop' })
    await untilFirst(page, 'Peel the ginger.')
    expect((await page.$$('tr[data-row]')).length).toBe(1)
    await page.reload()
    await untilFirst(page, 'Peel the ginger.')
    await page.goto(`${pages.fairgate.adminUrl}/console/logbook?team=ginger-root&event=Other`)
    await ready(page, 'No entries match this filter.')
    await fill(page, 'Event', '')
    await press(page, 'Stop', '[role=option]')
    await untilFirst(page, 'Peel the ginger.')
    expect(new URL(page.url()).searchParams.get('event')).toBe('Stop')
    await page.goto(`${pages.fairgate.adminUrl}/console/logbook?team=ginger-root&event=Other`)
    await ready(page, 'No entries match this filter.')
    await page.click('text/Clear the filter')
    await page.waitForFunction(() => document.querySelectorAll('tr[data-row]').length > 1, looking)
    await page.goto(`${pages.fairgate.adminUrl}/console/logbook?team=nobody`)
    await ready(page, 'could not be loaded')
    expect(faults).toEqual([])
    await page.close()
  })

  test('an entry opens in its conversation, or alone without a session, and Back leads to the list', async () => {
    await log('paper-cranes', 'Alone in the world.', { session_id: '' })
    await log('paper-cranes', 'Fold the last one.')
    const { page, faults } = await open('/console/logbook?team=paper-cranes')
    await untilFirst(page, 'Fold the last one.')
    await page.click('tr[data-row] td:first-child')
    await page.waitForFunction(
      () => location.pathname === '/console/sessions/paper-cranes/session-of-paper-cranes',
      looking,
    )
    await ready(page, 'Fold the last one.')
    await page.goBack()
    await untilFirst(page, 'Fold the last one.')
    await page.click('tr[data-row]:nth-of-type(2) td:first-child')
    await page.waitForFunction(() => location.pathname.startsWith('/console/entries/paper-cranes/'), looking)
    await ready(page, 'Alone in the world.')
    expect(faults).toEqual([])
    await page.close()
  })

  test('judges can read it, operators cannot; a shortcut opens it', async () => {
    const keyOf = async (name: string, role: string) =>
      (await pages.fairgate.manage.post<NewAdminKeyReply>('/admin_keys', { name, role })).key
    const judge = await open('/console', await keyOf('logbook-judge', 'judge'))
    await ready(judge.page, 'Logbook')
    await pressSequence(judge.page, ['g', 'b'], '/console/logbook')
    await judge.page.waitForSelector('tr[data-row]')
    const operator = await open('/console/logbook', await keyOf('logbook-operator', 'operator'))
    await ready(operator.page, 'The key of an operator does not allow this.')
    expect(judge.faults).toEqual([])
    await judge.page.close()
    await operator.page.close()
  })
})
