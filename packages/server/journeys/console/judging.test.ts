// suite: 60 s
// Judging in the console. Only this file notices a set-up that cannot be made from nothing, typed text that another's save destroys, a link that is shown twice, or a sheet that needs a mouse.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { JudgeList } from '@fairgate/contracts/judging/panel.ts'
import type { JudgementList } from '@fairgate/contracts/judging/scores.ts'
import type { SetupReply } from '@fairgate/contracts/judging/setup.ts'
import type { NewAdminKeyReply } from '@fairgate/contracts/management/access.ts'
import type { Page } from 'puppeteer-core'
import { findFaults } from './testing/check-screen.ts'
import { findChromium } from './testing/find-chromium.ts'
import { judgingSetup } from './testing/seed-judging.ts'
import { startPages, type TestPages } from './testing/start-pages.ts'
import {
  confirm,
  fill,
  find,
  gone,
  holdsFocus,
  press,
  ready,
  says,
  textOf,
  whenSearch,
} from './testing/use-page.ts'

const path = (tab: string) => `/console/judging?tab=${tab}`
const openTab = async (page: Page, name: string, shows: string) => {
  await press(page, name, '.tabs a')
  await whenSearch(page, `tab=${name.toLowerCase().replace('-', '')}`)
  await ready(page, shows).catch(async error => {
    console.log(await page.$eval('main', ({ textContent }) => textContent))
    throw error
  })
}

describe.skipIf(findChromium() === null)('a head judge', () => {
  let pages: TestPages
  let key: string
  beforeAll(async () => {
    pages = await startPages()
    const made = await pages.fairgate.manage.post<NewAdminKeyReply>('/admin_keys', {
      name: 'Hana Head',
      role: 'head_judge',
    })
    key = made.key
  })
  afterAll(() => pages.stop())
  const setupNow = async () =>
    (await (await pages.fairgate.manage.call('GET', '/judging/setup')).json()) as SetupReply

  test('prepares judging from nothing to claim links in one go, and finds no barrier on the way', async () => {
    const { page, faults } = await pages.openConsole('/console', { key })
    const found: string[] = []
    // The start page of the role.
    await ready(page, 'Is the time enough?')
    await says(page, '[data-plan]', 'There are no judges yet. 9 teams with 3 each are 27 judgements.')
    await fill(page, 'Try with judges', '3')
    await says(page, '[data-plan]', 'Every judge can judge all 9 teams.')
    await press(page, 'Save the set-up')
    await ready(page, '2 fields need a correction.')
    await holdsFocus(page, 'Name')
    await page.keyboard.type('Direction')
    await fill(page, 'Help for judges', 'Who decided what was built?')
    await press(page, 'Say what 5 means')
    await fill(page, 'What 5 means', 'Gave direction throughout.')
    await press(page, 'Throw dice')
    await page.waitForSelector('[data-dice]')
    const thrown = await page.$eval('[data-dice]', dice => dice.getAttribute('aria-label') ?? '')
    expect(thrown).toMatch(/^Dice: [1-6]( [1-6]){5}$/)
    await press(page, 'Add a criterion')
    await find(page, 'Remove criterion 2', 'button')
    const names = await page.$$('[data-criterion] input')
    await names.at(-3)?.type('Checking')
    await press(page, 'Add a gate')
    await fill(page, 'Gate 1', 'Keeps to the rules')
    found.push(...(await findFaults(page)))
    await press(page, 'Save the set-up')
    await ready(page, 'Version 1, saved')
    const { setup } = await setupNow()
    expect(setup).toMatchObject({
      criteria: [
        { id: 'direction', help: 'Who decided what was built?', anchors: [{ score: 5 }] },
        { id: 'checking', name: 'Checking', weight: 1, max: 5 },
      ],
      gates: [{ id: 'keeps-to-the-rules' }],
      ties: [{ by: 'order' }, { by: 'head_judge' }],
      seed: thrown.replace('Dice: ', ''),
    })

    await openTab(page, 'Panel', 'No judges yet.')
    await press(page, 'Import judges')
    await fill(page, 'Or drop a file here, or paste the lines', '')
    await page.keyboard.type(
      'name,email,tags\nMira Lang,mira@example.com,Harbour College\nAda Okafor,,\nBen Sato,,\nCem Ohm,,',
    )
    await says(page, '.changes', 'Mira Lang')
    found.push(...(await findFaults(page)))
    await confirm(page)
    await says(page, 'table', 'Ada Okafor')
    found.push(...(await findFaults(page)))

    await openTab(page, 'Deal', 'Dealing now would change the teams of 4 judges')
    await press(page, 'Deal…')
    await says(page, '.changes', 'Mira Lang')
    await confirm(page)
    await ready(page, 'Dealing now would change nothing.')
    expect(await page.$$eval('.matrix [data-cell=assigned]', cells => cells.length)).toBe(27)
    found.push(...(await findFaults(page)))

    await openTab(page, 'Panel', 'Ada Okafor')
    await press(page, 'Make 4 claim links…')
    await says(page, '.changes', 'Ben Sato')
    await confirm(page)
    await ready(page, '4 claim links, shown only once')
    expect(await page.$$eval('[data-sheet]', sheets => sheets.length)).toBe(4)
    found.push(...(await findFaults(page)))
    const code = await textOf(page, '[data-code]')
    await press(page, 'Done, discard the links')
    await ready(page, 'Signed in')
    expect(await page.content()).not.toContain(code)
    const signedIn = await fetch(`${pages.fairgate.adminUrl}/judging/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ code }),
    })
    expect(signedIn.status).toBe(200)
    await ready(page, '4 judges, 1 signed in')

    await openTab(page, 'Progress', 'has signed in but not begun, 7 teams to read')
    found.push(...(await findFaults(page)))
    expect([found, faults]).toEqual([[], []])
    await page.close()
  })

  test('keeps what was typed while somebody else saves, after a reload too, and sees what differs', async () => {
    const { page, faults } = await pages.openConsole(path('setup'), { key })
    await ready(page, 'Version 1, saved')
    await fill(page, 'Minutes per team', '12')
    await ready(page, 'Not saved yet.')
    await page.reload()
    await ready(page, 'Not saved yet.')
    const { setup } = await setupNow()
    await pages.fairgate.manage.call('PUT', '/judging/setup', { setup: { ...setup, seed: '6 6 6' } })
    await ready(page, 'saved version 2')
    await says(page, '[data-save-bar]', 'It differs from that version in: minutes per team, seed.')
    expect(await findFaults(page)).toEqual([])
    await press(page, 'Save mine over it')
    await ready(page, 'Version 3, saved')
    expect((await setupNow()).setup).toMatchObject({ minutes_per_team: 12, seed: setup?.seed })
    expect(faults).toEqual([])
    await page.close()
  })

  test('replaces an absent judge in two clicks, brings the judge back, and declares a conflict', async () => {
    const { page, faults } = await pages.openConsole(path('panel'), { key })
    await says(page, 'table', 'Cem Ohm')
    await press(page, 'Replace Cem Ohm')
    await says(page, '.changes', 'is absent from now on')
    await confirm(page)
    await says(page, 'table', 'absent')
    await press(page, 'Cem Ohm is back')
    await confirm(page)
    await find(page, 'Replace Cem Ohm', 'button')
    await press(page, 'Actions for Mira Lang')
    await press(page, 'Declare a conflict…', '[role=menuitem]')
    await (await find(page, 'Team', 'input')).click()
    await press(page, 'Null Pointers', '[role=option]')
    await fill(page, 'Reason', 'Mentor of the team')
    await ready(page, 'Another judge gets it')
    await confirm(page)
    await page.waitForFunction(
      () => document.querySelector('[title="null-pointers: Mentor of the team"]') !== null,
    )
    expect(faults).toEqual([])
    await page.close()
  })

  test('types a sheet of paper by keyboard alone', async () => {
    const { items: judges } = (await (
      await pages.fairgate.manage.call('GET', '/judging/judges')
    ).json()) as JudgeList
    const { name = '' } = judges.find(({ teams }) => teams.includes('ginger-root')) ?? {}
    const { page, faults } = await pages.openConsole(path('papers'), { key })
    await holdsFocus(page, 'Team')
    const sheet = async (team: string, judge: string, scores: string) => {
      for (const word of [team, judge]) {
        await page.keyboard.type(word)
        await page.keyboard.press('Enter')
      }
      await holdsFocus(page, 'Direction')
      for (const digit of scores) await page.keyboard.press(digit as '1')
      await page.keyboard.press('Enter')
    }
    await sheet('ging', name.slice(0, 2), '54y')
    await says(page, '[data-saved]', `Saved: ${name} on Ginger Root.`)
    await holdsFocus(page, 'Team')
    // What is wrong is said at its field, which gets the focus.
    await sheet('ginger root', name.toLowerCase(), '9')
    await ready(page, 'Enter 0 to 5')
    await holdsFocus(page, 'Direction')
    await page.keyboard.press('Backspace')
    for (const key of ['2', '3', 'n'] as const) await page.keyboard.press(key)
    await holdsFocus(page, 'Reason')
    await page.keyboard.type('Misread')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await says(page, 'table', '2 · 3')
    expect(await findFaults(page)).toEqual([])
    const { items } = (await (
      await pages.fairgate.manage.call('GET', '/judging/judgements')
    ).json()) as JudgementList
    expect(items.filter(({ paper }) => paper)).toMatchObject([
      {
        ...{ judge: name, team_id: 'ginger-root', state: 'done', entered_by: 'Hana Head' },
        scores: { direction: { score: 2 }, checking: { score: 3 } },
        gates: { 'keeps-to-the-rules': false },
        reason: 'Misread',
      },
    ])
    expect(faults).toEqual([])
    await page.close()
  })

  test('cannot change what was scored, and is told why', async () => {
    const { page } = await pages.openConsole(path('setup'), { key })
    await ready(page, 'Judges have finished judgements')
    await page.waitForSelector('[data-criterion] button[aria-label="Remove Direction"]:disabled')
    await fill(page, 'Gate 1', 'Keeps to all rules')
    await press(page, 'Save the set-up')
    await ready(page, 'Version 4, saved')
    await page.close()
  })

  test('organisers see that only the head judge enters paper', async () => {
    const { page } = await pages.openConsole(path('papers'))
    await ready(page, 'Only the head judge enters paper scores.')
    expect(await page.$('[data-paper]')).toBeNull()
    await page.close()
  })
})

// Before, the frame followed `attention` for every role: the server refused the whole stream to judges, and the header said "Connecting" for ever. Shown to fail
// if `useTopic` follows every topic again.
describe.skipIf(findChromium() === null)('the console of', () => {
  let pages: TestPages
  beforeAll(async () => {
    pages = await startPages()
  })
  afterAll(() => pages.stop())

  test.each([
    ['judge', 'Sessions'],
    ['head_judge', 'Judging'],
    ['operator', 'Overview'],
  ] as const)('the role %s asks for nothing that the server refuses, and is live', async (role, start) => {
    const { key } = await pages.fairgate.manage.post<NewAdminKeyReply>('/admin_keys', { name: role, role })
    const { page, faults } = await pages.openConsole('/console', { key })
    const refused: string[] = []
    page.on('response', response => {
      if (response.status() === 403) refused.push(new URL(response.url()).pathname)
    })
    await page.reload()
    await says(page, 'h1', start)
    const places = await page.$$eval('.frame-nav a', links =>
      links.map(link => link.getAttribute('href') ?? ''),
    )
    const team =
      role === 'operator'
        ? []
        : ['/console/teams/kimchi-kernel', `/console/sessions/kimchi-kernel/${pages.event.sessionId}`]
    for (const place of [...places, ...team]) {
      await page.goto(pages.fairgate.adminUrl + place)
      await page.waitForSelector('[data-live=live]')
      await gone(page, '[aria-busy=true]')
    }
    expect([refused, faults]).toEqual([[], []])
    await page.close()
  })

  test('a judge whose key opens nothing while judging is blind is led to the claim link', async () => {
    const setup = { ...judgingSetup, blind: true }
    await pages.fairgate.manage.call('PUT', '/judging/setup', { setup })
    const { key } = await pages.fairgate.manage.post<NewAdminKeyReply>('/admin_keys', {
      name: 'Blind Bea',
      role: 'judge',
    })
    const { page, faults } = await pages.openConsole('/console/teams', { key })
    await ready(page, 'Judging is blind')
    expect(await page.$$eval('main a', links => links.map(link => link.getAttribute('href')))).toEqual([
      '/judging',
    ])
    expect(await findFaults(page)).toEqual([])
    expect(faults).toEqual([])
    await page.close()
  })
})
