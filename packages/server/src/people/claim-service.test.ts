// Previews of claims when the state changes between the preview and the write: either the previewed change is made, or nothing.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { openTestDirectory } from '../directory/testing/open-test-directory.ts'
import { ClaimService } from './claim-service.ts'

async function openWorld() {
  const opened = await openTestDirectory()
  const { directory, store, time } = opened
  let move: (() => Promise<unknown>) | null = null
  /** The service has read the state by then, and writes next. */
  const moveOnce = async () => {
    const made = move
    move = null
    await made?.()
  }
  let ids = 0
  const service = new ClaimService({
    directory,
    read: store.read,
    write: {
      insertClaims: async input => {
        await moveOnce()
        return await store.write.insertClaims(input)
      },
      endClaim: async input => {
        await moveOnce()
        return await store.write.endClaim(input)
      },
    },
    clock: () => time.now,
    randomBytes,
    newId: () => {
      ids += 1
      return `${ids}`
    },
    addresses: () => ({ gateway: 'https://gw.example' }),
  })
  await directory.createTeam({ team_id: 'red' }, 'ada')
  const addMember = (name: string) => directory.createMember({ team_id: 'red', name }, 'ada')
  await addMember('Ada')
  return {
    ...opened,
    service,
    addMember,
    /** Happens right before the next write. */
    beforeWrite: (action: () => Promise<unknown>) => {
      move = action
    },
    listWorking: async () =>
      (await service.list({ teamId: null, ended: false, limit: 99, after: null })).items.map(
        ({ claim_id }) => claim_id,
      ),
  }
}

let world: Awaited<ReturnType<typeof openWorld>>
beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world.close())

async function codeOf(action: Promise<unknown>): Promise<string> {
  try {
    await action
    return 'made'
  } catch (error) {
    if (error instanceof ApiError) return error.code
    throw error
  }
}

// Fails if the statement checks nothing: each of these actions was then made.
test.each(['red', 'all'] as const)(
  'a member or team added after the preview outdates codes for %s',
  async who => {
    const { service, directory, beforeWrite, addMember, listWorking } = world
    const body = { teams: who === 'all' ? ('all' as const) : [who], seats: 1 }
    const preview = async () => (await service.create({ ...body, dry_run: true }, 'ada')).outcome.previewId
    const makeShown = async () => codeOf(service.create({ ...body, preview_id: await preview() }, 'ada'))
    beforeWrite(() => addMember('Eve'))
    expect(await makeShown()).toBe('preview_outdated')
    beforeWrite(() => directory.createTeam({ team_id: 'blue' }, 'ada'))
    expect(await makeShown()).toBe(who === 'all' ? 'preview_outdated' : 'made')
    expect(await listWorking()).toHaveLength(who === 'all' ? 0 : 1)
  },
)

test('without a preview the code is made', async () => {
  const { service, beforeWrite, addMember, listWorking } = world
  beforeWrite(() => addMember('Eve'))
  expect(await codeOf(service.create({ teams: ['red'] }, 'ada'))).toBe('made')
  expect(await listWorking()).toHaveLength(1)
})

test('a code that another organiser renews first is not renewed or revoked from an older view', async () => {
  const { service, beforeWrite, listWorking } = world
  await service.create({ teams: ['red'], seats: 2 }, 'ada')
  const [first = ''] = await listWorking()
  const renewal = (await service.renew(first, { dry_run: true }, 'ada')).outcome.previewId
  beforeWrite(() => service.renew(first, {}, 'eve'))
  expect(await codeOf(service.renew(first, { preview_id: renewal }, 'ada'))).toBe('preview_outdated')
  const [second = ''] = await listWorking()
  const end = (await service.revoke(second, { dry_run: true }, 'ada')).outcome.previewId
  beforeWrite(() => service.renew(second, {}, 'eve'))
  expect(await codeOf(service.revoke(second, { preview_id: end }, 'ada'))).toBe('preview_outdated')
  expect(await listWorking()).toHaveLength(1)
})

// Fails if the new code takes the seats as they were read.
test('a seat taken while its code is renewed does not come back', async () => {
  const { service, db, beforeWrite } = world
  await service.create({ teams: ['red'], seats: 2 }, 'ada')
  const { items } = await service.list({ teamId: null, ended: false, limit: 9, after: null })
  const claimId = items[0]?.claim_id ?? ''
  const takeSeat = () =>
    db.updateTable('claims').set({ seats_left: 1 }).where('claim_id', '=', claimId).execute()
  const renewal = (await service.renew(claimId, { dry_run: true }, 'ada')).outcome.previewId
  beforeWrite(takeSeat)
  expect(await codeOf(service.renew(claimId, { preview_id: renewal }, 'ada'))).toBe('preview_outdated')
  await db.updateTable('claims').set({ seats_left: 2 }).where('claim_id', '=', claimId).execute()
  beforeWrite(takeSeat)
  expect((await service.renew(claimId, {}, 'ada')).made).toMatchObject({ seats: 1, seats_left: 1 })
})
