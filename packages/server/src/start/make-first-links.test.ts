// The links of the start text: which exist, and their roles.
import { expect, test } from 'bun:test'
import { openTestDirectory } from '../directory/testing/open-test-directory.ts'
import { createDemoTeam } from './create-demo-team.ts'
import { makeFirstLinks } from './make-first-links.ts'

const door = (url: string) => {
  const credentials: string[] = []
  return {
    url,
    credentials,
    signIns: {
      makeTicket: async (credential: string) => {
        credentials.push(credential)
        return { ticket: `once_${credentials.length}`, expiresAt: 0 }
      },
    },
  }
}

test("the console, and the demo team's page with an active key of it", async () => {
  const { directory, time, close } = await openTestDirectory()
  const [admin, gateway] = [door('http://admin'), door('http://gateway')]
  const make = () =>
    makeFirstLinks({
      directory,
      adminCredential: async () => 'environment:x',
      admin,
      gateway,
      clock: () => time.now,
    })
  const withoutTeam = { console: 'http://admin/console/sign-in#once=once_1', teamPage: null }
  expect(await make()).toEqual(withoutTeam)
  await createDemoTeam(directory)
  expect((await make()).teamPage).toBe('http://gateway/sign-in#once=once_1')
  const [key] = directory.keysOfTeam('demo')
  expect([admin.credentials[0], gateway.credentials[0]]).toEqual(['environment:x', `key:${key?.keyHash}`])
  await directory.setTeamBlocked('demo', true, 'Lena')
  expect((await make()).teamPage).toBeNull()
  await close()
})

test('a door that is not opened has no link', async () => {
  const { directory, close } = await openTestDirectory()
  const links = await makeFirstLinks({
    directory,
    adminCredential: async () => 'environment:x',
    admin: null,
    gateway: null,
    clock: () => 0,
  })
  expect(links).toEqual({ console: null, teamPage: null })
  await close()
})
