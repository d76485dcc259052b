// Wall links on a real database, as two processes see them.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { openTestDirectory } from '../directory/testing/open-test-directory.ts'
import { failureOf } from '../store/testing/failure-of.ts'
import { WallService } from './wall-service.ts'

let opened: Awaited<ReturnType<typeof openTestDirectory>>
beforeEach(async () => {
  opened = await openTestDirectory()
})
afterEach(() => opened.close())

const openService = () =>
  new WallService({
    read: opened.store.read,
    write: opened.store.write,
    clock: () => opened.time.now,
    randomBytes,
    newId: () => crypto.randomUUID(),
    timeZone: () => 'Asia/Seoul',
  })

test('a link is found by its token only, which is not stored', async () => {
  const service = openService()
  const { link, token } = await service.create({ name: 'Hall 1', freeze_at: '2026-11-21T17:00' }, 'Lena')
  expect(token).toMatch(/^wall_[0-9A-Za-z]{39}$/)
  // Without an offset it is in the zone of the event.
  expect(link).toMatchObject({ shows_budgets: 0, freeze_at: Date.parse('2026-11-21T08:00:00Z') })
  expect(await service.find(token)).toEqual(link)
  expect(await failureOf(service.find(`${token}x`))).toMatchObject({
    code: 'wall_token_not_found',
    status: 404,
  })
  expect(JSON.stringify(await opened.store.read.listWallTokens(null))).not.toContain(token)
})

test('another process finds it at once, and loses it within two seconds of its removal', async () => {
  const [service, other] = [openService(), openService()]
  await other.recent()
  const { link, token } = await service.create({ name: 'Hall 1' }, 'Lena')
  opened.time.now += 250
  expect(await other.find(token)).toEqual(link)
  await service.remove(link.wall_token_id, { reason: 'over' }, 'Lena')
  opened.time.now += 2000
  expect(await failureOf(other.find(token))).toMatchObject({ code: 'wall_token_not_found' })
  expect(await failureOf(service.remove(link.wall_token_id, {}, 'Lena'))).toMatchObject({
    code: 'wall_token_not_found',
  })
})

test('if two processes freeze a wall the first counts, for both', async () => {
  const [service, other] = [openService(), openService()]
  const { link } = await service.create({ name: 'Hall 1' }, 'Lena')
  const frozenAt = opened.time.now
  expect(await service.freeze(link, '{"first":1}')).toMatchObject({
    snapshot: '{"first":1}',
    frozen_at: frozenAt,
  })
  opened.time.now += 500
  expect(await other.freeze(link, '{"second":2}')).toMatchObject({
    snapshot: '{"first":1}',
    frozen_at: frozenAt,
  })
})

test('more than fifty are refused, and a failed read is repeated by the next request', async () => {
  const service = openService()
  opened.takeAway()
  expect(await failureOf(service.find('wall_x'))).toMatchObject({ status: 503 })
  await opened.bringBack()
  for (let count = 0; count < 50; count += 1) await service.create({ name: `Hall ${count}` }, 'Lena')
  expect(await failureOf(service.create({ name: 'One more' }, 'Lena'))).toMatchObject({ code: 'conflict' })
  expect(await service.list()).toHaveLength(50)
})
