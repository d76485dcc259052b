// suite: 54 s
// Real pushes of git: whatever the logbook does, the push succeeds without waiting for it, and nothing that was recorded is lost or doubled.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { RecordersReply } from '@fairgate/contracts/console/recorders.ts'
import { ingest, readAllEntries, sampleEntry } from '../../server/journeys/testing/logbook-client.ts'
import { type Fairgate, startFairgate } from '../../server/journeys/testing/start-fairgate.ts'
import { version } from '../build/build-program.ts'
import { type Behaviour, type FakeLogbook, startFakeLogbook } from './testing/fake-logbook.ts'
import { createWorkPlace, type WorkPlace, type WorkPlaceOptions } from './testing/work-place.ts'

let fairgate: Fairgate
const places: WorkPlace[] = []
beforeAll(async () => {
  fairgate = await startFairgate()
})
afterAll(async () => {
  await fairgate.stop()
  for (const place of places) place.remove()
})

async function workPlace(options: WorkPlaceOptions = {}): Promise<WorkPlace> {
  const place = await createWorkPlace(options)
  places.push(place)
  return place
}

async function newTeam(teamId: string): Promise<string> {
  await fairgate.manage.post('/team/new', { team_id: teamId })
  return (await fairgate.manage.token(teamId)).token
}

let prompts = 0
async function record(place: WorkPlace, folder = place.root): Promise<string> {
  prompts += 1
  const prompt = `prompt ${prompts}`
  const payload = { session_id: 's', turn_id: 't', model: 'm', transcript_path: null, cwd: folder, prompt }
  await place.hook('codex', 'UserPromptSubmit', payload)
  return prompt
}

async function push(place: WorkPlace, folder = place.root, refs = ['HEAD:refs/heads/work']) {
  await place.git(['commit', '-q', '--allow-empty', '-m', 'work'], folder)
  return await place.git(['push', 'origin', ...refs], folder)
}

const ownLines = (errors: string) => errors.split('\n').filter(line => line.startsWith('fairgate-recorder'))

describe('spec 6.2: with a running logbook', () => {
  test('a push brings the entries, says so in one line, and the next has nothing to say', async () => {
    const place = await workPlace()
    const token = await newTeam('plain')
    place.connect(fairgate.logbookUrl, token)
    const expected = [await record(place), await record(place), await record(place)]
    const first = await push(place)
    expect(first).toMatchObject({ code: 0 })
    expect(ownLines(first.errors)).toEqual(['fairgate-recorder: 3 entries sent'])
    expect(ownLines((await push(place)).errors)).toEqual([])
    const read = await readAllEntries(fairgate.logbookUrl, token)
    expect(read.map(({ prompt }) => prompt).sort()).toEqual(expected.sort())
  })

  test('what the organisers announce stands in one line, once in each clone, and in status', async () => {
    const place = await workPlace()
    const token = await newTeam('told')
    place.connect(fairgate.logbookUrl, token)
    const { manage } = fairgate
    const made: object = Object(
      await manage.post('/announcements', { text: 'Lunch is served.', teams: ['told'] }),
    )
    await record(place)
    expect(ownLines((await push(place)).errors)).toEqual([
      'fairgate-recorder: 1 entry sent',
      'fairgate-recorder: the organisers say: Lunch is served.',
    ])
    await record(place)
    expect(ownLines((await push(place)).errors)).toEqual(['fairgate-recorder: 1 entry sent'])
    expect((await place.recorder(['status'])).output).toContain('announced   Lunch is served.')
    await manage.call('DELETE', `/announcements/${'announcement_id' in made ? made.announcement_id : ''}`)
    expect((await place.recorder(['status'])).output).not.toContain('announced')
  })

  test('organisers see which recorder has sent and that nothing waits', async () => {
    const place = await workPlace()
    const token = await newTeam('seen')
    place.connect(fairgate.logbookUrl, token)
    const readRecorders = async () => {
      const response = await fairgate.manage.call('GET', '/recorders?team_id=seen')
      return ((await response.json()) as RecordersReply).items
    }
    expect(await readRecorders()).toEqual([])
    await record(place)
    await record(place)
    await push(place)
    const [seen, ...others] = await readRecorders()
    expect(others).toEqual([])
    expect(seen).toMatchObject({
      version,
      entries: 2,
      missing: 0,
      unsent: 0,
      spool_age_ms: null,
      tools: [{ tool: 'codex', entries: 2, last_event: 'UserPromptSubmit' }],
      warnings: [],
    })
    expect(Date.now() - Date.parse(seen?.last_seen ?? '')).toBeLessThan(60_000)
    // An older recorder has no such header, and its entries are taken as before.
    await ingest(fairgate.logbookUrl, token, [
      { ...sampleEntry, recorder: { id: '00000001', n: 1 } },
      { ...sampleEntry, recorder: { id: '00000001', n: 3 }, prompt: 'later' },
    ])
    const older = (await readRecorders()).find(({ clone_id }) => clone_id === '00000001')
    expect(older).toMatchObject({ version: null, unsent: null, entries: 2, missing: 1 })
    expect(older?.warnings.map(({ code }) => code)).toEqual(['numbers_missing', 'says_nothing'])
  })

  test('linked work tree, detached HEAD and unborn branch share one spool and say where they are', async () => {
    const place = await workPlace()
    const token = await newTeam('places')
    place.connect(fairgate.logbookUrl, token)
    const linked = join(place.folder, 'linked')
    await place.git(['worktree', 'add', '-q', '-b', 'side', linked])
    const bySide = await record(place, linked)
    await place.git(['checkout', '-q', '--detach'])
    const byDetached = await record(place)
    await place.git(['checkout', '-q', '--orphan', 'empty'])
    const byUnborn = await record(place)
    await place.git(['checkout', '-q', 'main'])
    const marks = place.pending().map(({ recorder }) => recorder as { id: string; n: number })
    expect(marks.map(({ n }) => n).sort()).toEqual([1, 2, 3])
    expect(new Set(marks.map(({ id }) => id)).size).toBe(1)
    const result = await push(place, linked)
    expect(ownLines(result.errors)).toEqual(['fairgate-recorder: 3 entries sent'])
    const commit = (await place.git(['rev-parse', '--short', 'main'])).output.trim()
    const read = await readAllEntries(fairgate.logbookUrl, token)
    const byPrompt = new Map(read.map(entry => [entry.prompt, [entry.branch, entry.commit]]))
    expect(byPrompt.get(bySide)).toEqual(['side', commit])
    expect(byPrompt.get(byDetached)).toEqual(['HEAD', commit])
    expect(byPrompt.get(byUnborn)).toEqual(['empty', '0000000'])
  })

  test('spec 6.1: without a remote named origin nothing is recorded', async () => {
    const place = await workPlace({ origin: false })
    await record(place)
    expect(place.pending()).toEqual([])
  })

  test('a locked board and a wrong token keep the entries; after it they arrive once', async () => {
    const place = await workPlace()
    const token = await newTeam('locked')
    place.connect(fairgate.logbookUrl, token)
    const expected = [await record(place)]
    await fairgate.manage.post('/team/lock', { team_id: 'locked' })
    const locked = await push(place)
    expect(locked.code).toBe(0)
    expect(ownLines(locked.errors)).toEqual([
      "fairgate-recorder: 0 entries sent; 1 kept for the next push (the team's board is locked)",
    ])
    await fairgate.manage.post('/team/unlock', { team_id: 'locked' })
    place.connect(fairgate.logbookUrl, 'aitc_wrong')
    expected.push(await record(place))
    const unauthorized = await push(place)
    expect(unauthorized.code).toBe(0)
    expect(ownLines(unauthorized.errors)).toEqual([
      'fairgate-recorder: 0 entries sent; 2 kept for the next push (the logbook does not know the log token)',
    ])
    place.connect(fairgate.logbookUrl, token)
    expect(ownLines((await push(place)).errors)).toEqual(['fairgate-recorder: 2 entries sent'])
    const read = await readAllEntries(fairgate.logbookUrl, token)
    expect(read.map(({ prompt }) => prompt).sort()).toEqual(expected.sort())
  })

  test('an entry that the logbook refuses is set aside with its reason, its neighbours arrive', async () => {
    const place = await workPlace()
    const token = await newTeam('refusing')
    place.connect(fairgate.logbookUrl, token)
    const good = await record(place)
    const long = { session_id: 's'.repeat(600), turn_id: 't', model: 'm', cwd: place.root, prompt: 'bad' }
    await place.hook('codex', 'UserPromptSubmit', long)
    const result = await push(place)
    expect(ownLines(result.errors)).toEqual([
      'fairgate-recorder: 1 entry sent; 1 refused (see "fairgate-recorder status")',
    ])
    const status = JSON.parse((await place.recorder(['status', '--json'])).output)
    expect(status).toMatchObject({ pending: 0, sent: 1, rejected: [{ code: 'field_too_long' }] })
    const read = await readAllEntries(fairgate.logbookUrl, token)
    expect(read.map(({ prompt }) => prompt)).toEqual([good])
  })

  // Shown to fail on the build before: the first two were refused by the logbook, the third was not recorded at all.
  test('what the logbook could never take is shortened by the rules and arrives', async () => {
    const place = await workPlace()
    const token = await newTeam('large')
    place.connect(fairgate.logbookUrl, token)
    const nest = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
    const call = (name: string, input: string) =>
      place.hook(
        'codex',
        'PostToolUse',
        `{"session_id":"s","turn_id":"t","model":"m","cwd":${JSON.stringify(place.root)},"tool_name":"${name}","tool_input":${input},"tool_response":"ok"}`,
      )
    const large = JSON.stringify({ content: 'é"\n'.repeat(1_200_000) })
    await call('large', large)
    await call('deep', nest(64))
    await call('deepest', nest(20_000))
    await call('plain', nest(62))
    expect(ownLines((await push(place)).errors)).toEqual(['fairgate-recorder: 4 entries sent'])
    const read = await readAllEntries(fairgate.logbookUrl, token)
    const inputs = new Map(read.map(entry => [entry.tool_name, entry.tool_input]))
    expect(large.startsWith(String(inputs.get('large')).slice(0, 1_000_000))).toBe(true)
    expect(String(inputs.get('large')).length).toBeGreaterThan(1_500_000)
    expect(inputs.get('deep')).toBe(nest(64))
    expect(String(inputs.get('deepest'))).toStartWith('{"a":{"a":')
    expect(inputs.get('plain')).toEqual(JSON.parse(nest(62)))
  })

  test('a push of many refs, whose list does not fit into a pipe, is not disturbed', async () => {
    const place = await workPlace()
    place.connect(fairgate.logbookUrl, await newTeam('refs'))
    await record(place)
    const commit = (await place.git(['rev-parse', 'HEAD'])).output.trim()
    const lines = Array.from(
      { length: 700 },
      (_, index) => `create refs/tags/a-rather-long-name-${index} ${commit}\n`,
    )
    place.write(join(place.folder, 'refs'), lines.join(''))
    await place.git(['config', 'alias.many', `!git update-ref --stdin < ${join(place.folder, 'refs')}`])
    await place.git(['many'])
    const result = await push(place, place.root, ['--tags'])
    expect(result.code).toBe(0)
    expect(ownLines(result.errors)).toEqual(['fairgate-recorder: 1 entry sent'])
  })
})

const reply = (status: number, headers: Record<string, string> = {}): Behaviour => {
  return () =>
    Response.json({ error: { message: 'no', type: 'x', param: null, code: 'x' } }, { status, headers })
}

describe('spec 6.2: with a logbook in trouble', () => {
  const troubles: readonly (readonly [string, Behaviour, string])[] = [
    ['401', reply(401), 'the logbook does not know the log token'],
    ['403', reply(403), "the team's board is locked"],
    ['404', reply(404), 'the address of the logbook answered 404'],
    ['400 to everything', reply(400), 'no'],
    ['413 to everything', reply(413), 'no'],
    ['429', reply(429), 'the logbook asks to wait'],
    ['500', reply(500), 'the logbook answered 500'],
    ['503', reply(503), 'the logbook answered 503'],
    [
      'a redirect',
      reply(307, { location: 'http://127.0.0.1:9/' }),
      'the address of the logbook leads elsewhere',
    ],
    [
      'a sign-in page',
      () => new Response('<html>', { status: 200 }),
      'the address of the logbook answered 200',
    ],
    ['nonsense', () => new Response('<html>', { status: 202 }), 'the reply makes no sense'],
    ['a wrong count', () => Response.json({ received: 99 }, { status: 202 }), 'the reply makes no sense'],
  ]
  // '400 to everything' was shown to fail without the probe by an empty batch (push/send-pending.ts).
  test.each(troubles)(
    '%s: the push succeeds, all is kept, and arrives once afterwards',
    async (_, behaviour, message) => {
      const place = await workPlace()
      const logbook = startFakeLogbook()
      try {
        place.connect(logbook.url, 'aitc_token')
        const expected = [await record(place), await record(place)]
        logbook.behave(behaviour)
        const result = await push(place)
        expect(result.code).toBe(0)
        expect(ownLines(result.errors)).toEqual([
          `fairgate-recorder: 0 entries sent; 2 kept for the next push (${message})`,
        ])
        expect(place.pending()).toHaveLength(2)
        logbook.behave(() => null)
        await push(place)
        expect(logbook.entries().map(({ prompt }) => prompt)).toEqual(expected)
        expect(place.pending()).toEqual([])
      } finally {
        await logbook.stop()
      }
    },
  )

  test('down: the push succeeds; when it is up again all arrives', async () => {
    const place = await workPlace()
    // A free port would not do, because another program might get it meanwhile.
    place.connect('http://127.0.0.1:9', 'aitc_token')
    const expected = [await record(place)]
    const result = await push(place)
    expect(result.code).toBe(0)
    expect(ownLines(result.errors)[0]).toStartWith(
      'fairgate-recorder: 0 entries sent; 1 kept for the next push (',
    )
    const logbook = startFakeLogbook()
    try {
      place.connect(logbook.url, 'aitc_token')
      await push(place)
      expect(logbook.entries().map(({ prompt }) => prompt)).toEqual(expected)
    } finally {
      await logbook.stop()
    }
  })

  /** Requests that arrive during `run` are delayed as `hold` says until it has ended. Later ones are answered at once. */
  async function whileHeld<Result>(
    logbook: FakeLogbook,
    hold: (free: Promise<void>) => Response | Promise<Response>,
    run: () => Promise<Result>,
  ): Promise<Result> {
    const free = Promise.withResolvers<void>()
    logbook.behave(() => hold(free.promise))
    const result = await run()
    logbook.behave(() => null)
    free.resolve()
    return result
  }
  /** If the background sender is delayed too, it then tries again. */
  const silence = async (free: Promise<void>) => {
    await free
    return new Response('', { status: 503 })
  }
  const halfAnswer = (free: Promise<void>) => {
    let hasLeft = false
    const body = new ReadableStream({
      start: async controller => {
        controller.enqueue(Buffer.from('{"received":'))
        await free
        if (!hasLeft) controller.close()
      },
      cancel: () => {
        hasLeft = true
      },
    })
    return new Response(body, { status: 202 })
  }

  // Shown to fail with a background sender that inherits the descriptors of the push: when the push ends, nothing is left to send.
  test.each([
    ['slow', silence],
    ['that begins to answer and never ends', halfAnswer],
  ])(
    '%s: the push ends, also when its output is read through a pipe; the rest is sent behind it',
    async (_, hold) => {
      const place = await workPlace({ hurried: true })
      const logbook = startFakeLogbook()
      try {
        place.connect(logbook.url, 'aitc_token')
        const expected = [await record(place), await record(place)]
        const result = await whileHeld(logbook, hold, () => push(place))
        expect(result.code).toBe(0)
        expect(ownLines(result.errors)).toEqual([
          'fairgate-recorder: 0 entries sent; 2 being sent in the background',
        ])
        await place.allSent()
        expect(logbook.entries().map(({ prompt }) => prompt)).toEqual(expected)
      } finally {
        await logbook.stop()
      }
    },
    300_000,
  )

  // Shown to fail with a bound of three seconds.
  test.each([
    ['two seconds, its start and end included', undefined, 1700],
    ['as long as it was told', '0.5', 200],
    ['two seconds when it was told nonsense', 'soon', 1700],
  ])(
    'a push waits for %s',
    async (_, told, longestMs) => {
      const place = await workPlace({ hurried: true })
      const logbook = startFakeLogbook()
      try {
        place.connect(logbook.url, 'aitc_token')
        await record(place)
        const variables = told === undefined ? {} : { FAIRGATE_PUSH_SECONDS: told }
        const { output } = await whileHeld(logbook, silence, () =>
          place.recorder(['push', '--json'], '', { ...place.variables, ...variables }),
        )
        const { message } = JSON.parse(output).stop
        // On a slow machine, starting up takes all of this time.
        const waited =
          message === 'no time left' ? 0 : Number(/^no answer within (\d+) ms$/.exec(message)?.[1])
        expect(waited).toBeLessThanOrEqual(longestMs)
        await place.allSent()
      } finally {
        await logbook.stop()
      }
    },
    300_000,
  )

  test('a logbook that asks to be left alone is left alone', async () => {
    const place = await workPlace()
    const logbook = startFakeLogbook()
    try {
      place.connect(logbook.url, 'aitc_token')
      await record(place)
      logbook.behave(reply(429, { 'retry-after': '600' }))
      await push(place)
      const second = await push(place)
      expect(logbook.requests()).toBe(1)
      expect(ownLines(second.errors)[0]).toMatch(
        /1 kept for the next push \(the logbook asked to wait \d+ s more\)/,
      )
      logbook.behave(() => null)
      // When run by hand, it sends at once.
      expect((await place.recorder(['send'])).output).toBe('fairgate-recorder: 1 entry sent\n')
    } finally {
      await logbook.stop()
    }
  })

  test('spec 8: 620 entries go in batches of at most 500', async () => {
    const place = await workPlace()
    const logbook = startFakeLogbook()
    try {
      place.connect(logbook.url, 'aitc_token')
      const spool = place.spool()
      const base = { ts: new Date().toISOString(), tool: 'codex', event: 'Stop', session_id: 's' }
      const facts = { repo: 'project', branch: 'main', commit: '0000000', student: 's@example.org' }
      // The entries are not put through the spool, because 620 writes take long on a slow disk.
      for (let index = 0; index < 620; index += 1) {
        const { name, text } = spool.number({ ...base, ...facts })
        place.write(join(spool.layout.pending, name), text)
      }
      const sizes: number[] = []
      logbook.behave((_, entries) => {
        sizes.push(entries.length)
        return null
      })
      expect((await push(place)).code).toBe(0)
      expect(sizes).toEqual([500, 120])
      expect(logbook.entries()).toHaveLength(620)
    } finally {
      await logbook.stop()
    }
  })
})

test('spec 4.2: the running logbook takes a batch again without storing anything twice', async () => {
  const place = await workPlace()
  const token = await newTeam('again')
  place.connect(fairgate.logbookUrl, token)
  await record(place)
  const entries = place.pending()
  // The same state as after a lost reply to the first attempt.
  expect((await ingest(fairgate.logbookUrl, token, entries)).status).toBe(202)
  await record(place)
  expect(ownLines((await push(place)).errors)).toEqual([
    'fairgate-recorder: 2 entries sent (1 new, 1 in the logbook already)',
  ])
  expect(await readAllEntries(fairgate.logbookUrl, token)).toHaveLength(2)
})
