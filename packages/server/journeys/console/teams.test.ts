// suite: full on sqlite; 80 s
// Team filters, forms, imports, handouts and long lists. Only this file notices a form that accepts wrong input, console parts on a printed sheet, or a list that draws a thousand rows at once.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TeamsReply } from '@fairgate/contracts/console/teams.ts'
import type { KeyList, KeyRow } from '@fairgate/contracts/management/key-bodies.ts'
import type { HTTPRequest, HTTPResponse, Page } from 'puppeteer-core'
import { adminKey, type Fairgate, startFairgate } from '../testing/start-fairgate.ts'
import { findChromium } from './testing/find-chromium.ts'
import { openBrowser, type TestBrowser } from './testing/open-browser.ts'
import { signInToConsole } from './testing/sign-in.ts'
import { startPages, type TestPages } from './testing/start-pages.ts'
import {
  confirm,
  fill,
  gone,
  looking,
  press,
  ready,
  rowsOf,
  says,
  saysNoMore,
  whenPath,
  whenSearch,
} from './testing/use-page.ts'

const focusedRow = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('data-row') ?? '')

const searchOf = (page: Page) => new URL(page.url()).searchParams

describe.skipIf(findChromium() === null)('teams', () => {
  let pages: TestPages
  let folder: string

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'fairgate-teams-'))
    pages = await startPages()
  })
  afterAll(async () => {
    await pages.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const read = async <Reply>(path: string): Promise<Reply> =>
    (await (await pages.fairgate.manage.call('GET', path)).json()) as Reply
  const teamOf = async (id: string) => {
    const { items } = await read<TeamsReply>(`/teams?q=${id}&sort=team_id`)
    return items.find(({ team_id }) => team_id === id)
  }
  const call = (key: string) =>
    fetch(`${pages.fairgate.gatewayUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'mm-2.5-flash',
        max_tokens: 16,
        messages: [{ role: 'user', content: 'Hello?' }],
      }),
    })

  test('search text, state and order are in the address, and Back returns', async () => {
    const { page, faults } = await pages.openConsole('/console/teams')
    await page.waitForSelector('tr[data-row="night-ferry"]')
    expect(await rowsOf(page)).toHaveLength(9)
    await press(page, 'Working 7')
    await whenSearch(page, 'state=working')
    await gone(page, 'tr[data-row="night-ferry"]')
    await page.goBack()
    await page.waitForSelector('tr[data-row="night-ferry"]')
    await page.keyboard.press('/')
    await page.keyboard.type('Paper O')
    await whenSearch(page, 'q=Paper')
    await page.waitForFunction(() => document.querySelectorAll('tr[data-row]').length === 1, looking)
    // Searches by a member's name.
    expect(await rowsOf(page)).toEqual(['paper-cranes'])
    await fill(page, 'Team or member', 'nobody is called this')
    await ready(page, 'No team or member matches')
    await press(page, 'Clear the filter')
    await page.waitForSelector('tr[data-row="night-ferry"]')
    await press(page, 'Team')
    await whenSearch(page, 'sort=team_alias')
    await press(page, 'Team')
    await whenSearch(page, 'order=desc')
    await page.waitForFunction(
      () => document.querySelector('tr[data-row]')?.getAttribute('data-row') === 'tidal-lock',
    )
    await page.reload()
    await page.waitForSelector('th[aria-sort="descending"]')
    expect((await rowsOf(page))[0]).toBe('tidal-lock')
    await page.focus('tr[data-row="tidal-lock"]')
    await page.keyboard.press('j')
    expect(await focusedRow(page)).toBe('stack-overflowers')
    await page.keyboard.press('Enter')
    await whenPath(page, '/console/teams/stack-overflowers')
    await page.goBack()
    await page.waitForSelector('tr[data-row="tidal-lock"]')
    expect(searchOf(page).get('order')).toBe('desc')
    expect(faults).toEqual([])
    await page.close()
  })

  test('the first click on a column sorts by what matters most, and j goes to the first row', async () => {
    const { page, faults } = await pages.openConsole('/console/teams')
    await page.waitForSelector('tr[data-row="night-ferry"]')
    await press(page, 'Spent')
    await page.waitForSelector('th[aria-sort="descending"]')
    expect(searchOf(page).get('order')).toBe('desc')
    // The old rows stay until the new order has arrived.
    await page.waitForSelector('tr[data-row="cedar-and-code"]:first-child')
    await page.keyboard.press('j')
    expect(await focusedRow(page)).toBe('cedar-and-code')
    expect(faults).toEqual([])
    await page.close()
  })

  test('one checkbox selects all matching teams, and a filter shows how many match', async () => {
    const { page, faults } = await pages.openConsole('/console/teams?q=paper')
    await page.waitForSelector('tr[data-row="paper-cranes"]')
    await ready(page, '1 of 9 teams')
    await page.click('input[aria-label="Select all 1 rows"]')
    await says(page, '.selection-bar', '1 selected')
    await page.goto(`${pages.fairgate.adminUrl}/console/teams`)
    await page.waitForSelector('tr[data-row="night-ferry"]')
    await page.click('input[aria-label="Select all 9 rows"]')
    await says(page, '.selection-bar', 'All 9 teams')
    await page.click('tr[data-row="night-ferry"] input[type=checkbox]')
    await says(page, '.selection-bar', '8 selected')
    await page.click('input[aria-label="Select all 9 rows"]')
    await says(page, '.selection-bar', 'All 9 teams')
    await page.click('input[aria-label="Select all 9 rows"]')
    await gone(page, '.selection-bar')
    expect(faults).toEqual([])
    await page.close()
  })

  test('rows keep their places while one has focus, and are sorted afterwards', async () => {
    const { page, faults } = await pages.openConsole('/console/teams?sort=team_alias')
    await page.waitForSelector('tr[data-row="tidal-lock"]')
    const before = await rowsOf(page)
    await page.focus('tr[data-row="tidal-lock"]')
    const rename = (team_id: string, team_alias: string) =>
      pages.fairgate.manage.post('/team/update', { team_id, team_alias })
    const isFirstNow = async (reply: HTTPResponse) =>
      reply.url().includes('/teams?') &&
      reply.ok() &&
      ((await reply.json()) as TeamsReply).items[0]?.team_id === 'tidal-lock'
    await Promise.all([page.waitForResponse(isFirstNow), rename('tidal-lock', 'A tidal lock')])
    // A change after rendering keeps the order, too.
    await rename('ginger-root', 'Ginger and root')
    await says(page, 'tr[data-row="ginger-root"]', 'Ginger and root')
    expect(await rowsOf(page)).toEqual(before)
    await page.evaluate(() => (document.activeElement as unknown as { blur(): void }).blur())
    await page.waitForFunction(
      () => document.querySelector('tr[data-row]')?.getAttribute('data-row') === 'tidal-lock',
      looking,
    )
    await rename('tidal-lock', 'Tidal Lock')
    await rename('ginger-root', 'Ginger Root')
    expect(faults).toEqual([])
    await page.close()
  })

  test('blocking many teams requires typing their number; Enter alone blocks none', async () => {
    const { page, faults } = await pages.openConsole('/console/teams?sort=team_id')
    await page.waitForSelector('tr[data-row="tidal-lock"]')
    await page.focus('tr[data-row="paper-cranes"]')
    await page.keyboard.press('x')
    await page.focus('tr[data-row="tidal-lock"]')
    await page.keyboard.press('X')
    await ready(page, '3 selected')
    await page.keyboard.press('Escape')
    await gone(page, '.selection-bar')
    await page.click('tr[data-row="paper-cranes"] input[type=checkbox]')
    await page.click('tr[data-row="tidal-lock"] input[type=checkbox]')
    await press(page, 'Block')
    await ready(page, 'All keys stop working at once')
    await fill(page, 'Reason', 'They share a key')
    await page.keyboard.press('Enter')
    expect(await page.$('[data-confirm]:not([disabled])')).toBeNull()
    await fill(page, 'Type 2 to confirm', '2')
    await confirm(page)
    expect((await teamOf('paper-cranes'))?.state).toBe('blocked')
    await page.goto(`${pages.fairgate.adminUrl}/console/teams/paper-cranes`)
    await ready(page, 'The team is blocked.')
    await press(page, 'Unblock')
    await whenSearch(page, 'do=unblock')
    await fill(page, 'Reason', 'Cleared up')
    await confirm(page)
    await saysNoMore(page, '#content', 'The team is blocked.')
    expect((await teamOf('paper-cranes'))?.state).not.toBe('blocked')
    expect(faults).toEqual([])
    await page.close()
  })

  test('an action on many teams is confirmed, undone for the teams it changed, and one line in the audit', async () => {
    const { page, faults } = await pages.openConsole('/console/teams?sort=team_id')
    await pages.fairgate.manage.post('/team/lock', { team_id: 'night-ferry' })
    await page.waitForSelector('tr[data-row="night-ferry"]')
    await page.click('tr[data-row="night-ferry"] input[type=checkbox]')
    await page.click('tr[data-row="ginger-root"] input[type=checkbox]')
    await page.click('tr[data-row="cedar-and-code"] input[type=checkbox]')
    await press(page, 'Lock board')
    await fill(page, 'Reason', 'Time is up')
    await confirm(page)
    await says(page, '.toast', 'Done: Lock 3 boards')
    expect((await teamOf('ginger-root'))?.board_locked).toBe(true)
    await press(page, 'Undo')
    await says(page, '.toast', 'Undone')
    const locked = async (id: string) => (await teamOf(id))?.board_locked
    expect([await locked('ginger-root'), await locked('cedar-and-code')]).toEqual([false, false])
    // It was locked before.
    expect(await locked('night-ferry')).toBe(true)
    await page.goto(`${pages.fairgate.adminUrl}/console/audit`)
    await says(page, '[data-bulk]:nth-child(1)', 'Undone right afterwards')
    await says(page, '[data-bulk]:nth-child(2)', 'Time is up')
    await page.click('[data-bulk]:nth-child(2) > .audit-bulk')
    expect((await page.$$('.audit-rows > li')).length).toBe(2)
    await pages.fairgate.manage.post('/team/unlock', { team_id: 'night-ferry' })
    expect(faults).toEqual([])
    await page.close()
  })

  test("a call appears on its team's page live", async () => {
    const { page, faults } = await pages.openConsole('/console/teams/night-ferry')
    await says(page, 'table.timeline', 'The upstream was slow')
    const key = await pages.fairgate.manage.key('night-ferry', { key_alias: 'laptop' })
    expect((await call(key)).status).toBe(200)
    await says(page, 'table.timeline', 'mm-2.5-flash')
    expect(faults).toEqual([])
    await page.close()
  })

  test('a new team: an invalid or taken id is refused at its field, a valid one leads to its people', async () => {
    const { page, faults } = await pages.openConsole('/console/teams')
    await press(page, 'New team')
    await fill(page, 'Name', 'Blue Team')
    await fill(page, 'Id', 'no spaces')
    await ready(page, 'Use only letters, digits, dot, underscore and hyphen')
    await fill(page, 'Id', 'moss')
    await fill(page, 'Budget', 'much')
    await ready(page, 'Enter an amount in dollars, such as 25 or 12.50')
    await fill(page, 'Budget', '12.50')
    await fill(page, 'Id', 'tidal-lock')
    await press(page, 'Create team')
    await page.waitForSelector('[aria-invalid=true]')
    await fill(page, 'Id', 'moss')
    await press(page, 'Create team')
    await whenPath(page, '/console/teams/moss/people')
    await ready(page, 'No people yet.')
    expect(await teamOf('moss')).toMatchObject({ team_alias: 'Blue Team', budget_nano: 12_500_000_000 })
    expect(faults).toEqual([])
    await page.close()
  })

  test('an import names the faulty line, shows a preview, and changes nothing the second time', async () => {
    const wrong = join(folder, 'wrong.csv')
    const right = join(folder, 'right.csv')
    writeFileSync(wrong, 'id,name\nred,Red\nno spaces,X\n')
    writeFileSync(right, 'id,name,member,email,budget\nred,Red,Kim,kim@red.example,25\nred,,Lee,,\n')
    const { page, faults } = await pages.openConsole('/console/teams?do=import')
    const choose = async (path: string) => {
      const field = await page.waitForSelector('input[type=file]')
      await field?.uploadFile(path)
    }
    await choose(wrong)
    await ready(page, '1 line with errors')
    await ready(page, 'is not a valid id')
    await choose(right)
    await ready(page, 'Import 1 team and 2 members')
    await fill(page, 'Reason', 'Sign-ups of Friday')
    await confirm(page)
    await page.waitForSelector('tr[data-row="red"]')
    expect(await teamOf('red')).toMatchObject({ people: 2, budget_nano: 25_000_000_000 })
    await press(page, 'Import…')
    await choose(right)
    await ready(page, 'No changes.')
    expect(await page.$('[data-confirm]:not([disabled])')).toBeNull()
    expect(faults).toEqual([])
    await page.close()
  })

  test('a key is shown once, works, is blocked, gets a new secret and is deleted', async () => {
    const { page, faults } = await pages.openConsole('/console/teams/ginger-root/people')
    await press(page, 'New key')
    await fill(page, 'Expires after', 'soon')
    await ready(page, 'Enter a number with s, m, h, d or w')
    await fill(page, 'Expires after', '12h')
    await fill(page, 'Name', 'laptop of Kim')
    await confirm(page)
    const shown = await page.waitForSelector('[data-secret]')
    const secret = (await shown?.evaluate(element => element.textContent)) ?? ''
    expect(secret).toStartWith('sk-')
    await page.keyboard.press('Escape')
    expect(await page.$('[data-secret]')).not.toBeNull()
    await press(page, 'I have saved it')
    await gone(page, '[data-secret]')
    expect(await page.content()).not.toContain(secret)
    await says(page, '[data-part=keys]', 'laptop of Kim')
    expect((await call(secret)).status).toBe(200)
    const action = async (item: string) => {
      await press(page, 'Actions for laptop of Kim')
      await press(page, item, '[role=menuitem]')
    }
    const agree = async () => {
      await fill(page, 'Reason', 'Asked for by the team')
      await confirm(page)
    }
    await action('Block…')
    await ready(page, 'active → blocked')
    expect(await page.$('[data-confirm]:not([disabled])')).toBeNull()
    // Someone else changes the key meanwhile: the action is refused, previewed again, and then made.
    const { keys } = await read<KeyList>('/key/list?team_id=ginger-root&return_full_object=true')
    const made = keys.find(key => typeof key === 'object' && key.key_alias === 'laptop of Kim')
    await pages.fairgate.manage.post('/key/update', { key: (made as KeyRow).token, rpm_limit: 60 })
    await fill(page, 'Reason', 'Asked for by the team')
    await page.waitForSelector('[data-confirm]:not([disabled])')
    await page.click('[data-confirm]')
    await ready(page, 'Something changed since the preview, so nothing was done.')
    expect((await call(secret)).status).toBe(200)
    await confirm(page)
    await gone(page, '[role=dialog]')
    await says(page, '[data-part=keys]', 'blocked')
    expect((await call(secret)).status).toBe(401)
    await action('Unblock…')
    await ready(page, 'blocked → active')
    await agree()
    await gone(page, '[role=dialog]')
    await action('Replace secret…')
    await ready(page, 'The old secret stops working at once.')
    await fill(page, 'Keep the old secret for', '2')
    await ready(page, 'Enter a number with s, m, h or d')
    await fill(page, 'Keep the old secret for', '15m')
    await ready(page, 'The old secret works for another 15 min.')
    await fill(page, 'Keep the old secret for', '')
    await ready(page, 'The old secret stops working at once.')
    await agree()
    const renewed = await page.waitForSelector('[data-secret]')
    const other = (await renewed?.evaluate(element => element.textContent)) ?? ''
    await press(page, 'I have saved it')
    expect(other).not.toBe(secret)
    expect((await call(other)).status).toBe(200)
    expect((await call(secret)).status).toBe(401)
    await action('Delete…')
    await ready(page, 'is deleted.')
    await agree()
    await saysNoMore(page, '[data-part=keys]', 'laptop of Kim')
    const { total_count } = await read<KeyList>('/key/list?team_id=ginger-root')
    expect(total_count).toBe(1)
    expect(faults).toEqual([])
    await page.close()
  })

  test('people are added and removed, log tokens and claim codes created and revoked', async () => {
    const { page, faults } = await pages.openConsole('/console/teams/null-pointers/people')
    await press(page, 'Add a person')
    await fill(page, 'Name', 'Mira Okafor')
    await fill(page, 'Email address', 'mira')
    await ready(page, 'Enter a valid email address')
    await fill(page, 'Email address', 'mira@example.org')
    await confirm(page)
    await says(page, '[data-part=people]', 'Mira Okafor')
    await press(page, 'New log token')
    await confirm(page)
    await page.waitForSelector('[data-secret]')
    await press(page, 'I have saved it')
    await page.waitForFunction(
      () => document.querySelectorAll('[data-part=log-tokens] tbody tr').length === 2,
    )
    await page.click('[data-part=log-tokens] tbody tr:last-child button')
    await ready(page, 'active → revoked')
    await fill(page, 'Reason', 'The laptop was lost')
    await confirm(page)
    await says(page, '[data-part=log-tokens]', 'revoked')
    await press(page, 'New code')
    await fill(page, 'Seats for people not on the list', 'x')
    await ready(page, 'Enter a whole number')
    await fill(page, 'Seats for people not on the list', '2')
    await fill(page, 'Reason', 'For the service')
    await confirm(page)
    await page.waitForSelector('.claim-qr')
    await page.waitForFunction(`document.querySelector('.claim-qr')?.naturalWidth > 0`, looking)
    await press(page, 'I have saved it')
    await says(page, '[data-part=claims]', 'works')
    await page.click('[data-part=claims] [aria-label^="Revoke"]')
    await fill(page, 'Reason', 'Lost at the door')
    await confirm(page)
    await ready(page, 'No active claim code.')
    await press(page, 'Actions for Mira Okafor')
    await press(page, 'Remove…', '[role=menuitem]')
    await fill(page, 'Reason', 'Went home')
    await confirm(page)
    await saysNoMore(page, '#content', 'Mira Okafor')
    await page.goto(`${pages.fairgate.adminUrl}/console/teams/null-pointers/audit`)
    await ready(page, 'Lost at the door')
    expect(faults).toEqual([])
    await page.close()
  })

  test('limits of a team and a key are changed after a preview', async () => {
    const { page, faults } = await pages.openConsole('/console/teams/tidal-lock/limits')
    await fill(page, 'Requests per minute', 'many')
    await ready(page, 'Enter a whole number')
    await fill(page, 'Requests per minute', '300')
    await page.select('.limit-model select', 'mm-3.1-pro-preview')
    await fill(page, 'Requests per minute for mm-3.1-pro-preview', '20')
    await press(page, 'Preview changes…')
    await ready(page, 'none → 300')
    await ready(page, 'mm-3.1-pro-preview: requests per minute')
    await fill(page, 'Reason', 'As announced')
    await confirm(page)
    const { team_info } = await pages.fairgate.manage.teamInfo('tidal-lock')
    expect(team_info.rpm_limit).toBe(300)
    expect(team_info.metadata.model_rpm_limit).toEqual({ 'mm-3.1-pro-preview': 20 })
    expect(team_info.max_budget).toBe(25)
    await press(page, 'Undo')
    await says(page, '.toast', 'Undone')
    const restored = await pages.fairgate.manage.teamInfo('tidal-lock')
    expect(restored.team_info.rpm_limit).toBeNull()
    expect(restored.team_info.metadata.model_rpm_limit).toEqual({})
    await page.click('[data-part=key-limits] button')
    await fill(page, 'Parallel calls', '0')
    await ready(page, 'at least 1')
    await fill(page, 'Parallel calls', '4')
    await ready(page, '1,000 → 4')
    await fill(page, 'Reason', 'As announced')
    await confirm(page)
    const keyOf = async () =>
      (await read<KeyList>('/key/list?team_id=tidal-lock&return_full_object=true')).keys[0]
    expect(await keyOf()).toMatchObject({ max_parallel_requests: 4, max_budget: null })
    await press(page, 'Undo')
    await says(page, '.toast', 'Undone')
    expect(await keyOf()).toMatchObject({ max_parallel_requests: 1000, max_budget: null })
    expect(faults).toEqual([])
    await page.close()
  })

  test('the chain is verified, the board is locked, and each tab has its own address', async () => {
    const { page, faults } = await pages.openConsole('/console/teams/kimchi-kernel/evidence')
    await press(page, 'Verify now')
    await ready(page, 'The chain is intact.')
    await press(page, 'Lock board')
    await fill(page, 'Reason', 'Time is up')
    await confirm(page)
    await ready(page, 'Board locked')
    await ready(page, 'locked')
    await page.goto(`${pages.fairgate.adminUrl}/console/teams/kimchi-kernel/timeline?kind=refusal`)
    await ready(page, 'no-such-model')
    expect(await page.$$eval('table.timeline tbody tr', rows => rows.length)).toBe(1)
    await page.goto(`${pages.fairgate.adminUrl}/console/teams/kimchi-kernel/sessions`)
    await page.waitForSelector('tr[data-row]')
    await page.focus('tr[data-row]')
    await page.keyboard.press('Enter')
    await page.waitForFunction(
      () => location.pathname.startsWith('/console/sessions/kimchi-kernel/'),
      looking,
    )
    await page.goto(`${pages.fairgate.adminUrl}/console/teams/kimchi-kernel/nothing`)
    await ready(page, 'Unknown tab “nothing”.')
    await page.goto(`${pages.fairgate.adminUrl}/console/teams/kimchi`)
    await ready(page, 'There is no team ‘kimchi’.')
    await press(page, 'Kimchi Kernel', 'a')
    await ready(page, 'Budget left')
    expect(faults).toEqual([])
    await page.close()
  })

  test('sheets are created once, with a QR code that the content policy allows, and print on their own', async () => {
    const { page, faults } = await pages.openConsole('/console/handouts?teams=kimchi-kernel,hostile')
    await press(page, 'Create 2 sheets…')
    await fill(page, 'Code valid for', 'long')
    await ready(page, 'such as 3d')
    await fill(page, 'Code valid for', '3d')
    await fill(page, 'Reason', 'For the tables')
    await confirm(page)
    await page.waitForSelector('.sheet')
    await page.waitForFunction(
      `[...document.querySelectorAll('.sheet-qr')].every(image => image.naturalWidth > 0)`,
      looking,
    )
    const codes = await page.$$eval('[data-code]', list => list.map(each => each.textContent ?? ''))
    expect(codes).toHaveLength(2)
    expect(codes[0]).toMatch(/^[0-9A-Z]{6}-[0-9A-Z]{6}$/)
    expect(await page.title()).not.toBe('owned')
    const code = codes[0]?.replace('-', '') ?? ''
    expect((await fetch(`${pages.fairgate.gatewayUrl}/join/${code}`)).status).toBe(200)
    await page.emulateMediaType('print')
    expect(await page.evaluate(`getComputedStyle(document.querySelector('.no-print')).display`)).toBe('none')
    expect(await page.evaluate(`getComputedStyle(document.querySelector('.frame-head')).display`)).toBe(
      'none',
    )
    expect(await page.evaluate(`getComputedStyle(document.querySelector('.sheet')).breakAfter`)).toBe('page')
    await page.emulateMediaType('screen')
    await page.reload()
    await ready(page, '0 teams have no active code')
    expect(await page.content()).not.toContain(code)
    expect(faults).toEqual([])
    await page.close()
  })
})

describe.skipIf(findChromium() === null)('a thousand teams', () => {
  let fairgate: Fairgate
  let browser: TestBrowser
  beforeAll(async () => {
    fairgate = await startFairgate()
    browser = await openBrowser()
    const teams = Array.from({ length: 1000 }, (_, index) => ({
      id: `team-${String(index).padStart(4, '0')}`,
      budget: 25,
    }))
    await fairgate.manage.change('POST', '/event/apply', { file: JSON.stringify({ teams }) })
  })
  afterAll(async () => {
    await browser?.close()
    await fairgate?.stop()
  })
  const openList = async () => {
    const { page, faults } = await browser.open({ isApart: true })
    await signInToConsole(page, fairgate.adminUrl, adminKey)
    await page.goto(`${fairgate.adminUrl}/console/teams?sort=team_id`)
    await page.waitForSelector('tr[data-row="team-0000"]')
    return { page, faults }
  }
  const toTheEnd = (page: Page) =>
    page.$eval('.table-window', frame => frame.scrollTo({ top: frame.scrollHeight }))

  test('are loaded page by page, and only the visible ones are rendered', async () => {
    const { page, faults } = await openList()
    expect((await rowsOf(page)).length).toBeLessThan(80)
    expect(await page.$eval('table.table', table => table.getAttribute('aria-rowcount'))).toBe('1000')
    // Scrolls to the last row while pages load.
    await page.waitForFunction(
      `(() => {
        const frame = document.querySelector('.table-window')
        frame.scrollTop = frame.scrollHeight
        return document.querySelector('tr[data-row="team-0999"]') !== null
      })()`,
      looking,
    )
    expect((await rowsOf(page)).length).toBeLessThan(80)
    expect(faults).toEqual([])
    await page.close()
  })

  test('one checkbox also selects teams that are not loaded, and the preview has the same count', async () => {
    const { page, faults } = await openList()
    await fill(page, 'Team or member', '5')
    await ready(page, '271 of 1,000 teams')
    await page.click('input[aria-label="Select all 271 rows"]')
    await says(page, '.selection-bar', 'All 271 teams that match')
    await press(page, 'Grant…')
    await fill(page, 'Amount per team', '1')
    await says(page, '[role=dialog]', 'Grant to 271 teams')
    await says(page, '[role=dialog] .changes', '271 changes, $0.00 → $1.00')
    await page.keyboard.press('Escape')
    await gone(page, '[role=dialog]')
    await page.click('input[aria-label="Select all 271 rows"]')
    await gone(page, '.selection-bar')
    expect(faults).toEqual([])
    await page.close()
  })

  test('changes do not cancel a page that is slow to load', async () => {
    const { page, faults } = await openList()
    let isHeld = true
    const held: HTTPRequest[] = []
    const cancelled: string[] = []
    await page.setRequestInterception(true)
    page.on('requestfailed', request => cancelled.push(request.url()))
    page.on('request', request => {
      if (isHeld && request.url().includes('after=')) held.push(request)
      else void request.continue()
    })
    const asked = page.waitForRequest(request => request.url().includes('after='))
    await toTheEnd(page)
    await asked
    await fairgate.manage.post('/team/block', { team_id: 'team-0199' })
    await says(page, 'tr[data-row="team-0199"]', 'Blocked')
    // Longer than the list waits before it reads changes again.
    const from = await page.evaluate(() => performance.now())
    await page.waitForFunction((since: number) => performance.now() > since + 6000, looking, from)
    expect(cancelled).toEqual([])
    expect(held).toHaveLength(1)
    isHeld = false
    for (const request of held) await request.continue()
    // Without scrolling: the frame stays in place and has more rows below.
    await page.waitForSelector('tr[data-row="team-0200"]')
    await saysNoMore(page, '.table-window', 'Loading more')
    expect(faults).toEqual([])
    await page.close()
  })

  test('a page that fails to load shows an error and is not requested again and again', async () => {
    const { page, faults } = await openList()
    let isRefused = true
    let refused = 0
    await page.setRequestInterception(true)
    page.on('request', request => {
      if (!isRefused || !request.url().includes('after=')) return void request.continue()
      refused += 1
      void request.respond({
        status: 400,
        contentType: 'application/json',
        body: JSON.stringify({
          error: { message: 'Not today.', code: 'invalid_request', type: 'invalid_request_error' },
        }),
      })
    })
    await toTheEnd(page)
    await ready(page, 'The rest of the list could not be loaded. Not today.')
    await toTheEnd(page)
    // Once, and at most once more if the list itself was read again.
    expect(refused).toBeLessThan(3)
    isRefused = false
    // It may be gone by now: reading the list again also reads its next page.
    await page.waitForFunction(() => {
      const buttons = [...document.querySelectorAll('button')]
      buttons.find(({ textContent }) => textContent === 'Try again')?.click()
      return document.querySelector('tr[data-row="team-0200"]') !== null
    }, looking)
    await saysNoMore(page, 'main', 'could not be loaded')
    expect(faults).toEqual([])
    await page.close()
  })
})
