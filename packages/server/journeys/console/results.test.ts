// suite: 40 s
// Results and cases in the browser: only this file notices a way to publication on which a person gets stuck, or a team that does not see what was decided.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { JudgementReply } from '@fairgate/contracts/judging/scores.ts'
import type { NewAdminKeyReply } from '@fairgate/contracts/management/access.ts'
import { findFaults } from './testing/check-screen.ts'
import { findChromium } from './testing/find-chromium.ts'
import { hostileTexts } from './testing/seed-event.ts'
import { type JudgingPages, startJudging } from './testing/start-judging.ts'
import { confirm, fill, find, press, ready, says } from './testing/use-page.ts'

describe.skipIf(findChromium() === null)('results', () => {
  let pages: JudgingPages
  let headJudge = ''
  const keyOf = (teamId: string) => pages.event.teams.find(team => team.teamId === teamId)?.key ?? ''

  async function score(judge: 'Ada' | 'Ben', team: string, points: number): Promise<void> {
    const path = `/judging/scores/${team}`
    const { own } = await pages.asJudge<JudgementReply>(judge, 'GET', path)
    const { own: saved } = await pages.asJudge<JudgementReply>(judge, 'PUT', path, {
      scores: { direction: { score: points }, checking: { score: points }, cost: { score: points * 20 } },
      gates: { own: true },
      comment_team: `Well done. ${hostileTexts.html}`,
      revision: own.revision,
    })
    await pages.asJudge(judge, 'POST', `${path}/done`, { revision: saved.revision })
  }

  beforeAll(async () => {
    pages = await startJudging()
    const { manage } = pages.fairgate
    headJudge = (await manage.post<NewAdminKeyReply>('/admin_keys', { name: 'Hana', role: 'head_judge' })).key
    for (const { teamId } of pages.event.teams)
      for (const judge of ['Ada', 'Ben'] as const)
        await score(judge, teamId, teamId === 'tidal-lock' || teamId === 'night-ferry' ? 4 : 2)
  })
  afterAll(() => pages.stop())

  test('the head judge settles a tie with a reason and verifies; the organiser publishes, and everybody can read it', async () => {
    const { page, faults } = await pages.openConsole('/console/judging?tab=results', { key: headJudge })
    await ready(page, 'Ties for the head judge')
    expect(await findFaults(page)).toEqual([])
    for (
      let ties = await page.$$eval('button', all => all.filter(one => one.textContent === 'Decide…').length);
      ties > 0;
      ties -= 1
    ) {
      await press(page, 'Decide…')
      await fill(page, 'Reason', `The demo ran. ${hostileTexts.html}`)
      await confirm(page)
      await page.waitForFunction(
        left =>
          [...document.querySelectorAll('button')].filter(one => one.textContent === 'Decide…').length ===
            left && document.querySelector('[role=dialog]') === null,
        { polling: 100 },
        ties - 1,
      )
    }
    await press(page, 'Verify…')
    await fill(page, 'What you have checked', 'Ten sheets')
    await confirm(page)
    await ready(page, 'Somebody else publishes them.')
    expect(await findFaults(page)).toEqual([])
    expect(faults).toEqual([])
    await page.close()

    const organiser = await pages.openConsole('/console/judging?tab=results')
    await ready(organiser.page, 'by Hana')
    await press(organiser.page, 'Publish…')
    await fill(organiser.page, 'Reason', 'The ceremony begins')
    await fill(organiser.page, 'Type publish to confirm', 'publish')
    const agree = await organiser.page.$('[role=dialog] input[type=checkbox]')
    await agree?.click()
    await confirm(organiser.page)
    await ready(organiser.page, 'Published')
    await ready(organiser.page, 'Correct…')
    expect(organiser.faults).toEqual([])
    await organiser.page.close()

    const everybody = await pages.browser.open({ isApart: true })
    await everybody.page.goto(`${pages.fairgate.gatewayUrl}/results`)
    await ready(everybody.page, 'How this came about')
    expect(await findFaults(everybody.page)).toEqual([])
    expect(everybody.faults).toEqual([])
    await everybody.page.close()
  })

  test('a team sees its scores and comments, answers a question, and appeals against the decision', async () => {
    const { page, faults } = await pages.openTeamPage('/', keyOf('tidal-lock'))
    await page.waitForSelector('.team-tabs a[href="/judging"]')
    const organiser = await pages.openConsole('/console/cases')
    await press(organiser.page, 'Ask a team…')
    const select = await find(organiser.page, 'Team', 'input')
    await select.click()
    await select.type('tidal')
    await (await organiser.page.waitForSelector('[role=option]'))?.click()
    await fill(organiser.page, 'Question', `Who wrote the parser? ${hostileTexts.html}`)
    await confirm(organiser.page)
    await ready(organiser.page, 'The team answers, until')
    expect(await findFaults(organiser.page)).toEqual([])

    await says(page, '[data-part=case-reminder]', 'The organisers ask your team about its work.')
    await page.click('[data-part=case-reminder] a')
    await ready(page, 'Your results')
    await ready(page, 'Well done.')
    await fill(page, 'Your answer', 'Aiko, with Codex.')
    await press(page, 'Send the answer')
    await says(page, 'main', 'Aiko, with Codex.')
    expect(await findFaults(page)).toEqual([])

    await says(organiser.page, 'main', 'Aiko, with Codex.')
    await press(organiser.page, 'Decide…')
    await fill(organiser.page, 'Decision', 'No effect')
    await fill(organiser.page, 'Reason', 'The log shows it.')
    await organiser.page.click('[role=dialog] [data-confirm]')
    await says(organiser.page, '[role=dialog]', 'You have opened this case. Somebody else must decide it.')
    await organiser.page.close()

    const judge = await pages.openConsole('/console/cases', { key: headJudge })
    await press(judge.page, 'Decide…')
    await fill(judge.page, 'Decision', 'No effect')
    await fill(judge.page, 'Reason', 'The log shows it.')
    await confirm(judge.page)
    await says(judge.page, 'main', 'The team can appeal.')
    await says(page, 'main', 'The log shows it.')
    await fill(page, 'Your appeal', 'Please read entry 1.')
    await press(page, 'Appeal')
    await says(page, 'main', 'appeal is heard')
    await says(judge.page, 'main', 'Please read entry 1.')
    expect(faults).toEqual([])
    expect(judge.faults).toEqual([])
    await judge.page.close()
    await page.close()
  })
})
