// suite: full on sqlite; 35 s
// Note drafts, spend corrections, columns and the session file. Only this file notices a note that is lost while it is typed, or a saved session that is incomplete.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OrganiserCallsPage } from '@fairgate/contracts/calls/call-list.ts'
import type { NewAdminKeyReply } from '@fairgate/contracts/management/access.ts'
import type { NoteList, NoteReply } from '@fairgate/contracts/management/notes.ts'
import type { Page } from 'puppeteer-core'
import { findBarriers } from './testing/check-accessibility.ts'
import { findChromium } from './testing/find-chromium.ts'
import { startPages, type TestPages } from './testing/start-pages.ts'
import { fill, find, gone, looking, press, ready, whenPath, whenSearch } from './testing/use-page.ts'

const fieldOf = (page: Page, label: string) => find(page, label, 'input, textarea')
const textIn = async (page: Page, label: string) =>
  (await fieldOf(page, label)).evaluate(element => (element as { value?: string }).value ?? '')
const holds = (page: Page, label: string, wanted: string) =>
  page.waitForFunction(
    (name: string, text: string) =>
      [...document.querySelectorAll('textarea')].some(
        element =>
          document.querySelector(`label[for="${element.getAttribute('id')}"]`)?.textContent === name &&
          element.value === text,
      ),
    looking,
    label,
    wanted,
  )

describe.skipIf(findChromium() === null)('notes of judges and organisers', () => {
  let pages: TestPages
  let judgeKey = ''

  beforeAll(async () => {
    pages = await startPages()
    const judge = await pages.fairgate.manage.post<NewAdminKeyReply>('/admin_keys', {
      name: 'judge-one',
      role: 'judge',
    })
    judgeKey = judge.key
  })
  afterAll(() => pages.stop())

  const open = (path: string, key?: string) => pages.openConsole(path, key === undefined ? {} : { key })
  const notesOf = async (query: string) => {
    const reply = await pages.fairgate.manage.call('GET', `/notes?${query}`)
    return ((await reply.json()) as NoteList).items
  }
  const write = async (body: object) =>
    (await (await pages.fairgate.manage.call('POST', '/notes', body)).json()) as NoteReply

  test('a judge writes a note: empty and too long ones are refused, a reload keeps the draft, and it can be changed and deleted', async () => {
    const { page, faults } = await open('/console/teams/paper-cranes/notes', judgeKey)
    await ready(page, 'No notes about this team yet')
    await press(page, 'Save note')
    await ready(page, 'Enter a note')
    await fill(page, 'New note', 'They test <b>by hand</b>.')
    await page.reload()
    await holds(page, 'New note', 'They test <b>by hand</b>.')
    await (await fieldOf(page, 'New note')).click()
    // As if it were pasted.
    await page.keyboard.sendCharacter('x'.repeat(4000))
    await ready(page, 'A note can have at most 4,000 characters.')
    await press(page, 'Save note')
    expect(await notesOf('team_id=paper-cranes')).toEqual([])
    await fill(page, 'New note', 'They test <b>by hand</b>.')
    await press(page, 'Save note')
    await page.waitForSelector('[data-note]')
    await holds(page, 'New note', '')
    const [note] = await notesOf('team_id=paper-cranes')
    expect(note).toMatchObject({ text: 'They test <b>by hand</b>.', author: 'judge-one', subject: 'team' })
    await page.reload()
    await page.waitForSelector('[data-note]')
    expect(await textIn(page, 'New note')).toBe('')
    await press(page, 'Edit')
    await fill(page, 'Note text', 'Asked: they test')
    await page.reload()
    await holds(page, 'Note text', 'Asked: they test')
    await press(page, 'Save changes')
    await gone(page, '[data-note] textarea')
    await ready(page, ', edited')
    expect((await notesOf('team_id=paper-cranes'))[0]?.text).toBe('Asked: they test')
    expect(await findBarriers(page)).toEqual([])
    await press(page, 'Delete…')
    await page.waitForSelector('[data-confirm]')
    await page.click('[data-confirm]')
    await gone(page, '[data-note]')
    expect(await notesOf('team_id=paper-cranes')).toEqual([])
    expect(faults).toEqual([])
  })

  test('typed text stays when the server refuses it', async () => {
    const { page, faults } = await open('/console/teams/tidal-lock/notes')
    await fill(page, 'New note', 'Not lost')
    await page.setRequestInterception(true)
    let isAway = true
    page.on('request', request => {
      if (isAway && request.method() === 'POST') void request.abort()
      else void request.continue()
    })
    await press(page, 'Save note')
    await ready(page, 'Your text is kept.')
    isAway = false
    expect(await textIn(page, 'New note')).toBe('Not lost')
    await press(page, 'Save note')
    await page.waitForSelector('[data-note]')
    expect(await notesOf('team_id=tidal-lock')).toHaveLength(1)
    expect(faults).toEqual([])
  })

  test('sessions and entries have their own notes; a judge cannot change other people’s', async () => {
    const { teamId } = pages.event.logged
    await write({
      subject: 'session',
      team_id: teamId,
      session_id: pages.event.sessionId,
      text: 'Of the session',
    })
    await write({ subject: 'entry', team_id: teamId, seq: 1, text: 'Of the entry' })
    const { page, faults } = await open(`/console/sessions/${teamId}/${pages.event.sessionId}`, judgeKey)
    await page.waitForSelector('[data-note]')
    expect(await page.$$eval('[data-note]', all => all.map(each => each.textContent ?? ''))).toEqual([
      expect.stringContaining('Of the session'),
    ])
    expect(await page.$('[data-note] button')).toBeNull()
    await fill(page, 'New note', 'Mine of the session')
    await press(page, 'Save note')
    await ready(page, 'Mine of the session')
    await page.goto(`${pages.fairgate.adminUrl}/console/entries/${teamId}/1`)
    await page.waitForSelector('[data-note]')
    await ready(page, 'Of the entry')
    expect(await page.$('[data-note] button')).toBeNull()
    expect(await findBarriers(page)).toEqual([])
    expect(faults).toEqual([])
  })

  test('all notes: the filters are in the address, each note links to its subject, and Back returns', async () => {
    await write({ subject: 'team', team_id: 'night-ferry', text: 'Of the ferry' })
    const { page, faults } = await open('/console')
    await page.waitForSelector('a[href="/console/notes"]')
    await page.click('a[href="/console/notes"]')
    await ready(page, 'Of the ferry')
    const shown = () => page.$$eval('[data-note]', all => all.length)
    await press(page, 'Sessions', 'search button')
    await whenSearch(page, 'kind=session')
    await page.waitForFunction(() => !document.body?.textContent?.includes('Of the ferry'), looking)
    expect(await shown()).toBe(2)
    await press(page, 'only by judge-one')
    await whenSearch(page, 'author=judge-one')
    await page.waitForFunction(() => document.querySelectorAll('[data-note]').length === 1, looking)
    await page.goBack()
    await page.goBack()
    await ready(page, 'Of the ferry')
    await page.goto(`${pages.fairgate.adminUrl}/console/notes?team=night-ferry&author=judge-one`)
    await ready(page, 'No notes match this filter.')
    await press(page, 'Clear the filter')
    await ready(page, 'Of the ferry')
    await press(page, 'Mine')
    await page.waitForFunction(() => !document.body?.textContent?.includes('Mine of the session'), looking)
    expect(await findBarriers(page)).toEqual([])
    await press(page, 'Team Night Ferry', '[data-note] a')
    await whenPath(page, '/console/teams/night-ferry/notes')
    await ready(page, 'Of the ferry')
    await page.goBack()
    await ready(page, 'Of the session')
    expect(faults).toEqual([])
  })

  test('an organiser corrects the cost of a call: too much is refused, and the correction shows its author', async () => {
    const { page, faults } = await open('/console/teams/ginger-root/people')
    const actions = await page.waitForSelector('[data-part=keys] button[aria-label^="Actions for"]')
    await actions?.click()
    await press(page, 'Correct spend…', '[role=menuitem]')
    await page.waitForSelector('[data-call]')
    expect(page.url()).toContain('key=')
    await fill(page, 'Call id', 'no id')
    await ready(page, 'Enter a valid call id')
    await page.click('[data-call]')
    await whenSearch(page, 'call=')
    await fill(page, 'Change in USD', '-5000')
    await ready(page, 'Lower the cost by at most')
    await fill(page, 'Change in USD', '0.25')
    await page.waitForSelector('[data-effect]')
    expect(await page.$('[data-confirm]:not([disabled])')).toBeNull()
    await fill(page, 'Reason', 'The price was wrong.')
    await page.waitForSelector('[data-confirm]:not([disabled])')
    expect(await findBarriers(page)).toEqual([])
    await page.click('[data-confirm]')
    await gone(page, '[role=dialog]')
    await page.goto(`${pages.fairgate.adminUrl}/console/teams/ginger-root/limits`)
    await page.waitForSelector('[data-correction="call.adjust"]')
    await ready(page, 'The price was wrong.')
    await press(page, 'Correct spend…')
    await page.waitForSelector('[role=dialog]')
    await page.goBack()
    await gone(page, '[role=dialog]')
    const other = await pages.fairgate.manage.call('GET', '/calls?team_id=paper-cranes&limit=1')
    const { items } = (await other.json()) as OrganiserCallsPage
    await page.goto(
      `${pages.fairgate.adminUrl}/console/teams/ginger-root?do=correct&call=${items[0]?.call_id ?? ''}`,
    )
    await ready(page, 'This call belongs to another team.')
    expect(faults).toEqual([])
  })

  test('the visible team columns are in the address', async () => {
    const { page, faults } = await open('/console/teams?hide=calls')
    await page.waitForSelector('tr[data-row]')
    const heads = () => page.$$eval('th', all => all.map(each => each.textContent ?? ''))
    expect(await heads()).not.toContain('Calls')
    await press(page, 'Columns')
    await press(page, 'Last call', '[role=menuitemcheckbox]')
    await whenSearch(page, 'last')
    await press(page, 'Calls', '[role=menuitemcheckbox]')
    await page.waitForFunction(() => location.search === '?hide=last', looking)
    expect(await heads()).toContain('Calls')
    expect(await heads()).not.toContain('Last call')
    expect(faults).toEqual([])
  })

  test('a session is saved as one file, named after team and session', async () => {
    const { teamId } = pages.event.logged
    const { page, faults } = await open(`/console/sessions/${teamId}/${pages.event.sessionId}`, judgeKey)
    const folder = mkdtempSync(join(tmpdir(), 'fairgate-notes-'))
    const client = await page.createCDPSession()
    await client.send('Page.setDownloadBehavior', { behavior: 'allow', downloadPath: folder })
    await press(page, 'JSON')
    await ready(page, 'items saved')
    const file = join(folder, `${teamId}-${pages.event.sessionId}.json`)
    // The browser names a file once its download is complete.
    while (!existsSync(file)) await Bun.sleep(50)
    const saved = JSON.parse(readFileSync(file, 'utf8')) as { is_whole: boolean; items: unknown[] }
    expect(saved.is_whole).toBe(true)
    expect(saved.items.length).toBeGreaterThan(10)
    rmSync(folder, { recursive: true, force: true })
    expect(faults).toEqual([])
  })
})
