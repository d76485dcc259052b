// What a participant types: status, verify, logs, send, and wrong command lines.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { readAllEntries } from '../../server/journeys/testing/logbook-client.ts'
import { type Fairgate, startFairgate } from '../../server/journeys/testing/start-fairgate.ts'
import { runStored } from '../../server/journeys/testing/stored-rows.ts'
import { displayWidth } from '../src/terminal/display-width.ts'
import { startFakeLogbook } from './testing/fake-logbook.ts'
import { readFixture } from './testing/fixtures.ts'
import { recorderFile, runProgram } from './testing/recorder-program.ts'
import { runVerb } from './testing/run-in-process.ts'
import { runOnTerminal } from './testing/run-on-terminal.ts'
import { createWorkPlace, type WorkPlace } from './testing/work-place.ts'

let fairgate: Fairgate
let place: WorkPlace
let token = ''
beforeAll(async () => {
  ;[fairgate, place] = await Promise.all([startFairgate(), createWorkPlace()])
  await fairgate.manage.post('/team/new', { team_id: 'red' })
  token = (await fairgate.manage.token('red')).token
})
afterAll(async () => {
  await fairgate.stop()
  place.remove()
})

const fixture = (tool: 'codex' | 'cursor', event: string) =>
  readFixture(tool, `${event}.json`, { ...place, now: '' })
const json = async (...commandArguments: string[]) =>
  JSON.parse((await place.verb([...commandArguments, '--json'])).output)

describe('status', () => {
  test('says what is not set, which tools have hooks and which events never came', async () => {
    place.write(
      `${place.root}/.codex/hooks.json`,
      JSON.stringify({ hooks: { Stop: [{ hooks: [{ command: 'x/fairgate-recorder hook codex Stop' }] }] } }),
    )
    for (let round = 0; round < 3; round += 1)
      await place.event('codex', 'PostToolUse', fixture('codex', 'PostToolUse'))
    const status = await json('status')
    expect(status).toMatchObject({
      repo: 'project',
      logbookUrl: null,
      hasToken: false,
      pending: 3,
      sent: 0,
      lastSend: null,
    })
    const codex = status.tools.find(({ tool }: { tool: string }) => tool === 'codex')
    expect(codex).toMatchObject({
      installedIn: `${place.root}/.codex/hooks.json`,
      counts: { UserPromptSubmit: 0, PostToolUse: 3, Stop: 0 },
      lastEvent: 'PostToolUse',
      neverSeen: ['UserPromptSubmit', 'Stop'],
    })
    const page = (await place.recorder(['status'])).output
    expect(page).toContain('logbook     not set, no log token')
    expect(page).toMatch(
      /codex {7}incomplete {3}3 entries, last PostToolUse at .*; never seen: UserPromptSubmit, Stop/,
    )
    expect(page).toMatch(/gemini {6}no hooks {5}nothing yet/)
  })

  test('and a push before it is set up keeps the entries and says what is missing', async () => {
    const { code, errors } = await place.verb(['push', 'origin', 'url'])
    expect({ code, errors }).toEqual({
      code: 0,
      errors:
        'fairgate-recorder: 0 entries sent; 3 kept for the next push (the address of the logbook or the log token is missing)\n',
    })
  })

  test('warns of what looks like a secret before it is sent, and the push does; nothing is taken out', async () => {
    const secret = `AKIA${'ABCDEFGH'.repeat(2)}`
    place.connect(fairgate.logbookUrl, token)
    await place.event('codex', 'UserPromptSubmit', {
      ...JSON.parse(fixture('codex', 'UserPromptSubmit')),
      prompt: secret,
    })
    expect((await json('status')).secrets).toMatchObject([
      { tool: 'codex', event: 'UserPromptSubmit', kinds: ['cloud key'] },
    ])
    const pushed = await place.verb(['push'])
    expect(pushed.errors).toMatch(
      /^fairgate-recorder: codex UserPromptSubmit of \S+ \(cloud key\) seems to contain a secret\. .*: replace the secret\n/,
    )
    expect(pushed.errors).toEndWith('\nfairgate-recorder: 4 entries sent\n')
    expect((await readAllEntries(fairgate.logbookUrl, token))[0]?.prompt).toBe(secret)
    expect(await json('status')).toMatchObject({
      pending: 0,
      sent: 4,
      lastSend: { sent: 4, kept: 0, stop: null },
    })
  })
})

test('logs: pages, filters and the way on', async () => {
  place.connect(fairgate.logbookUrl, token)
  const all = await json('logs', '--limit', '1000')
  expect(all).toMatchObject({ next_before: null })
  expect(all.items.length).toBeGreaterThanOrEqual(4)
  const first = await json('logs', '--limit=1', '--tool', 'CODEX', '--event', 'PostToolUse')
  expect(first.items).toMatchObject([{ tool: 'codex', event: 'PostToolUse' }])
  const rest = await json('logs', '--before', first.next_before, '--event', 'PostToolUse')
  expect(rest.items).toHaveLength(2)
  const page = (await place.recorder(['logs', '--limit', '1', '--tool', 'codex'])).output
  expect(page).toMatch(
    /^codex {2}\S+ {2}project on main, .*\n\d{4}-\d\d-\d\d, 1 entry\n.*\n\nOlder entries: fairgate-recorder logs --limit 1 --tool codex --before \S+\n$/,
  )
})

describe('verify', () => {
  test('all entries are there; true repeats are counted', async () => {
    place.connect(fairgate.logbookUrl, token)
    await place.verb(['send'])
    const { code, output } = await place.recorder(['verify'])
    expect({ code, output }).toEqual({
      code: 0,
      output: 'The logbook has all 4 entries that it acknowledged.\n',
    })
  })

  test('entries that a logbook lost are found and sent again', async () => {
    await runStored(fairgate.place, "delete from entries where team_id = 'red' and seq = 2", [])
    const look = await place.verb(['verify', '--no-send'])
    expect(look.code).toBe(1)
    expect(look.output).toBe('1 of 4 acknowledged entries are not in the logbook; 0 sent again.\n')
    const before = await readAllEntries(fairgate.logbookUrl, token)
    expect(await json('verify')).toMatchObject({ acknowledged: 4, found: 3, missing: 1, resent: 1 })
    expect(await readAllEntries(fairgate.logbookUrl, token)).toHaveLength(before.length + 1)
    expect(await json('verify')).toMatchObject({ acknowledged: 4, found: 4, missing: 0, resent: 0 })
  })
})

describe('spec 6.3: send', () => {
  test('refused entries are retried on request', async () => {
    const own = await createWorkPlace()
    const logbook = startFakeLogbook()
    try {
      own.connect(logbook.url, 'aitc_token')
      await own.event('codex', 'Stop', readFixture('codex', 'Stop.json', { ...own, now: '' }))
      logbook.behave((_, entries) => {
        const rejected = entries.map((_entry, index) => ({ index, code: 'invalid_entry', message: 'no' }))
        return Response.json({ received: entries.length, rejected }, { status: 202 })
      })
      expect((await own.verb(['send'])).output).toContain('1 refused (see')
      logbook.behave(() => null)
      expect((await own.verb(['send'])).output).toBe('fairgate-recorder: nothing waits to be sent\n')
      expect((await own.verb(['send', '--retry-rejected'])).output).toBe('fairgate-recorder: 1 entry sent\n')
      expect(logbook.entries()).toHaveLength(1)
    } finally {
      await logbook.stop()
      own.remove()
    }
  })

  test('a file that cannot be read holds up no other; several senders at once send everything once', async () => {
    const own = await createWorkPlace()
    const logbook = startFakeLogbook()
    try {
      own.connect(logbook.url, 'aitc_token')
      const payload = readFixture('codex', 'Stop.json', { ...own, now: '' })
      for (let round = 0; round < 5; round += 1) await own.event('codex', 'Stop', payload)
      mkdirSync(join(own.spool().layout.pending, '0-not-a-file.json'))
      const senders = [['send'], ['push'], ['send'], ['push']].map(verb => own.recorder(verb))
      const hook = own.hook('codex', 'Stop', payload)
      await Promise.all([...senders, hook])
      await own.verb(['send'])
      expect(logbook.entries()).toHaveLength(6)
      const status = JSON.parse((await own.verb(['status', '--json'])).output)
      expect(status).toMatchObject({ sent: 6, rejected: [] })
    } finally {
      await logbook.stop()
      own.remove()
    }
  })

  test('--watch sends what comes until it is ended', async () => {
    const own = await createWorkPlace()
    const logbook = startFakeLogbook()
    try {
      own.connect(logbook.url, 'aitc_token')
      const child = Bun.spawn(['node', recorderFile, 'send', '--watch', '--every', '1'], {
        cwd: own.root,
        env: { ...own.variables },
        stdout: 'ignore',
      })
      try {
        await own.event('codex', 'Stop', readFixture('codex', 'Stop.json', { ...own, now: '' }))
        await logbook.until(() => logbook.entries().length === 1)
      } finally {
        child.kill('SIGTERM')
        await child.exited
      }
    } finally {
      await logbook.stop()
      own.remove()
    }
  })
})

describe('logs by session and prompt', () => {
  const prompt = `Draw a map. ${'지도를 그려 주세요. '.repeat(20)}`
  beforeAll(async () => {
    place.connect(fairgate.logbookUrl, token)
    const stop = JSON.parse(fixture('codex', 'Stop'))
    for (const session of ['map-1', 'map-2', 'map-1']) {
      const own = { ...stop, session_id: session, last_assistant_message: `Answer of ${session}` }
      await place.event('codex', 'UserPromptSubmit', { ...own, prompt })
      await place.event('codex', 'Stop', own)
    }
    await place.verb(['send'])
  })

  test('each session is shown once, with its prompts and what followed them', async () => {
    const { output } = await place.verb(['logs', '--limit', '6'])
    const lines = output.split('\n')
    expect(lines.filter(line => line.startsWith('codex  ')).map(line => line.split('  ')[1])).toEqual([
      'map-1',
      'map-2',
    ])
    expect(lines.filter(line => line.includes(` > ${prompt.trim()}`))).toHaveLength(3)
    expect(lines.filter(line => line.endsWith(' < Answer of map-1'))).toHaveLength(2)
    expect(output).not.toContain('\u001b')
  })

  test('one session: as many as are wanted, and the way on misses none', async () => {
    const first = await json('logs', '--session', 'map-1', '--limit', '1')
    expect(first.items).toMatchObject([{ session_id: 'map-1', event: 'Stop' }])
    const rest = await json('logs', '--session', 'map-1', '--before', first.next_before)
    expect(rest.items.map((item: { event: string }) => item.event)).toEqual([
      'UserPromptSubmit',
      'Stop',
      'UserPromptSubmit',
    ])
    expect((await place.verb(['logs', '--session', 'none'])).output).toBe('No entries.\n')
    expect((await place.verb(['logs', '--tool', 'claud'])).output).toContain('it knows claude, cursor')
    expect((await place.verb(['logs', '--event', 'stopp'])).output).toContain('Did you mean --event stop?')
  })

  test('on a terminal: colours, unless they are not wanted; lines that fit; a long page through the pager', async () => {
    const show = (variables: Record<string, string>, rows: number) =>
      runOnTerminal(place, ['logs', '--limit', '6'], [], { columns: 60, rows, variables })
    const [colored, paged, plain] = await Promise.all([
      show({ TERM: 'xterm' }, 100),
      show({ TERM: 'xterm', NO_COLOR: '1', PAGER: 'sed s/^/paged:/' }, 5),
      show({ TERM: 'xterm', NO_COLOR: '1', PAGER: 'no-such-pager' }, 5),
    ])
    expect(colored.screen).toContain('\u001b[1mcodex\u001b[22m')
    expect(plain.screen).not.toContain('\u001b')
    const lines = plain.screen.split('\r\n').filter(line => !line.includes('fairgate-recorder logs'))
    expect(lines.filter(line => displayWidth(line) > 60)).toEqual([])
    expect(lines.filter(line => line.includes(' > Draw a map.'))).toHaveLength(3)
    expect(paged.screen.split('\r\n')[0]).toStartWith('paged:codex  map-1')
    expect(plain.screen).toStartWith('codex  map-1')
    expect([colored, paged, plain].map(({ code }) => code)).toEqual([0, 0, 0])
  })
})

describe('a wrong line', () => {
  test.each([
    [['bogus'], 2, 'unknown verb "bogus"'],
    [['status', '--colour'], 2, 'Unknown flag --colour.'],
    [['status', 'now'], 2, 'Unexpected argument now.'],
    [['logs', '--limit'], 2, '--limit needs a value.'],
    [['logs', '--limit', 'many'], 2, '--limit takes a whole number from 1 to 100000.'],
    [['send', '--watch=1'], 2, '--watch takes no value.'],
    [['send', '--watch', '--every', '0'], 2, '--every takes seconds from 1 to 86400.'],
    [['logs', '--before', 'yesterday'], 1, 'The logbook answered 400'],
    [['push', '--bogus'], 0, 'Unknown flag --bogus.'],
    [['sned'], 2, 'Did you mean "send"?'],
    [['help', 'sned'], 2, 'Did you mean "send"?'],
    [['init', '--tols', 'all'], 2, 'Did you mean --tools?'],
    [['send', '-x'], 2, 'Unknown flag -x.'],
    [['logs', '--limit', '0'], 2, '"fairgate-recorder logs --help" shows details.'],
  ] as const)('%j', async (line, code, message) => {
    const result = await place.verb(line)
    expect(result.code).toBe(code)
    expect(result.errors).toContain(message)
    expect(result.output).toBe('')
  })

  test('reaches the caller with its exit code and on standard error', async () => {
    const result = await place.recorder(['status', 'now'])
    expect(result).toMatchObject({
      code: 2,
      output: '',
      errors: expect.stringContaining('Unexpected argument'),
    })
  })

  test('outside of a repository', async () => {
    const options = { folder: place.folder, variables: place.variables }
    const result = await runVerb(['status'], { ...place, folder: place.folder })
    expect(result).toMatchObject({ code: 1, errors: expect.stringContaining('This is not a git work tree.') })
    expect((await runProgram(['node', recorderFile, 'push'], options)).code).toBe(0)
  })

  test('help and version', async () => {
    const output = async (...line: string[]) => (await place.verb(line)).output
    const page = await output()
    expect(page).toContain('  fairgate-recorder <verb> [flags]\n')
    expect([await output('-h'), await output('--help'), await output('help')]).toEqual([page, page, page])
    const send = await output('send', '--help')
    expect(send).toMatch(/^ {2}--retry-rejected +\S/m)
    expect(send).toMatch(/^ {2}\$ fairgate-recorder send --watch --every 60/m)
    expect([await output('send', '-h'), await output('help', 'send')]).toEqual([send, send])
    expect((await place.recorder(['hook', '--help'])).output).toContain(
      'fairgate-recorder hook <tool> <event>',
    )
    expect((await place.recorder(['-v'])).output).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect(await output('--version')).toBe(await output('-v'))
  })
})
