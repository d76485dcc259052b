// The commands of the rehearsed past: what they ask the admin door, and how people read the answers.
import { expect, test } from 'bun:test'
import { runCli } from '../testing/run-cli.ts'

const moment = { as_of: '2026-11-21T09:00:00.000Z', version: 7 }
const counts = {
  applied: true,
  why_not: null,
  teams: 12,
  members: 36,
  calls: 1500,
  refused: 90,
  entries: 2000,
}

test('fill asks for it, and says how it goes away again', async () => {
  const link = 'http://127.0.0.1:4000/sign-in#once=once_x'
  const { stdout, requests } = await runCli(['demo', 'fill'], [{ ...counts, team_page: link, ...moment }])
  expect(requests).toMatchObject([{ method: 'POST', address: 'http://127.0.0.1:4002/demo/fill', body: {} }])
  expect(stdout).toContain('12 teams with 36 members, 1500 calls (90 of them refused) and 2000 log entries.')
  expect(stdout).toContain('delete its data folder')
  expect(stdout).toContain(`  ${link}\n`)
})

test('start shows a server of its own until Ctrl-C, and removes it', async () => {
  const asked: string[] = []
  let press = (): void => undefined
  let isStopped = false
  const server = {
    ...{ gatewayUrl: 'http://g', logbookUrl: 'http://l', adminUrl: 'http://a', adminKey: 'key' },
    machine: null,
  }
  const run = await runCli(
    ['demo', 'start'],
    [
      { ...counts, team_page: 'http://g/t', ...moment },
      { url: 'http://a/c', expires_at: moment.as_of, ...moment },
    ],
    {
      loadRehearsal: async () => ({
        startServer: async () => ({
          server,
          stop: async () => {
            isStopped = true
          },
        }),
        run: () => Promise.reject(new Error('Nothing is rehearsed.')),
        noteRun: () => undefined,
      }),
      onInterrupt: end => {
        press = end
        return () => undefined
      },
      writeOutput: text => {
        asked.push(text)
        press()
      },
    },
  )
  expect(run.requests.map(({ address }) => address)).toEqual(['http://a/demo/fill', 'http://a/session/link'])
  expect(asked.join('')).toContain('console    http://a/c')
  expect(isStopped).toBe(true)
})

test('show says whether it can be filled', async () => {
  const state = { filled: false, can_fill: false, why_not: 'This server has teams already.', ...moment }
  expect((await runCli(['demo', 'show'], [state])).stdout).toBe('This server has teams already.\n')
  const filled = await runCli(['demo', 'show'], [{ ...state, filled: true }])
  expect(filled.stdout).toBe('This server has a rehearsed past.\n')
  const free = await runCli(['demo', 'show'], [{ ...state, can_fill: true, why_not: null }])
  expect(free.stdout).toContain('fairgate demo fill')
})
