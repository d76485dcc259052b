// suite: 166 s
// Teams, one team and hand-outs in a real browser: filters, selections, forms with right and wrong input, live figures, secrets shown once.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TeamsReply } from '@fairgate/contracts/console/teams.ts'
import type { NewAdminKeyReply } from '@fairgate/contracts/management/access.ts'
import type { KeyList, KeyRow } from '@fairgate/contracts/management/key-bodies.ts'
import type { ElementHandle, HTTPRequest, Page } from 'puppeteer-core'
import { adminKey, type Fairgate, startFairgate } from '../testing/start-fairgate.ts'
import { findBarriers } from './testing/check-accessibility.ts'
import { findChromium } from './testing/find-chromium.ts'
import { openBrowser, type TestBrowser } from './testing/open-browser.ts'
import { seedEvent } from './testing/seed-event.ts'
import { signInToConsole } from './testing/sign-in.ts'

/** Looks every 100 ms, in pages behind others too. */
const looking = { polling: 100 }
/** Waits until the page says so. */
const ready = (page: Page, text: string) =>
  page.waitForFunction((wanted: string) => document.body?.textContent?.includes(wanted), looking, text)
const gone = (page: Page, selector: string) =>
  page.waitForFunction((wanted: string) => document.querySelector(wanted) === null, looking, selector)
const saysNoMore = (page: Page, selector: string, text: string) =>
  page.waitForFunction(
    (where: string, wanted: string) => !document.querySelector(where)?.textContent?.includes(wanted),
    looking,
    selector,
    text,
  )
const says = (page: Page, selector: string, text: string) =>
  page.waitForFunction(
    (where: string, wanted: string) => document.querySelector(where)?.textContent?.includes(wanted),
    looking,
    selector,
    text,
  )
/** What people see of it, by its name; what a dialog has comes first. */
const find = async (page: Page, name: string, selector: string): Promise<ElementHandle> => {
  const found = await page.waitForFunction(
    (wanted: string, where: string) => {
      const all = [`[role=dialog] :is(${where})`, where].flatMap(each => [...document.querySelectorAll(each)])
      return all.find(element => {
        const id = element.getAttribute('id')
        const label = id === null ? null : document.querySelector(`label[for="${id}"]`)
        const text = element.getAttribute('aria-label') ?? label?.textContent ?? element.textContent ?? ''
        return text.replace(/ \*$/, '').trim() === wanted
      })
    },
    looking,
    name,
    selector,
  )
  return found.asElement() as ElementHandle
}
const press = async (page: Page, name: string, selector = 'button:not(:disabled)') =>
  (await find(page, name, selector)).click()
const fill = async (page: Page, label: string, text: string) => {
  const field = await find(page, label, 'input, textarea')
  await field.click({ count: 3 })
  await page.keyboard.press('Backspace')
  if (text !== '') await field.type(text)
}
const searchOf = (page: Page) => new URL(page.url()).searchParams
const whenSearch = (page: Page, text: string) =>
  page.waitForFunction((wanted: string) => location.search.includes(wanted), looking, text)
const rowsOf = (page: Page) =>
  page.$$eval('tr[data-row]', rows => rows.map(row => row.getAttribute('data-row') ?? ''))
const confirm = async (page: Page) => {
  await page.waitForSelector('[data-confirm]:not([disabled])')
  await page.click('[data-confirm]')
  await gone(page, '[data-confirm]')
}

describe.skipIf(findChromium() === null)('teams', () => {
  let fairgate: Fairgate
  let browser: TestBrowser
  let folder: string

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'fairgate-teams-'))
    fairgate = await startFairgate()
    await seedEvent(fairgate)
    browser = await openBrowser()
  }, 120_000)
  afterAll(async () => {
    await browser.close()
    await fairgate.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const open = async (path: string, options: Parameters<TestBrowser['open']>[0] = {}) => {
    const opened = await browser.open({ isApart: true, ...options })
    await signInToConsole(opened.page, fairgate.adminUrl, adminKey)
    await opened.page.goto(fairgate.adminUrl + path)
    return opened
  }
  const read = async <Reply>(path: string): Promise<Reply> =>
    (await (await fairgate.manage.call('GET', path)).json()) as Reply
  const teamOf = async (id: string) => {
    const { items } = await read<TeamsReply>(`/teams?q=${id}&sort=team_id`)
    return items.find(({ team_id }) => team_id === id)
  }
  const call = (key: string) =>
    fetch(`${fairgate.gatewayUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'mm-2.5-flash',
        max_tokens: 16,
        messages: [{ role: 'user', content: 'Hello?' }],
      }),
    })

  test('what is looked for, which state and which order stand in the address, and Back leads back', async () => {
    const { page, faults } = await open('/console/teams')
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
    await page.waitForFunction(() => document.querySelectorAll('tr[data-row]').length === 1)
    // By the name of a member.
    expect(await rowsOf(page)).toEqual(['paper-cranes'])
    await fill(page, 'Team or member', 'nobody is called this')
    await ready(page, 'No team or member is called')
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
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => location.pathname === '/console/teams/stack-overflowers')
    await page.goBack()
    await page.waitForSelector('tr[data-row="tidal-lock"]')
    expect(searchOf(page).get('order')).toBe('desc')
    expect(faults).toEqual([])
    await page.close()
  }, 60_000)

  test('a call shows up in the list and on the page of the team by itself', async () => {
    const { page, faults } = await open('/console/teams?q=night')
    const { page: other, faults: others } = await open('/console/teams/night-ferry')
    await page.waitForSelector('tr[data-row="night-ferry"]')
    await ready(page, 'Not started')
    await says(other, 'table.timeline', 'The upstream was slow')
    const key = await fairgate.manage.key('night-ferry', { key_alias: 'laptop' })
    expect((await call(key)).status).toBe(200)
    await says(page, 'tr[data-row="night-ferry"]', 'Working')
    await says(other, 'table.timeline', 'mm-2.5-flash')
    expect([...faults, ...others]).toEqual([])
    await page.close()
    await other.close()
  }, 60_000)

  test('selected teams are granted money, after the effect was shown', async () => {
    const { page, faults } = await open('/console/teams?sort=team_id')
    await page.waitForSelector('tr[data-row="ginger-root"]')
    const before = await rowsOf(page)
    expect(before.slice(0, 2)).toEqual(['cedar-and-code', 'ginger-root'])
    await page.focus('tr[data-row="cedar-and-code"]')
    await page.keyboard.press('x')
    await page.focus('tr[data-row="hostile"]')
    await page.keyboard.press('X')
    await ready(page, '3 selected')
    await page.keyboard.press('Escape')
    await gone(page, '.selection-bar')
    await page.click('tr[data-row="cedar-and-code"] input[type=checkbox]')
    await page.click('tr[data-row="ginger-root"] input[type=checkbox]')
    await press(page, 'Grant…')
    await fill(page, 'Amount for each team', 'much')
    await ready(page, 'Write dollars, such as 5 or 12.50')
    await fill(page, 'Amount for each team', '5')
    await ready(page, '$0.00 → $5.00')
    expect(await page.$('[data-confirm]:not([disabled])')).toBeNull()
    await fill(page, 'Reason', 'The upstream was slow')
    await confirm(page)
    await gone(page, '.selection-bar')
    expect((await teamOf('cedar-and-code'))?.budget_nano).toBe(30_000_000_000)
    expect((await teamOf('ginger-root'))?.budget_nano).toBe(30_000_000_000)
    await says(page, 'tr[data-row="ginger-root"]', 'of $30.00')
    expect(faults).toEqual([])
    await page.close()
  }, 60_000)

  test('blocking many needs their number, and Enter alone blocks nobody', async () => {
    const { page, faults } = await open('/console/teams?sort=team_id')
    await page.waitForSelector('tr[data-row="tidal-lock"]')
    await page.click('tr[data-row="paper-cranes"] input[type=checkbox]')
    await page.click('tr[data-row="tidal-lock"] input[type=checkbox]')
    await press(page, 'Block')
    await ready(page, 'Every key stops at once')
    await fill(page, 'Reason', 'They share a key')
    await page.keyboard.press('Enter')
    expect(await page.$('[data-confirm]:not([disabled])')).toBeNull()
    await fill(page, 'Type 2 to confirm', '2')
    await confirm(page)
    expect((await teamOf('paper-cranes'))?.state).toBe('blocked')
    await page.goto(`${fairgate.adminUrl}/console/teams/paper-cranes`)
    await ready(page, 'The team is blocked.')
    await press(page, 'Unblock')
    await whenSearch(page, 'do=unblock')
    await fill(page, 'Reason', 'Cleared up')
    await confirm(page)
    await saysNoMore(page, '#content', 'The team is blocked.')
    expect((await teamOf('paper-cranes'))?.state).not.toBe('blocked')
    expect(faults).toEqual([])
    await page.close()
  }, 60_000)

  test('a new team: a wrong or taken id is refused at its field, a right one leads to its people', async () => {
    const { page, faults } = await open('/console/teams')
    await press(page, 'New team')
    await fill(page, 'Name', 'Blue Team')
    await fill(page, 'Id', 'no spaces')
    await ready(page, 'Only letters, digits, dot, underscore and hyphen')
    await fill(page, 'Id', 'moss')
    await fill(page, 'Budget', 'much')
    await ready(page, 'Write dollars, such as 25 or 12.50.')
    await fill(page, 'Budget', '12.50')
    await fill(page, 'Id', 'tidal-lock')
    await press(page, 'Make the team')
    await page.waitForSelector('[aria-invalid=true]')
    await fill(page, 'Id', 'moss')
    await press(page, 'Make the team')
    await page.waitForFunction(() => location.pathname === '/console/teams/moss/people')
    await ready(page, 'Nobody is on the list.')
    expect(await teamOf('moss')).toMatchObject({ team_alias: 'Blue Team', budget_nano: 12_500_000_000 })
    expect(faults).toEqual([])
    await page.close()
  }, 60_000)

  test('an import names the line at fault, shows what would change, and changes nothing the second time', async () => {
    const wrong = join(folder, 'wrong.csv')
    const right = join(folder, 'right.csv')
    writeFileSync(wrong, 'id,name\nred,Red\nno spaces,X\n')
    writeFileSync(right, 'id,name,member,email,budget\nred,Red,Kim,kim@red.example,25\nred,,Lee,,\n')
    const { page, faults } = await open('/console/teams?do=import')
    const choose = async (path: string) => {
      const field = await page.waitForSelector('input[type=file]')
      await field?.uploadFile(path)
    }
    await choose(wrong)
    await ready(page, '1 line cannot be read')
    await ready(page, 'is no id')
    await choose(right)
    await ready(page, 'Import 1 team and 2 members')
    await fill(page, 'Reason', 'Sign-ups of Friday')
    await confirm(page)
    await page.waitForSelector('tr[data-row="red"]')
    expect(await teamOf('red')).toMatchObject({ people: 2, budget_nano: 25_000_000_000 })
    await press(page, 'Import…')
    await choose(right)
    await ready(page, 'Nothing: it is so already.')
    expect(await page.$('[data-confirm]:not([disabled])')).toBeNull()
    expect(faults).toEqual([])
    await page.close()
  }, 60_000)

  test('a key is shown once, works, is blocked, gets a new secret and is deleted', async () => {
    const { page, faults } = await open('/console/teams/ginger-root/people')
    await press(page, 'New key')
    await fill(page, 'Ends after', 'soon')
    await ready(page, 'Write a number and s, m, h, d or w')
    await fill(page, 'Ends after', '12h')
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
    const act = async (item: string) => {
      await press(page, 'Acts on laptop of Kim')
      await press(page, item, '[role=menuitem]')
    }
    const agree = async () => {
      await fill(page, 'Reason', 'Asked for by the team')
      await confirm(page)
    }
    await act('Block…')
    await ready(page, 'works → is blocked.')
    expect(await page.$('[data-confirm]:not([disabled])')).toBeNull()
    // Somebody else changes the key meanwhile: the act is refused, shown again, and then made.
    const { keys } = await read<KeyList>('/key/list?team_id=ginger-root&return_full_object=true')
    const made = keys.find(key => typeof key === 'object' && key.key_alias === 'laptop of Kim')
    await fairgate.manage.post('/key/update', { key: (made as KeyRow).token, rpm_limit: 60 })
    await fill(page, 'Reason', 'Asked for by the team')
    await page.waitForSelector('[data-confirm]:not([disabled])')
    await page.click('[data-confirm]')
    await ready(page, 'Something changed since the preview, so nothing was done.')
    expect((await call(secret)).status).toBe(200)
    await confirm(page)
    await gone(page, '[role=dialog]')
    await says(page, '[data-part=keys]', 'blocked')
    expect((await call(secret)).status).toBe(401)
    await act('Unblock…')
    await ready(page, 'is blocked → works.')
    await agree()
    await gone(page, '[role=dialog]')
    await act('New secret…')
    await ready(page, 'The old secret stops at once.')
    await fill(page, 'The old secret works for', '2')
    await ready(page, 'Write a number and s, m, h or d')
    await fill(page, 'The old secret works for', '15m')
    await ready(page, 'The old secret works for 15 min more.')
    await fill(page, 'The old secret works for', '')
    await ready(page, 'The old secret stops at once.')
    await agree()
    const renewed = await page.waitForSelector('[data-secret]')
    const other = (await renewed?.evaluate(element => element.textContent)) ?? ''
    await press(page, 'I have saved it')
    expect(other).not.toBe(secret)
    expect((await call(other)).status).toBe(200)
    expect((await call(secret)).status).toBe(401)
    await act('Delete…')
    await ready(page, 'is deleted.')
    await agree()
    await saysNoMore(page, '[data-part=keys]', 'laptop of Kim')
    const { total_count } = await read<KeyList>('/key/list?team_id=ginger-root')
    expect(total_count).toBe(1)
    expect(faults).toEqual([])
    await page.close()
  }, 90_000)

  test('people are added and removed, log tokens and claim codes made and stopped', async () => {
    const { page, faults } = await open('/console/teams/null-pointers/people')
    await press(page, 'Add a person')
    await fill(page, 'Name', 'Mira Okafor')
    await fill(page, 'E-mail address', 'mira')
    await ready(page, 'That is no e-mail address.')
    await fill(page, 'E-mail address', 'mira@example.org')
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
    await ready(page, 'works → is revoked.')
    await fill(page, 'Reason', 'The laptop was lost')
    await confirm(page)
    await says(page, '[data-part=log-tokens]', 'revoked')
    await press(page, 'Make a code')
    await fill(page, 'Seats for people who are not on the list', 'x')
    await ready(page, 'Write a whole number.')
    await fill(page, 'Seats for people who are not on the list', '2')
    await fill(page, 'Reason', 'For the desk')
    await confirm(page)
    await page.waitForSelector('.claim-qr')
    await page.waitForFunction(`document.querySelector('.claim-qr')?.naturalWidth > 0`, looking)
    await press(page, 'I have saved it')
    await says(page, '[data-part=claims]', 'works')
    await page.click('[data-part=claims] [aria-label^="Revoke"]')
    await fill(page, 'Reason', 'Lost at the door')
    await confirm(page)
    await ready(page, 'No code works.')
    await press(page, 'Acts on Mira Okafor')
    await press(page, 'Remove…', '[role=menuitem]')
    await fill(page, 'Reason', 'Went home')
    await confirm(page)
    await saysNoMore(page, '#content', 'Mira Okafor')
    await page.goto(`${fairgate.adminUrl}/console/teams/null-pointers/audit`)
    await ready(page, 'Lost at the door')
    expect(faults).toEqual([])
    await page.close()
  }, 90_000)

  test('limits of a team and of a key are changed after their effect was shown', async () => {
    const { page, faults } = await open('/console/teams/tidal-lock/limits')
    await fill(page, 'Requests a minute', 'many')
    await ready(page, 'Write a whole number.')
    await fill(page, 'Requests a minute', '300')
    await page.select('.limit-model select', 'mm-3.1-pro-preview')
    await fill(page, 'Requests a minute of mm-3.1-pro-preview', '20')
    await press(page, 'Show the effect…')
    await ready(page, 'none → 300')
    await ready(page, 'mm-3.1-pro-preview: requests a minute')
    await fill(page, 'Reason', 'As announced')
    await confirm(page)
    const { team_info } = await fairgate.manage.teamInfo('tidal-lock')
    expect(team_info.rpm_limit).toBe(300)
    expect(team_info.metadata.model_rpm_limit).toEqual({ 'mm-3.1-pro-preview': 20 })
    expect(team_info.max_budget).toBe(25)
    await page.click('[data-part=key-limits] button')
    await fill(page, 'Calls at once', '0')
    await ready(page, 'at least 1')
    await fill(page, 'Calls at once', '4')
    await ready(page, '1000 → 4')
    await confirm(page)
    const { keys } = await read<KeyList>('/key/list?team_id=tidal-lock&return_full_object=true')
    expect(keys[0]).toMatchObject({ max_parallel_requests: 4, max_budget: null })
    expect(faults).toEqual([])
    await page.close()
  }, 60_000)

  test('the chain is verified, the board locked, and each tab can be opened by its address', async () => {
    const { page, faults } = await open('/console/teams/kimchi-kernel/evidence')
    await press(page, 'Verify now')
    await ready(page, 'The chain is whole.')
    await press(page, 'Lock board')
    await fill(page, 'Reason', 'Time is up')
    await confirm(page)
    await ready(page, 'Board locked')
    await ready(page, 'locked')
    await page.goto(`${fairgate.adminUrl}/console/teams/kimchi-kernel/timeline?kind=refusal`)
    await ready(page, 'no-such-model')
    expect(await page.$$eval('table.timeline tbody tr', rows => rows.length)).toBe(1)
    await page.goto(`${fairgate.adminUrl}/console/teams/kimchi-kernel/sessions`)
    await page.waitForSelector('tr[data-row]')
    await page.focus('tr[data-row]')
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => location.pathname.startsWith('/console/sessions/kimchi-kernel/'))
    await page.goto(`${fairgate.adminUrl}/console/teams/kimchi-kernel/nothing`)
    await ready(page, 'A team has no part “nothing”.')
    await page.goto(`${fairgate.adminUrl}/console/teams/kimchi`)
    await ready(page, 'There is no team ‘kimchi’.')
    await press(page, 'Kimchi Kernel', 'a')
    await ready(page, 'Budget left')
    expect(faults).toEqual([])
    await page.close()
  }, 60_000)

  test('sheets are made once, with a QR code that the policy lets through, and print alone', async () => {
    const { page, faults } = await open('/console/handouts?teams=kimchi-kernel,hostile')
    await press(page, 'Make 2 sheets…')
    await fill(page, 'The code works for', 'long')
    await ready(page, 'such as 3d')
    await fill(page, 'The code works for', '3d')
    await fill(page, 'Reason', 'For the tables')
    await confirm(page)
    await page.waitForSelector('.sheet')
    await page.waitForFunction(
      `[...document.querySelectorAll('.sheet-qr')].every(image => image.naturalWidth > 0)`,
      looking,
    )
    const codes = await page.$$eval('[data-code]', list => list.map(each => each.textContent ?? ''))
    expect(codes).toHaveLength(2)
    expect(codes[0]).toMatch(/^[0-9A-Z]{5}-[0-9A-Z]{5}$/)
    expect(await page.title()).not.toBe('owned')
    const code = codes[0]?.replace('-', '') ?? ''
    expect((await fetch(`${fairgate.gatewayUrl}/join/${code}`)).status).toBe(200)
    await page.emulateMediaType('print')
    expect(await page.evaluate(`getComputedStyle(document.querySelector('.no-print')).display`)).toBe('none')
    expect(await page.evaluate(`getComputedStyle(document.querySelector('.frame-head')).display`)).toBe(
      'none',
    )
    expect(await page.evaluate(`getComputedStyle(document.querySelector('.sheet')).breakAfter`)).toBe('page')
    await page.emulateMediaType('screen')
    await page.reload()
    await ready(page, '0 teams have no working code')
    expect(await page.content()).not.toContain(code)
    expect(faults).toEqual([])
    await page.close()
  }, 60_000)

  test('a judge sees no act, and no part that only organisers may read', async () => {
    const judge = await fairgate.manage.post<NewAdminKeyReply>('/admin_keys', {
      name: 'Mira the judge',
      role: 'judge',
    })
    const { page, faults } = await browser.open({ isApart: true })
    await signInToConsole(page, fairgate.adminUrl, judge.key)
    await page.goto(`${fairgate.adminUrl}/console/teams`)
    await page.waitForSelector('tr[data-row]')
    expect(await page.$('tr[data-row] input[type=checkbox]')).toBeNull()
    const offered = await page.$$eval('.page-head button, .page-head a', list =>
      list.map(({ textContent }) => textContent?.trim()),
    )
    expect(offered.toSorted()).toEqual(['CSV', 'Columns'])
    await page.goto(`${fairgate.adminUrl}/console/teams/kimchi-kernel/people?do=block`)
    await ready(page, 'Recorders')
    expect(await page.$('[data-part=keys]')).toBeNull()
    expect(await page.$('[role=dialog]')).toBeNull()
    await page.goto(`${fairgate.adminUrl}/console/teams/kimchi-kernel/limits`)
    await ready(page, 'Only organisers see this part.')
    await page.goto(`${fairgate.adminUrl}/console/handouts`)
    await ready(page, 'Only organisers hand out claim codes.')
    expect(faults).toEqual([])
    await page.close()
  }, 60_000)

  test('nobody is kept out, and no screen is wider than its window', async () => {
    const barriers: string[] = []
    for (const scheme of ['light', 'dark'] as const) {
      for (const width of [1440, 360]) {
        const { page, faults } = await open('/console/teams', { width, scheme })
        for (const path of [
          '/console/teams',
          '/console/teams/hostile',
          '/console/teams/kimchi-kernel',
          '/console/teams/kimchi-kernel/timeline',
          '/console/teams/kimchi-kernel/people',
          '/console/teams/kimchi-kernel/limits',
          '/console/teams/kimchi-kernel/evidence',
          '/console/teams/kimchi-kernel/audit',
          '/console/handouts',
        ]) {
          await page.goto(fairgate.adminUrl + path)
          await page.waitForSelector('h1')
          await gone(page, '[aria-busy=true]')
          const found = await findBarriers(page)
          barriers.push(...found.map(each => `${path} ${width} ${scheme} ${each}`))
          const over = await page.evaluate(
            () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
          )
          if (over > 0) barriers.push(`${path} ${width}: ${over} px too wide`)
        }
        expect(faults).toEqual([])
        await page.close()
      }
    }
    expect(barriers).toEqual([])
  }, 120_000)
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
    await fairgate.manage.act('POST', '/event/apply', { file: JSON.stringify({ teams }) })
  }, 60_000)
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

  test('are read page by page, and only those in sight are drawn', async () => {
    const { page, faults } = await openList()
    expect((await rowsOf(page)).length).toBeLessThan(80)
    expect(await page.$eval('table.table', table => table.getAttribute('aria-rowcount'))).toBe('1000')
    // Down to the last row, as pages come.
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
  }, 120_000)

  test('a page that comes late is not cancelled by what changes meanwhile', async () => {
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
    // Longer than the list waits before it reads again what has changed.
    const from = await page.evaluate(() => performance.now())
    await page.waitForFunction((since: number) => performance.now() > since + 6000, looking, from)
    expect(cancelled).toEqual([])
    expect(held).toHaveLength(1)
    isHeld = false
    for (const request of held) await request.continue()
    // Nobody scrolls: the frame stands where it stood, and now has more below.
    await page.waitForSelector('tr[data-row="team-0200"]')
    await saysNoMore(page, '.table-window', 'Loading more')
    expect(faults).toEqual([])
    await page.close()
  }, 120_000)

  test('a page that does not come is told of, and not asked for over and over', async () => {
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
    await ready(page, 'More of the list could not be loaded. Not today.')
    await toTheEnd(page)
    // Once, and once more at most where the list itself was read again.
    expect(refused).toBeLessThan(3)
    isRefused = false
    // It may be gone by now: when the list is read again, so is its next page.
    await page.waitForFunction(() => {
      const buttons = [...document.querySelectorAll('button')]
      buttons.find(({ textContent }) => textContent === 'Try again')?.click()
      return document.querySelector('tr[data-row="team-0200"]') !== null
    }, looking)
    await saysNoMore(page, 'main', 'could not be loaded')
    expect(faults).toEqual([])
    await page.close()
  }, 120_000)
})
