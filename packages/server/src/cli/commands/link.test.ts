// The command that makes a console link.
import { expect, test } from 'bun:test'
import { runCli } from '../testing/run-cli.ts'

const link = {
  url: 'http://127.0.0.1:4002/console/sign-in#once=once_x',
  expires_at: '2026-11-21T09:15:00.000Z',
}

test('link requests one, and prints it alone on its line', async () => {
  const { stdout, requests } = await runCli(['link'], [link])
  expect(requests).toMatchObject([
    { method: 'POST', address: 'http://127.0.0.1:4002/session/link', body: {} },
  ])
  expect(stdout).toBe(`${link.url}\n\nIt works once, until ${link.expires_at}.\n`)
})
