// suite: 14 s
// Hooks as AI tools run them: many at once, killed, given any input, or run by a different tool than they were made for.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { programEntry } from '../build/build-program.ts'
import type { ToolName } from '../src/tools/tool.ts'
import { startFakeLogbook } from './testing/fake-logbook.ts'
import { readFixture } from './testing/fixtures.ts'
import { recorderFile, runProgram } from './testing/recorder-program.ts'
import { runEvent } from './testing/run-in-process.ts'
import { createWorkPlace, type WorkPlace } from './testing/work-place.ts'

const places: WorkPlace[] = []
let place: WorkPlace
beforeAll(async () => {
  place = await workPlace()
})
afterAll(() => {
  for (const used of places) used.remove()
})

async function workPlace(): Promise<WorkPlace> {
  const created = await createWorkPlace()
  places.push(created)
  return created
}

const codexPrompt = (root: string, prompt: string) => ({
  session_id: 's',
  turn_id: 't',
  model: 'm',
  cwd: root,
  prompt,
})

// Shown to fail when `record-event.ts` imports the reader of settings.
test('a hook loads no library: they are all among the verbs, which are only a text to it', async () => {
  const imported: string[] = []
  const { success } = await Bun.build({
    entrypoints: [programEntry],
    target: 'node',
    plugins: [
      {
        name: 'without the verbs',
        setup: build => {
          build.onLoad({ filter: /start-verb\.ts$/ }, () => ({ contents: 'export const startVerb = 0' }))
          build.onResolve({ filter: /^[a-z]/ }, ({ path }) => void imported.push(path))
        },
      },
    ],
  })
  expect(success).toBe(true)
  expect(imported).toContain('node:fs')
  expect(imported.filter(path => !path.startsWith('node:'))).toEqual([])
  // Any other letter would slow down the start.
  expect(readFileSync(recorderFile).every(byte => byte < 0x80)).toBe(true)
})

// Shown to fail when a number is taken without creating its file exclusively.
test('spec 6.3: many hooks at once: as many entries, each with a number of its own, none with a gap', async () => {
  const own = await workPlace()
  const together = 12
  await Promise.all(
    Array.from({ length: together }, (_, index) =>
      own.hook('codex', 'UserPromptSubmit', codexPrompt(own.root, `parallel ${index}`)),
    ),
  )
  const entries = own.pending()
  expect(new Set(entries.map(({ prompt }) => prompt)).size).toBe(together)
  const marks = entries.map(({ recorder }) => recorder as { id: string; n: number })
  const numbers = marks.map(({ n }) => n).sort((left, right) => left - right)
  expect(numbers).toEqual(Array.from({ length: together }, (_, index) => index + 1))
  expect([...new Set(marks.map(({ id }) => id))]).toEqual([expect.stringMatching(/^[0-9a-f]{8}$/)])
}, 300_000)

test('hooks and senders that are killed at any moment: what is in the spool afterwards arrives whole and once', async () => {
  const own = await workPlace()
  const logbook = startFakeLogbook()
  try {
    own.connect(logbook.url, 'aitc_token')
    for (let round = 0; round < 8; round += 1) {
      const payload = JSON.stringify(codexPrompt(own.root, `killed ${round}`))
      const command = round % 4 === 3 ? ['send'] : ['hook', 'codex', 'UserPromptSubmit']
      const child = Bun.spawn(['node', recorderFile, ...command], {
        cwd: own.root,
        env: { ...own.variables },
        stdin: new Blob([payload]),
        stdout: 'ignore',
        stderr: 'ignore',
      })
      // Start-up takes most of the time, so the kills are spread over what follows.
      const timer = setTimeout(() => child.kill('SIGKILL'), 30 + round * 8)
      await child.exited
      clearTimeout(timer)
    }
    await own.hook('codex', 'UserPromptSubmit', codexPrompt(own.root, 'the last'))
    expect(await own.recorder(['send'])).toMatchObject({ code: 0 })
    expect(own.pending()).toEqual([])
    const prompts = logbook.entries().map(({ prompt }) => String(prompt))
    expect(new Set(prompts).size).toBe(prompts.length)
    expect(prompts).toContain('the last')
    const marks = logbook.entries().map(({ recorder }) => recorder as { id: string; n: number })
    expect(new Set(marks.map(({ id }) => id)).size).toBe(1)
    expect(new Set(marks.map(({ n }) => n)).size).toBe(marks.length)
  } finally {
    await logbook.stop()
  }
}, 300_000)

test('if the git folder is not writable, the entry waits in the home folder and is sent from there', async () => {
  const own = await workPlace()
  const logbook = startFakeLogbook()
  try {
    const folder = join(own.root, '.git', 'fairgate')
    writeFileSync(folder, 'a file in the way')
    await own.hook('codex', 'UserPromptSubmit', codexPrompt(own.root, 'kept at home'))
    await own.git(['config', 'alias.clear', `!rm "${folder}"`])
    await own.git(['clear'])
    own.connect(logbook.url, 'aitc_token')
    expect(JSON.parse((await own.verb(['status', '--json'])).output)).toMatchObject({ pending: 1 })
    expect((await own.verb(['send'])).output).toBe('fairgate-recorder: 1 entry sent\n')
    expect(logbook.entries()).toMatchObject([{ prompt: 'kept at home' }])
  } finally {
    await logbook.stop()
  }
})

describe('standard input', () => {
  const recorded = async (input: string) => {
    const before = place.pending().length
    await place.hook('cursor', 'stop', input)
    return place.pending().length - before
  }
  const payload = () => readFixture('cursor', 'stop.json', { ...place, now: '' })

  const inputs: readonly (readonly [string, () => string, number])[] = [
    ['a byte order mark and line ends of Windows', () => `\uFEFF${payload().replaceAll('\n', '\r\n')}`, 1],
    ['nothing', () => '', 0],
    ['half of it', () => payload().slice(0, 80), 0],
    ['a list', () => '[1]', 0],
    ['unknown members', () => JSON.stringify({ ...JSON.parse(payload()), model: 7, novel: {} }), 1],
  ]
  test.each(inputs)('%s', async (_, input, expected) => {
    expect(await recorded(input())).toBe(expected)
  })

  const makePipe = async (name: string) => {
    const path = join(place.folder, name)
    expect(await runProgram(['mkfifo', path], place)).toMatchObject({ code: 0 })
    return path
  }
  /** Starts a hook whose input is in the pipe before it starts, and whose pipe is never closed. */
  const runWithOpenPipe = async (input: string, ...runtime: string[]) => {
    const path = await makePipe('input')
    const pipe = openSync(path, 'r+')
    try {
      writeSync(pipe, input)
      const child = Bun.spawn([...runtime, recorderFile, 'hook', 'cursor', 'stop'], {
        cwd: place.root,
        env: { ...place.variables },
        stdin: pipe,
        stdout: 'pipe',
        stderr: 'pipe',
      })
      const texts = [new Response(child.stdout).text(), new Response(child.stderr).text()]
      return [await child.exited, ...(await Promise.all(texts))]
    } finally {
      closeSync(pipe)
      rmSync(path)
    }
  }

  test('half a payload in a pipe that stays open: the hook ends by itself', async () => {
    const before = place.pending().length
    expect(await runWithOpenPipe('{"conversation_id":', 'node')).toEqual([0, '', ''])
    expect(place.pending()).toHaveLength(before)
  })

  test.each(['node', process.execPath])(
    '%s: a whole payload in a pipe that stays open is recorded',
    async runtime => {
      const before = place.pending().length
      expect(await runWithOpenPipe(payload(), runtime)).toEqual([0, '', ''])
      expect(place.pending()).toHaveLength(before + 1)
    },
  )

  // Shown to fail with a timer of five seconds that does not check the pipe once more at its end.
  test.each([
    ['node', '--require'],
    [process.execPath, '--preload'],
  ])(
    '%s: on a machine that hangs until the time limit, what is in the pipe is recorded',
    async (runtime, flag) => {
      const path = join(place.folder, 'slow.cjs')
      place.write(
        path,
        `const set = setTimeout
      globalThis.setTimeout = (run, milliseconds) => {
        const timer = set(run, milliseconds)
        if (milliseconds >= 1000) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds + 100)
        return timer
      }`,
      )
      const before = place.pending().length
      expect(await runWithOpenPipe(payload(), runtime, flag, path)).toEqual([0, '', ''])
      expect(place.pending()).toHaveLength(before + 1)
    },
  )

  // Shown to fail when the file is read as a stream: of 32 hooks at once, one was lost.
  test('a file is read though no thread of Node has time for it', async () => {
    const pipe = await makePipe('held')
    const path = join(place.folder, 'held.cjs')
    place.write(path, `require('node:fs').open(${JSON.stringify(pipe)}, () => undefined)`)
    const before = place.pending().length
    const child = Bun.spawn(['node', '--require', path, recorderFile, 'hook', 'cursor', 'stop'], {
      cwd: place.root,
      env: { ...place.variables, UV_THREADPOOL_SIZE: '1' },
      stdin: new Blob([payload()]),
    })
    while (place.pending().length === before) await Bun.sleep(10)
    // Node exits once its thread has returned.
    const freed = openSync(pipe, 'r+')
    expect(await child.exited).toBe(0)
    closeSync(freed)
    expect(place.pending()).toHaveLength(before + 1)
  })

  test('an unknown tool or event is silent too', async () => {
    const before = place.pending().length
    await place.hook('windsurf', 'stop', '{}')
    await place.hook('cursor', 'sessionStart', payload())
    await place.hook('', '', '')
    expect(place.pending()).toHaveLength(before)
  })
})

test('spec 8: long texts are cut to the limits between characters, tool input is not', async () => {
  const own = await workPlace()
  const payload = JSON.parse(readFixture('cursor', 'postToolUse.json', { ...own, now: '' }))
  const long = '🙂'.repeat(5000)
  await own.event('cursor', 'postToolUse', { ...payload, tool_output: long, tool_input: { content: long } })
  await own.event('codex', 'UserPromptSubmit', codexPrompt(own.root, long))
  const [call, prompt] = own.pending()
  expect(call).toMatchObject({ tool_response: '🙂'.repeat(4000), tool_input: { content: long } })
  expect(prompt).toMatchObject({ prompt: '🙂'.repeat(1000) })
})

describe('who really runs the hook', () => {
  const fixture = (tool: 'claude' | 'cursor' | 'copilot' | 'codex' | 'antigravity', event: string) =>
    JSON.parse(readFixture(tool, `${event}.json`, { ...place, now: '' }))
  const recorded = async (called: ToolName, event: string, payload: object, own = place) => {
    const before = own.pending().length
    await runEvent(called, event, { ...payload }, { ...own, folder: own.root })
    return own
      .pending()
      .slice(before)
      .map(entry => [entry.tool, entry.event])
  }

  test("Cursor runs the hook of Claude Code: it is Cursor's event under Cursor's name", async () => {
    const payload = fixture('cursor', 'beforeSubmitPrompt')
    expect(await recorded('claude', 'UserPromptSubmit', payload)).toEqual([['cursor', 'beforeSubmitPrompt']])
    const other = { ...fixture('cursor', 'stop'), hook_event_name: 'sessionStart' }
    expect(await recorded('claude', 'SessionStart', other)).toEqual([])
  })

  test('unless Cursor has a hook of ours itself, which records it', async () => {
    const own = await workPlace()
    const command = `"/usr/bin/node" "/home/x/fairgate-recorder.cjs" hook cursor stop`
    own.write(
      join(own.root, '.cursor', 'hooks.json'),
      JSON.stringify({ version: 1, hooks: { stop: [{ command }] } }),
    )
    const payload = JSON.parse(readFixture('cursor', 'stop.json', { ...own, now: '' }))
    expect(await recorded('claude', 'Stop', payload, own)).toEqual([])
    expect(await recorded('cursor', 'stop', payload, own)).toEqual([['cursor', 'stop']])
  })

  test('Copilot, Codex and Antigravity on the hook of Claude Code are ignored: they have their own hooks', async () => {
    const pascal = {
      hook_event_name: 'PostToolUse',
      session_id: 's',
      timestamp: '2026-03-01T05:03:07.512Z',
      cwd: place.root,
      tool_name: 'Bash',
      tool_input: {},
      tool_result: { result_type: 'success', text_result_for_llm: 'x' },
    }
    expect(await recorded('claude', 'PostToolUse', pascal)).toEqual([])
    expect(await recorded('claude', 'PostToolUse', fixture('copilot', 'postToolUse'))).toEqual([])
    expect(await recorded('claude', 'Stop', fixture('codex', 'Stop'))).toEqual([])
    expect(await recorded('claude', 'Stop', fixture('antigravity', 'PreInvocation'))).toEqual([])
    expect(await recorded('claude', 'Stop', fixture('claude', 'Stop'))).toEqual([['claude', 'Stop']])
  })
})

test('a hook is silent if its folder was removed', async () => {
  const gone = join(place.folder, 'gone')
  mkdirSync(gone)
  const command = `rmdir "${gone}" && exec node "${recorderFile}" hook cursor stop`
  const result = await runProgram(['sh', '-c', command], {
    folder: gone,
    variables: place.variables,
    input: '{}',
  })
  expect(result).toEqual({ code: 0, output: '', errors: '' })
})

test('a hook that git itself started finds its own repository, not the one that git names', async () => {
  const own = await workPlace()
  const other = await workPlace()
  const child = Bun.spawn(['node', recorderFile, 'hook', 'codex', 'UserPromptSubmit'], {
    cwd: own.root,
    env: { ...own.variables, GIT_DIR: join(other.root, '.git'), GIT_WORK_TREE: other.root },
    stdin: new Blob([JSON.stringify(codexPrompt(own.root, 'mine'))]),
  })
  expect(await child.exited).toBe(0)
  expect(own.pending()).toHaveLength(1)
  expect(readdirSync(join(other.root, '.git'))).not.toContain('fairgate')
})
