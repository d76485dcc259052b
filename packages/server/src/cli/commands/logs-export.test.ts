// `logs export`: unchanged bytes, complete files or none, following, and readers that leave.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFile } from '../output/create-file.ts'
import { buildBoard, buildLoggedEntry } from '../testing/build-replies.ts'
import { refusal, runCli } from '../testing/run-cli.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairgate-export-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const line = (seq: number, members: object = {}) => `${JSON.stringify(buildLoggedEntry(members, seq))}\n`
const reply = (body: string | ReadableStream, type = 'application/x-ndjson') =>
  new Response(body, { headers: { 'content-type': type } })
/** A reply that fails after its first chunk. */
const broken = (first: string) => {
  let pulls = 0
  return reply(
    new ReadableStream({
      pull: controller => {
        pulls += 1
        if (pulls === 1) controller.enqueue(new TextEncoder().encode(first))
        else controller.error(Object.assign(new Error('reset'), { code: 'ECONNRESET' }))
      },
    }),
  )
}
const steering = { prompt: '\u202e\u009b[2J é' }

test('to a pipe: the bytes from the door, hidden characters included, and nothing else', async () => {
  const text = line(1, steering) + line(2)
  const given = ['logs', 'export', 'team-01', '--after', '7', '--tool', 'codex', '--event', 'Stop']
  const { stdout, stderr, requests, exitCode } = await runCli(given, [reply(text)])
  expect([exitCode, stderr]).toEqual([0, ''])
  expect(stdout).toBe(text)
  expect(requests[0]?.address).toBe(
    'http://127.0.0.1:4002/logs/export.ndjson?team_id=team-01&after_seq=7&event=Stop&tool=codex',
  )
})

test('to a terminal: control characters are escaped, and the JSON means the same', async () => {
  const { stdout } = await runCli(['logs', 'export'], [reply(line(1, steering))], {
    isTerminal: { output: true, errors: true },
  })
  expect(stdout).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u)
  expect(JSON.parse(stdout)).toEqual(buildLoggedEntry(steering, 1))
})

test("a refusal is shown, and a reply that is not the door's is noticed before anything is written", async () => {
  const refused = refusal(404, 'team_not_found', 'There is no team "x".', 'team_id')
  expect(await runCli(['logs', 'export', 'x'], [refused])).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: 'team_not_found: There is no team "x".\nparam: team_id\n',
  })
  const other = await runCli(['logs', 'export'], [reply('<html>', 'text/html')])
  expect(other).toMatchObject({ exitCode: 3, stdout: '' })
  expect(other.stderr).toContain('is not the admin door')
})

test('a reply that breaks off ends with 3', async () => {
  const { exitCode, stderr, stdout } = await runCli(['logs', 'export'], [broken(line(1))])
  expect(exitCode).toBe(3)
  expect(stdout).toBe(line(1))
  expect(stderr).toContain('ended early (ECONNRESET)')
})

test('a reader that has left ends it silently', async () => {
  let isCancelled = false
  const endless = new ReadableStream({
    pull: controller => controller.enqueue(new TextEncoder().encode(line(1))),
    cancel: () => {
      isCancelled = true
    },
  })
  const run = await runCli(['logs', 'export'], [reply(endless)], { writeBytes: async () => false })
  expect(run).toMatchObject({ exitCode: 0, stderr: '' })
  expect(isCancelled).toBe(true)
})

describe('a file', () => {
  const path = (name: string) => join(folder, name)
  const exportTo = (name: string, response: Response, ...further: string[]) =>
    runCli(['logs', 'export', '--output', path(name), ...further], [response], { createFile })

  test('is written in full, readable only by its owner; its format follows from its name', async () => {
    const csv = '"team_id","prompt"\r\n"a","two\r\nlines ""quoted"""\r\n"b",""\r\n'
    const run = await exportTo('one.csv', reply(csv, 'text/csv; charset=utf-8'), '--bom')
    expect(run).toMatchObject({ exitCode: 0, stdout: '' })
    expect(run.requests[0]?.address).toContain('/logs/export.csv?bom=true')
    expect(run.stderr).toBe(`2 entries, 0.0 MB in ${path('one.csv')}, 0.0 s\n`)
    expect(readFileSync(path('one.csv'), 'utf8')).toBe(csv)
    expect(statSync(path('one.csv')).mode & 0o777).toBe(0o600)
  })

  test('is not left behind if the reply breaks off', async () => {
    expect((await exportTo('half.ndjson', broken(line(1)))).exitCode).toBe(3)
    expect([existsSync(path('half.ndjson')), existsSync(path('half.ndjson.part'))]).toEqual([false, false])
  })

  test('that exists is kept, unless it may be replaced', async () => {
    writeFileSync(path('kept.ndjson'), 'kept')
    const refused = await exportTo('kept.ndjson', reply(line(1)))
    expect(refused.exitCode).toBe(2)
    expect(refused.stderr).toContain('already exists')
    expect(readFileSync(path('kept.ndjson'), 'utf8')).toBe('kept')
    expect((await exportTo('kept.ndjson', broken(line(1)), '--force')).exitCode).toBe(3)
    expect(readFileSync(path('kept.ndjson'), 'utf8')).toBe('kept')
    expect((await exportTo('kept.ndjson', reply(line(1)), '--force')).exitCode).toBe(0)
    expect(readFileSync(path('kept.ndjson'), 'utf8')).toBe(line(1))
  })

  test('in a missing folder is refused', async () => {
    const { exitCode, stderr } = await exportTo('none/x.ndjson', reply(line(1)))
    expect(exitCode).toBe(2)
    expect(stderr).toContain('(ENOENT)')
  })
})

describe('--follow', () => {
  const boards = (...heads: number[]) => ({
    boards: heads.map((seq, index) =>
      buildBoard({ team_id: `team-0${index + 1}`, head: { seq, chain: '' } }),
    ),
  })
  const follow = async (given: string[], replies: unknown[], rounds: number) => {
    let waits = 0
    const run = await runCli(['logs', 'export', '--follow', ...given], replies, {
      wait: async () => {
        waits += 1
        if (waits === rounds) throw new Error('The test has seen enough.')
      },
    })
    return { ...run, paths: run.requests.map(({ address }) => address.slice('http://127.0.0.1:4002'.length)) }
  }

  test('asks only the teams with new entries, each from its last position', async () => {
    const replies = [
      boards(2, 0),
      // Stored between the two requests: it is there already, and not requested again.
      reply(line(1) + line(2) + line(3)),
      boards(3, 1),
      reply(line(1).replace('team-01', 'team-02')),
      boards(3, 1),
    ]
    const { stdout, paths } = await follow([], replies, 3)
    expect(paths).toEqual([
      '/logs/boards',
      '/logs/export.ndjson?team_id=team-01&after_seq=0',
      '/logs/boards',
      '/logs/export.ndjson?team_id=team-02&after_seq=0',
      '/logs/boards',
    ])
    expect(stdout.split('\n')).toHaveLength(5)
  })

  test('entries skipped by a filter are not read again', async () => {
    const replies = [boards(900), reply(line(17)), boards(901), reply('')]
    const { paths } = await follow(['team-01', '--after', '9', '--event', 'Stop'], replies, 2)
    expect(paths).toEqual([
      '/logs/boards?team_id=team-01',
      '/logs/export.ndjson?team_id=team-01&after_seq=9&event=Stop',
      '/logs/boards?team_id=team-01',
      '/logs/export.ndjson?team_id=team-01&after_seq=900&event=Stop',
    ])
  })

  test('an interruption prints where to continue', async () => {
    const { exitCode, stderr } = await follow(
      ['--after', 'team-01:3'],
      [boards(9), broken(line(4) + line(5))],
      9,
    )
    expect(exitCode).toBe(3)
    expect(stderr).toContain('To continue: --after team-01:5\n')
  })

  test('an unknown position is refused', async () => {
    for (const after of ['teem:1', 'team-01:10']) {
      const { exitCode, stderr } = await follow(['--after', after], [boards(9)], 9)
      expect(exitCode).toBe(2)
      expect(stderr).toContain('error: --after: ')
    }
  })
})
