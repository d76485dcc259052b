// suite: 25 s
// Submissions in the browser. Only this file notices a form that loses what a member typed, a reminder that does not come, or a list of organisers that does not follow.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'puppeteer-core'
import { findFaults } from './testing/check-screen.ts'
import { findChromium } from './testing/find-chromium.ts'
import { hostileTexts } from './testing/seed-event.ts'
import { startTeamPages, type TeamPages } from './testing/start-team-pages.ts'
import { fill, find, gone, press, ready, says, textOf } from './testing/use-page.ts'

const minute = 60_000
const at = (fromNow: number) => new Date(Date.now() + fromNow).toISOString()
const textIn = async (page: Page, label: string) =>
  (await find(page, label, 'input, textarea')).evaluate(
    element => (element as { value?: string }).value ?? '',
  )
describe.skipIf(findChromium() === null)('submissions', () => {
  let pages: TeamPages
  let folder = ''
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'fairgate-submission-'))
    writeFileSync(join(folder, 'slides.pdf'), '%PDF-1.7 slides')
    pages = await startTeamPages()
    const { change } = pages.fairgate.manage
    await change('PUT', '/event/phases', {
      phases: [
        {
          name: 'contest',
          from: at(-60 * minute),
          until: at(60 * minute),
          submissions_until: at(25 * minute),
        },
      ],
    })
    await change('PUT', '/event', { submission: { disclosure: 'Which AI tools did you use?' } })
  })
  afterAll(async () => {
    await pages.stop()
    rmSync(folder, { recursive: true })
  })

  test('a member is reminded, hands in with a file, and nothing is lost when another hands in meanwhile', async () => {
    const key = pages.keyOf('night-ferry')
    const { page, faults } = await pages.openTeamPage('/', key)
    await says(page, '[data-part=submission-reminder]', 'Your team has not handed in yet. 2')
    await page.click('[data-part=submission-reminder] a')
    await ready(page, 'Your team has handed in nothing yet.')
    await fill(page, 'Title', 'Tides')
    await fill(page, 'Repository', 'no address')
    await fill(page, 'Disclosure', 'Codex')
    await press(page, 'Hand in')
    await ready(page, "Invalid value for 'repository'")
    expect(await textIn(page, 'Title')).toBe('Tides')
    await fill(page, 'Repository', 'https://github.com/night-ferry/tides')
    await fill(page, 'Summary', hostileTexts.html)
    const chosen = await page.waitForSelector('input[type=file]')
    await chosen?.uploadFile(join(folder, 'slides.pdf'))
    await ready(page, 'slides.pdf')
    await press(page, 'Hand in')
    await ready(page, 'Hand in version 2')
    await gone(page, '[data-part=submission-reminder]')
    expect(await findFaults(page)).toEqual([])

    await fill(page, 'Title', 'Tides by me')
    const other = await fetch(`${pages.fairgate.gatewayUrl}/self/submission`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ based_on: 1, title: 'Tides by another', disclosure: 'None' }),
    })
    expect(other.status).toBe(200)
    await ready(page, 'handed in version 2 while you were editing')
    expect(await textIn(page, 'Title')).toBe('Tides by me')
    await press(page, 'Hand in version 3')
    await ready(page, 'Nothing was changed: read that version')
    await press(page, 'Keep my text')
    await press(page, 'Hand in version 3')
    await ready(page, 'Hand in version 4')
    await press(page, 'Version 2')
    await says(page, '[role=dialog]', 'Tides by another')
    expect(faults).toEqual([])
    await page.close()
  })

  test('an untouched form takes over what another member has handed in', async () => {
    const key = pages.keyOf('night-ferry')
    const { page } = await pages.openTeamPage('/submission', key)
    await ready(page, 'Hand in version 4')
    await fetch(`${pages.fairgate.gatewayUrl}/self/submission`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ based_on: 3, title: 'Fourth', disclosure: 'None' }),
    })
    await ready(page, 'Hand in version 5')
    expect(await textIn(page, 'Title')).toBe('Fourth')
    await page.close()
  })

  test('organisers see at once who has handed in, and each version', async () => {
    const { page, faults } = await pages.openConsole('/console/submissions?state=handed_in')
    await says(page, 'table', 'Fourth')
    const key = pages.keyOf('paper-cranes')
    await fetch(`${pages.fairgate.gatewayUrl}/self/submission`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ based_on: 0, title: 'Cranes', disclosure: 'None', commit: '9f2c1ab' }),
    })
    await says(page, 'table', 'Cranes')
    await page.goto(`${pages.fairgate.adminUrl}/console/submissions`)
    await says(page, 'table', 'not handed in')
    expect(await findFaults(page)).toEqual([])
    await page.goto(`${pages.fairgate.adminUrl}/console/submissions?team=night-ferry`)
    await says(page, '[role=dialog]', 'Version 4 of 4')
    await press(page, 'Version 1')
    await says(page, '[role=dialog]', 'Version 1 of 4')
    await says(page, '[role=dialog]', 'slides.pdf')
    expect(await textOf(page, '[role=dialog]')).toContain('the log has no entries')
    expect(await findFaults(page)).toEqual([])
    expect(faults).toEqual([])
    await page.close()
  })

  test('an event that asks for nothing says how to ask', async () => {
    await pages.fairgate.manage.change('PUT', '/event', { submission: null })
    const phases = [{ name: 'contest', from: at(-60 * minute), until: at(60 * minute) }]
    await pages.fairgate.manage.change('PUT', '/event/phases', { phases })
    const { page } = await pages.openTeamPage('/submission', pages.keyOf('paper-cranes'))
    await ready(page, 'This event asks for no submissions.')
    expect(await page.$('.team-tabs a[href="/submission"]')).toBeNull()
    await page.close()
  })
})
