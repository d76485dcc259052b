// Wall links on a real database, as two processes see them.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { openTestDirectory } from '../directory/testing/open-test-directory.ts'
import { failureOf } from '../store/testing/failure-of.ts'
import { WallDesk } from './wall-desk.ts'

let opened: Awaited<ReturnType<typeof openTestDirectory>>
beforeEach(async () => {
  opened = await openTestDirectory()
})
afterEach(() => opened.close())

const openDesk = () =>
  new WallDesk({
    read: opened.store.read,
    write: opened.store.write,
    clock: () => opened.time.now,
    randomBytes,
    newId: () => crypto.randomUUID(),
    timeZone: () => 'Asia/Seoul',
  })

test('a link is found by its token alone, which is kept nowhere', async () => {
  const desk = openDesk()
  const { link, token } = await desk.create({ name: 'Hall 1', freeze_at: '2026-11-21T17:00' }, 'Lena')
  expect(token).toMatch(/^wall_[0-9A-Za-z]{39}$/)
  // Without an offset it is in the zone of the event.
  expect(link).toMatchObject({ shows_budgets: 0, freeze_at: Date.parse('2026-11-21T08:00:00Z') })
  expect(await desk.find(token)).toEqual(link)
  expect(await failureOf(desk.find(`${token}x`))).toMatchObject({ code: 'wall_token_not_found', status: 404 })
  expect(JSON.stringify(await opened.store.read.listWallTokens(null))).not.toContain(token)
})

test('another process finds it at once, and loses it within two seconds when it is removed', async () => {
  const [desk, other] = [openDesk(), openDesk()]
  await other.recent()
  const { link, token } = await desk.create({ name: 'Hall 1' }, 'Lena')
  opened.time.now += 250
  expect(await other.find(token)).toEqual(link)
  await desk.remove(link.wall_token_id, { reason: 'over' }, 'Lena')
  opened.time.now += 2000
  expect(await failureOf(other.find(token))).toMatchObject({ code: 'wall_token_not_found' })
  expect(await failureOf(desk.remove(link.wall_token_id, {}, 'Lena'))).toMatchObject({
    code: 'wall_token_not_found',
  })
})

test('of two processes that freeze a wall the first counts, for both', async () => {
  const [desk, other] = [openDesk(), openDesk()]
  const { link } = await desk.create({ name: 'Hall 1' }, 'Lena')
  const frozenAt = opened.time.now
  expect(await desk.freeze(link, '{"first":1}')).toMatchObject({
    snapshot: '{"first":1}',
    frozen_at: frozenAt,
  })
  opened.time.now += 500
  expect(await other.freeze(link, '{"second":2}')).toMatchObject({
    snapshot: '{"first":1}',
    frozen_at: frozenAt,
  })
})

test('fifty are enough, and what fails is asked again by the next', async () => {
  const desk = openDesk()
  opened.takeAway()
  expect(await failureOf(desk.find('wall_x'))).toMatchObject({ status: 503 })
  await opened.bringBack()
  for (let count = 0; count < 50; count += 1) await desk.create({ name: `Hall ${count}` }, 'Lena')
  expect(await failureOf(desk.create({ name: 'One more' }, 'Lena'))).toMatchObject({ code: 'conflict' })
  expect(await desk.list()).toHaveLength(50)
})
