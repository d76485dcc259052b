// suite: 60 s
// A judge scores in the browser: on a phone in a hall with bad Wi-Fi, on two devices, by keys, and puts the teams in order. Only this file
// notices a text that is lost between the page and the server, or a page that scores in too many steps.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { JudgementReply, OrderReply } from '@fairgate/contracts/judging/scores.ts'
import type { Page } from 'puppeteer-core'
import { findFaults } from './testing/check-screen.ts'
import { findChromium } from './testing/find-chromium.ts'
import { type JudgingPages, startJudging } from './testing/start-judging.ts'
import { fill, find, looking, press, ready, says, saysNoMore, textOf } from './testing/use-page.ts'

const phone = { device: 'phone', width: 390 } as const
const saved = '[data-part=saved]'

describe.skipIf(findChromium() === null)('scores of a judge', () => {
  let pages: JudgingPages
  beforeAll(async () => {
    pages = await startJudging()
    await finish('Ben', 'night-ferry', 1)
  })
  afterAll(() => pages.stop())

  const read = (team: string, judge: 'Ada' | 'Ben' = 'Ada') =>
    pages.asJudge<JudgementReply>(judge, 'GET', `/judging/scores/${team}`)
  const isSaved = (page: Page) =>
    page.waitForFunction(
      (where: string) => document.querySelector(where)?.textContent?.startsWith('saved '),
      looking,
      saved,
    )
  const openScores = async (page: Page) => {
    await press(page, 'Score')
    await says(page, saved, 'save')
  }
  const choose = async (page: Page, criterion: string, score: string) => {
    const name = `input[name="${criterion}"][value="${score}"]`
    await page.waitForSelector(name)
    await page.click(name)
    await page.waitForFunction(
      (wanted: string) => document.querySelector(`${wanted}:checked`) !== null,
      looking,
      name,
    )
  }
  const finish = async (judge: 'Ada' | 'Ben', team: string, direction: number) => {
    const { own } = await pages.asJudge<JudgementReply>(judge, 'PUT', `/judging/scores/${team}`, {
      scores: {
        direction: { score: direction, why: `Because ${judge} says so.` },
        checking: { score: 3 },
        cost: { score: 50 },
      },
      gates: { own: true },
      comment_judges: 'Look at the first session.',
      revision: (await read(team, judge)).own.revision,
    })
    await pages.asJudge(judge, 'POST', `/judging/scores/${team}/done`, { revision: own.revision })
  }

  test('a team is scored on a phone in at most 12 clicks, and the next one follows', async () => {
    const { page, faults } = await pages.openJudge('Ada', '/judging?team=kimchi-kernel', phone)
    await page.evaluate(() => {
      const counter = globalThis as unknown as { clicks: number; addEventListener: typeof addEventListener }
      counter.clicks = 0
      counter.addEventListener('pointerdown', () => {
        counter.clicks += 1
      })
    })
    await openScores(page)
    await ready(page, 'Still missing: Direction, Checking, Cost in mind, Own work')
    await choose(page, 'score direction', '4')
    await page.click('[data-criterion=direction] textarea')
    await page.keyboard.type('Plans first, and keeps to the plan.')
    await choose(page, 'score checking', '5')
    await page.click('[data-criterion=cost] input')
    await page.keyboard.type('70')
    await choose(page, 'gate own', 'true')
    await ready(page, 'Everything is answered.')
    await isSaved(page)
    await says(page, '[data-part=mean]', '82.5 %')
    await page.click('[data-part=done]')
    await page.waitForFunction(() => !location.search.includes('kimchi-kernel'), looking)
    const clicks = await page.evaluate(() => (globalThis as unknown as { clicks: number }).clicks)
    expect(clicks).toBeLessThanOrEqual(12)
    expect(clicks).toBeGreaterThan(5)
    const { own, others } = await read('kimchi-kernel')
    expect([own.state, own.scores.direction, own.scores.cost?.score, own.gates]).toEqual([
      'done',
      { score: 4, why: 'Plans first, and keeps to the plan.' },
      70,
      { own: true },
    ])
    expect(others).toEqual([])
    await page.waitForFunction(
      () =>
        document.activeElement?.getAttribute('tabindex') === '-1' &&
        document.querySelector('h1') === document.activeElement,
      looking,
    )
    expect(faults).toEqual([])
    await page.close()
  })

  test('nothing is lost without a connection, by a reload, or by closing the page', async () => {
    const { page } = await pages.openJudge('Ada', '/judging?team=tidal-lock', phone)
    await openScores(page)
    await choose(page, 'score direction', '2')
    await isSaved(page)
    await page.setOfflineMode(true)
    await fill(page, 'Why, Direction', 'Typed in the cellar.')
    await choose(page, 'score checking', '1')
    await says(page, saved, 'not saved yet: no connection; kept on this device')
    expect((await read('tidal-lock')).own.scores).toEqual({ direction: { score: 2 } })
    await page.setOfflineMode(false)
    await isSaved(page)
    expect((await read('tidal-lock')).own.scores).toEqual({
      direction: { score: 2, why: 'Typed in the cellar.' },
      checking: { score: 1 },
    })

    await page.setOfflineMode(true)
    await fill(page, 'Comment for the team', 'Before the reload.')
    await says(page, saved, 'kept on this device')
    await page.reload()
    expect(page.url()).toStartWith('chrome-error:')
    await page.setOfflineMode(false)
    await page.goto(`${pages.fairgate.adminUrl}/judging?team=tidal-lock&show=score`)
    await isSaved(page)
    expect((await read('tidal-lock')).own.comment_team).toBe('Before the reload.')

    await page.setOfflineMode(true)
    await fill(page, 'Comment for colleagues', 'Before the end.')
    await says(page, saved, 'kept on this device')
    await page.close()
    // Whatever the next page shows.
    const next = await pages.openJudge('Ada', '/judging', phone)
    await next.page.waitForFunction(
      () => Object.keys(localStorage).every(key => !key.includes('tidal-lock')),
      looking,
    )
    expect((await read('tidal-lock')).own.comment_judges).toBe('Before the end.')
    await next.page.close()
  })

  test('a session that ends keeps what was typed, and sends it after the next sign-in', async () => {
    const { page } = await pages.openJudge('Ada', '/judging?team=null-pointers', { device: 'tablet' })
    await ready(page, 'Still missing')
    await page.deleteCookie(...(await page.cookies()))
    await fill(page, 'Why, Direction', 'After the end')
    await says(page, '[role=dialog]', 'Your session has ended')
    await says(page, saved, 'not saved yet: sign in again; kept on this device')
    await fill(page, 'Your code', pages.codeOf('Ada'))
    await page.keyboard.press('Enter')
    await isSaved(page)
    expect((await read('null-pointers')).own.scores.direction?.why).toBe('After the end')
    await page.close()
  })

  test('Done without a connection is sent when it is back', async () => {
    const { page } = await pages.openJudge('Ada', '/judging?team=paper-cranes')
    await ready(page, 'Still missing')
    await page.setOfflineMode(true)
    await choose(page, 'score direction', '3')
    await choose(page, 'score checking', '3')
    await page.click('[data-criterion=cost] input')
    await page.keyboard.type('30')
    await choose(page, 'gate own', 'true')
    await page.click('[data-part=done]')
    await says(page, saved, 'kept on this device')
    await page.setOfflineMode(false)
    await says(page, saved, 'done ')
    expect((await read('paper-cranes')).own.state).toBe('done')
    await page.close()
  })

  test('two devices join what they write, keep both texts, and ask about two scores', async () => {
    const { page: laptop, faults } = await pages.openJudge('Ada', '/judging?team=ginger-root')
    const { page: other } = await pages.openJudge('Ada', '/judging?team=ginger-root&show=score', phone)
    await ready(laptop, 'Still missing')
    await ready(other, 'Still missing')
    await other.setOfflineMode(true)
    await choose(other, 'score direction', '2')
    await fill(other, 'Why, Direction', 'From the phone')
    await choose(other, 'score checking', '4')
    await choose(laptop, 'score direction', '5')
    await fill(laptop, 'Why, Direction', 'From the laptop')
    await fill(laptop, 'Comment for the team', 'Well done')
    await isSaved(laptop)
    await other.setOfflineMode(false)
    await ready(other, 'You gave 2 here and 5 on your other device.')
    await ready(other, 'You also have this team open on another device')
    await ready(laptop, 'You also have this team open on another device')
    await press(other, 'Take 5')
    await isSaved(other)
    await laptop.waitForFunction(
      () => document.querySelector('input[name="score checking"][value="4"]:checked') !== null,
      looking,
    )
    const { own } = await read('ginger-root')
    expect(own.scores).toEqual({
      direction: { score: 5, why: 'From the phone\n— also written on your other device: From the laptop' },
      checking: { score: 4 },
    })
    expect(own.comment_team).toBe('Well done')
    expect(faults).toEqual([])
    await laptop.close()
    await other.close()
  })

  test('keys score, others are shown afterwards, and a reopening needs a reason', async () => {
    const { page, faults } = await pages.openJudge('Ada', '/judging?team=night-ferry')
    await ready(page, 'Still missing')
    expect(await textOf(page, '.judge-score')).not.toContain('Ben')
    expect(await findFaults(page)).toEqual([])
    await ready(page, 'Still missing')
    await page.keyboard.press('4')
    await page.waitForSelector('input[name="score direction"][value="4"]:checked')
    await page.keyboard.press('n')
    await page.keyboard.type('Keeps to the plan')
    await page.keyboard.press('Escape')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('3')
    await page.waitForSelector('input[name="score checking"][value="3"]:checked')
    await page.keyboard.press('?')
    await says(page, '[role=dialog]', 'Score the marked criterion')
    await says(page, '[role=dialog]', 'Next criterion')
    await page.keyboard.press('Escape')
    await page.waitForFunction(() => document.querySelector('[role=dialog]') === null, looking)
    await page.focus('input[name="score checking"]:checked')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.type('60')
    await choose(page, 'gate own', 'true')
    const done = async () => {
      await page.keyboard.down('Control')
      await page.keyboard.press('Enter')
      await page.keyboard.up('Control')
    }
    await done()
    await page.waitForFunction(() => !location.search.includes('night-ferry'), looking)
    await page.goto(`${pages.fairgate.adminUrl}/judging?team=night-ferry`)
    await ready(page, '1 other judge of this team has finished.')
    const shown = await textOf(page, '.judge-score')
    expect(shown).toContain('Direction 0 to 5to discuss')
    expect(shown).toContain('Because Ben says so.')
    expect(shown).not.toContain('Checking 0 to 5to discuss')
    expect(await findFaults(page)).toEqual([])
    await press(page, 'Reopen…')
    await page.waitForSelector('[data-confirm]:disabled')
    await fill(page, 'Reason', 'Mistook it for another team')
    await press(page, 'Reopen')
    await ready(page, 'Everything is answered.')
    const { own } = await read('night-ferry')
    expect([own.state, own.reason]).toEqual(['begun', 'Mistook it for another team'])
    await press(page, 'Could not judge…')
    await fill(page, 'Reason', 'Nothing was handed in')
    await press(page, 'Give up this team')
    await page.waitForFunction(() => !location.search.includes('night-ferry'), looking)
    expect((await read('night-ferry')).own).toMatchObject({
      state: 'unable',
      reason: 'Nothing was handed in',
    })
    expect(faults).toEqual([])
    await page.close()
  })

  test('a team that the judge must not judge leaves the list, with a reason', async () => {
    const { page, faults } = await pages.openJudge('Ada', '/judging?team=stack-overflowers')
    await press(page, 'I know this team…')
    await fill(page, 'Reason', 'I teach one of them')
    await press(page, 'Give to another judge')
    await page.waitForFunction(() => location.search === '', looking)
    await saysNoMore(page, '#content', 'Stack Overflowers')
    const refused = await read('stack-overflowers').catch((error: Error) => error.message)
    expect(refused).toContain('answered 403')
    expect(faults).toEqual([])
    await page.close()
  })

  test('the order of the finished teams starts with the scores, is changed by buttons, keys and dragging, and warns of new teams', async () => {
    for (const [team, score] of [
      ['null-pointers', 5],
      ['cedar-and-code', 5],
      ['stack-overflowers', 2],
    ] as const)
      await finish('Ben', team, score)
    const { page, faults } = await pages.openJudge('Ben', '/judging?view=order', phone)
    const shown = () =>
      page.$$eval('.order-list a', links => links.map(({ textContent }) => textContent ?? ''))
    await ready(page, '4 finished teams, best first')
    const [first = '', second = '', ...others] = await shown()
    expect([[first, second].sort(), others]).toEqual([
      ['Cedar & Code', 'Null Pointers'],
      ['Stack Overflowers', 'Night Ferry'],
    ])
    await says(page, '.order-list', 'equal scores')
    await press(page, `Move ${second} up`)
    await ready(page, `${second} is now 1 of 4.`)
    await page.focus('[aria-label^="Move Night Ferry,"]')
    await page.keyboard.press('ArrowUp')
    await ready(page, 'Night Ferry is now 3 of 4.')
    const grip = await find(page, `Move ${first}, 2 of 4`, 'button')
    const [from, last] = await Promise.all([
      grip.boundingBox(),
      page.$('.order-row:last-child').then(row => row?.boundingBox()),
    ])
    if (!from || !last) throw new Error('The rows are not shown.')
    await page.mouse.move(from.x + 20, from.y + 20)
    await page.mouse.down()
    await page.mouse.move(from.x + 20, last.y + last.height - 4, { steps: 10 })
    await page.mouse.up()
    const order = await shown()
    expect(order).toEqual([second, 'Night Ferry', 'Stack Overflowers', first])
    await says(page, '.order-list', 'above a team with better scores')
    await press(page, 'Save this order')
    await ready(page, 'Order saved')
    const stored = await pages.asJudge<OrderReply>('Ben', 'GET', '/judging/order')
    expect([stored.saved, stored.items.map(({ name }) => name)]).toEqual([true, order])
    await finish('Ben', 'ginger-root', 4)
    await ready(page, 'You have finished or reopened teams since you saved this order.')
    await ready(page, 'Ginger Root')
    expect(await findFaults(page)).toEqual([])
    expect(faults).toEqual([])
    await page.close()
  })

  test('before and after the time for scores, the page says so', async () => {
    const { page } = await pages.openJudge('Ben', '/judging?team=tidal-lock')
    await ready(page, 'Still missing')
    await pages.changeSetup({ closes_at: new Date(Date.now() - 1000).toISOString() })
    await ready(page, 'Scores closed')
    expect(await page.$('input[name="score direction"]:not(:disabled)')).toBeNull()
    await pages.changeSetup({ opens_at: new Date(Date.now() + 3_600_000).toISOString() })
    await ready(page, 'You can read now. Scores can be written from')
    await pages.changeSetup({})
    await saysNoMore(page, '.judge-score', 'You can read now.')
    await choose(page, 'score direction', '3')
    await isSaved(page)
    await page.close()
  })
})
