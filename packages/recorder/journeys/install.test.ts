// suite: 5 s
// `init` and `uninstall` as a participant runs them: they harm nothing, leave nothing behind, and what they install works.
import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { recipes } from '../src/install/settings/recipes.ts'
import { toolNames } from '../src/tools/tool.ts'
import { startFakeLogbook } from './testing/fake-logbook.ts'
import { readFixture } from './testing/fixtures.ts'
import { readTree } from './testing/read-tree.ts'
import { runVerb } from './testing/run-in-process.ts'
import { runOnTerminal } from './testing/run-on-terminal.ts'
import { createWorkPlace, type WorkPlace } from './testing/work-place.ts'

const token = 'aitc_0123456789'
const logbook = startFakeLogbook(token)
const places: WorkPlace[] = []
afterAll(async () => {
  await logbook.stop()
  for (const place of places) place.remove()
})

async function workPlace(options: { origin?: boolean } = {}): Promise<WorkPlace> {
  const place = await createWorkPlace({ ...options, hook: false })
  places.push(place)
  return place
}
const json = (text: string) => JSON.parse(text)
const settingsOf = (place: WorkPlace, tool: (typeof toolNames)[number]) =>
  join(place.root, ...recipes[tool].file)

const settings: Readonly<Record<string, string>> = {
  '.claude/settings.local.json':
    '{\r\n\t"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}\r\n}\r\n',
  '.cursor/hooks.json': '{"version":1,"hooks":{"stop":[{"command":"./mine.sh"}]}}',
  '.codex/hooks.json': '{\n    "description": "ours",\n    "hooks": {}\n}',
  '.gemini/settings.json': '/* theme */\n{ "ui": { "theme": "dark" } } // end',
  '.agents/hooks.json': '{\n  "other": {"PreInvocation": []}\n}\n',
}

describe('init and uninstall', () => {
  test('in a repository full of settings: a second init changes nothing, and uninstall restores every byte', async () => {
    const place = await workPlace()
    for (const [name, text] of Object.entries(settings)) place.write(join(place.root, name), text)
    const before = readTree(place.root)
    const first = await place.recorder(['init', '--tools', 'all', '--json'])
    expect(first).toMatchObject({ code: 0, errors: '' })
    expect(json(first.output).refused).toEqual([])
    const installed = readTree(place.root)
    const second = await place.verb(['init', '--json'])
    expect(json(second.output).changed).toEqual([])
    expect(readTree(place.root)).toEqual(installed)
    expect((await place.verb(['init', '--dry-run'])).output).not.toContain('@@')
    const removed = await place.recorder(['uninstall', '--purge'])
    expect(removed).toMatchObject({ code: 0, errors: '' })
    expect(readTree(place.root)).toEqual(before)
  })

  test('files made for this machine do not show in git status', async () => {
    const place = await workPlace()
    await place.verb(['init', '--tools', 'all'])
    for (const tool of toolNames) expect(existsSync(settingsOf(place, tool))).toBe(true)
    expect((await place.git(['status', '--short'])).output).toBe('')
  })

  // Shown to fail on the build before: the push said nothing, `init` found no tool, status said `no hooks`.
  test('after git clean -fdx the next push says so in one line, status and doctor too, and init repairs it', async () => {
    const place = await workPlace()
    const before = readTree(place.root)
    const bare = { ...place.variables, PATH: bareBin(place) }
    const init = ['init', '--tools', 'claude,codex', '--url', logbook.url, '--token-stdin']
    await place.verb(init, token, bare)
    await place.git(['clean', '-fdxq'])
    expect(existsSync(settingsOf(place, 'claude'))).toBe(false)
    const push = async () =>
      (await place.git(['push', 'origin', 'HEAD:refs/heads/work'])).errors
        .split('\n')
        .filter(line => line.startsWith('fairgate-recorder'))
    expect(await push()).toEqual([
      'fairgate-recorder: the hooks of claude, codex are gone, so their work is not recorded: run "fairgate-recorder init"',
    ])
    expect((await place.verb(['status'])).output).toMatch(/claude +hooks gone/)
    const looked = await place.verb(['doctor', '--json'], '', bare)
    expect(looked.code).toBe(1)
    expect(findings(looked)).toMatchObject({ claude: 'failed', codex: 'failed' })
    expect(json((await place.verb(['init', '--json'], '', bare)).output)).toMatchObject({
      tools: ['claude', 'codex'],
      changed: [settingsOf(place, 'claude'), settingsOf(place, 'codex')],
    })
    expect(await push()).toEqual([])
    expect((await place.git(['status', '--short'])).output).toBe('')
    await place.verb(['uninstall', '--purge'])
    const names = (tree: object) => Object.keys(tree).filter(name => !name.includes('refs/remotes'))
    expect(names(readTree(place.root))).toEqual(names(before))
  })

  test('uninstall removes only our hooks from a settings file that changed since', async () => {
    const place = await workPlace()
    const path = settingsOf(place, 'gemini')
    place.write(path, '{\n  "a": 1\n}\n')
    await place.verb(['init', '--tools', 'gemini'])
    place.write(path, readFileSync(path, 'utf8').replace('"a": 1', '"a": 2,\n  "b": [3]'))
    await place.verb(['uninstall'])
    expect(readFileSync(path, 'utf8')).toBe('{\n  "a": 2,\n  "b": [3]\n}\n')
  })

  // Shown to fail when a second `init` takes its own changes for the original state.
  test('a settings file changed between two runs of init keeps the change', async () => {
    const place = await workPlace()
    const path = settingsOf(place, 'claude')
    place.write(path, '{\n  "a": 1\n}\n')
    await place.verb(['init', '--tools', 'claude'])
    const changed = readFileSync(path, 'utf8').replace('"a": 1', '"a": 2').replace('hook claude Stop', 'x')
    place.write(path, changed.replaceAll('fairgate-recorder x', 'mine'))
    await place.verb(['init', '--tools', 'claude'])
    await place.verb(['uninstall'])
    const left = json(readFileSync(path, 'utf8'))
    expect(left.a).toBe(2)
    expect(JSON.stringify(left)).toContain('mine')
    expect(JSON.stringify(left)).not.toContain('fairgate-recorder hook')
  })

  test('a git hook that changed since keeps the change', async () => {
    const place = await workPlace()
    await place.verb(['init', '--tools', 'claude'])
    const path = join(place.root, '.git', 'hooks', 'pre-push')
    place.write(path, `${readFileSync(path, 'utf8')}echo mine\n`)
    await place.verb(['uninstall'])
    expect(readFileSync(path, 'utf8')).toBe('#!/bin/sh\necho mine\n')
  })

  // Shown to fail when everything between the marks counts as ours.
  test('lines that users put between our marks survive another init and uninstall', async () => {
    const place = await workPlace()
    const files = {
      [join(place.root, '.git', 'hooks', 'pre-push')]: '# mine\nnpm test\n',
      [join(place.root, '.git', 'info', 'exclude')]: '# mine\n/build\n*.log\n',
    }
    await place.verb(['init', '--tools', 'codex'])
    const left = Object.entries(files).map(([path, lines]) => {
      const text = readFileSync(path, 'utf8')
      place.write(path, text.replace('# <<<', `${lines}# <<<`))
      return [path, text.replace(/# >>>[\s\S]*# <<<.*\n/, lines)] as const
    })
    await place.verb(['init', '--tools', 'codex,cursor'])
    for (const [path, lines] of Object.entries(files))
      for (const line of lines.split('\n')) expect(readFileSync(path, 'utf8').split('\n')).toContain(line)
    await place.verb(['uninstall'])
    const sort = (text: string) => text.split('\n').sort()
    for (const [path, text] of left) expect(sort(readFileSync(path, 'utf8'))).toEqual(sort(text))
  })

  test('a file that cannot be read is left as it is and named; the other tools are set up', async () => {
    const place = await workPlace()
    place.write(settingsOf(place, 'claude'), '{ "hooks": oops }')
    const result = await place.verb(['init', '--tools', 'claude,codex'])
    expect(result.code).toBe(1)
    expect(result.output).toMatch(
      /LEFT AS IT IS .*settings\.local\.json: it is not valid JSON \(line 1, column 12/,
    )
    expect(readFileSync(settingsOf(place, 'claude'), 'utf8')).toBe('{ "hooks": oops }')
    expect(readFileSync(settingsOf(place, 'codex'), 'utf8')).toContain('hook codex Stop')
  })

  test('--dry-run shows a diff that patch could apply, and writes nothing', async () => {
    const place = await workPlace()
    place.write(settingsOf(place, 'codex'), '{\n  "hooks": {}\n}\n')
    const before = readTree(place.root)
    const { output, code } = await place.verb(['init', '--tools', 'codex,cursor', '--dry-run'])
    expect(code).toBe(0)
    expect(output).toContain(`--- ${settingsOf(place, 'codex')}\n`)
    expect(output).toContain('--- /dev/null\n')
    expect(readTree(place.root)).toEqual(before)
    place.write(join(place.folder, 'change.diff'), output.slice(0, output.indexOf('tools    ')))
    await place.git(
      ['apply', '--unsafe-paths', '-p0', '--directory=/', join(place.folder, 'change.diff')],
      '/',
    )
    expect(readFileSync(settingsOf(place, 'codex'), 'utf8')).toContain('hook codex Stop')
  })

  // Shown to fail on the build before, which named the machine in files that git takes.
  test('hooks in a file that "git add -A" takes hold no path of this machine', async () => {
    const place = await workPlace()
    place.write(settingsOf(place, 'cursor'), '{"version": 1, "hooks": {}}\n')
    place.write(join(place.root, '.gitignore'), '!/.codex/**\n')
    await place.verb(['init', '--tools', 'codex,cursor,gemini'])
    await place.git(['add', '-A'])
    const added = (await place.git(['diff', '--cached', '--name-only'])).output.trim().split('\n')
    expect(added).toEqual(['.codex/hooks.json', '.cursor/hooks.json', '.gitignore'])
    expect((await place.git(['diff', '--cached'])).output).not.toContain(place.folder)
    // One that was made before, or came back without its line in `info/exclude`.
    const gemini = settingsOf(place, 'gemini')
    expect(readFileSync(gemini, 'utf8')).toContain(place.folder)
    rmSync(join(place.root, '.git', 'info', 'exclude'))
    expect((await place.verb(['doctor'])).output).toContain(`git would commit ${gemini}`)
    await place.verb(['init'])
    expect(readFileSync(gemini, 'utf8')).not.toContain(place.folder)
  })

  test('a committed settings file gets commands that hold no path of this machine', async () => {
    const place = await workPlace()
    place.write(settingsOf(place, 'cursor'), '{"version": 1, "hooks": {}}\n')
    await place.git(['add', '-A'])
    await place.git(['commit', '-q', '-m', 'settings'])
    const report = json((await place.verb(['init', '--tools', 'cursor', '--json'])).output)
    expect(report.warnings[0]).toContain('is under version control')
    expect(readFileSync(settingsOf(place, 'cursor'), 'utf8')).not.toContain(place.folder)
    // On a busy machine the hook may be slow, which is a warning.
    expect(findings(await place.recorder(['doctor', '--test', '--json']))['cursor stop']).not.toBe('failed')
    expect((await place.verb(['init', '--json'])).output).toContain('"changed":[]')
  })

  test('uninstall keeps waiting entries; --purge discards them only with --force', async () => {
    const place = await workPlace()
    await place.verb(['init', '--tools', 'codex'])
    await place.event('codex', 'Stop', readFixture('codex', 'Stop.json', { ...place, now: '' }))
    const refused = await place.verb(['uninstall', '--purge'])
    expect(refused).toMatchObject({ code: 1, errors: expect.stringContaining('1 entries have not reached') })
    expect(existsSync(settingsOf(place, 'codex'))).toBe(true)
    expect((await place.verb(['uninstall'])).output).toContain('1 entries wait here')
    expect(place.pending()).toHaveLength(1)
    expect((await place.verb(['uninstall', '--purge', '--force'])).code).toBe(0)
    expect(readdirSync(join(place.root, '.git'))).not.toContain('fairgate')
  })

  // Shown to fail on the build before, which took the hooks out of all of them without a word.
  test('uninstall in a linked work tree lists the others that it affects, and asks first', async () => {
    const place = await workPlace()
    const linked = join(place.folder, 'linked')
    await place.git(['worktree', 'add', '-q', '-b', 'side', linked])
    await place.verb(['init', '--tools', 'codex'])
    const inLinked = (...line: string[]) => runVerb(line, { ...place, folder: linked })
    await inLinked('init', '--tools', 'codex')
    expect((await inLinked('uninstall', '--dry-run')).output).toContain(`this affects:\n  ${place.root}\n`)
    const asked = await runOnTerminal(
      { ...place, root: linked },
      ['uninstall'],
      [['in all of them? [y/N]', '\r']],
    )
    expect(asked.code).toBe(1)
    expect(asked.screen).toContain(place.root)
    expect(existsSync(settingsOf(place, 'codex'))).toBe(true)
    const { output } = await inLinked('uninstall', '--json')
    expect(json(output).workTrees).toEqual([place.root, linked])
    expect(existsSync(settingsOf(place, 'codex'))).toBe(false)
  })

  test('tools are found by what they leave; without any it asks for names', async () => {
    const place = await workPlace()
    const bare = { ...place.variables, PATH: bareBin(place) }
    const none = await place.verb(['init'], undefined, bare)
    expect(none).toMatchObject({ code: 1, errors: expect.stringContaining('Choose one with --tools') })
    mkdirSync(join(place.home, '.codex'))
    mkdirSync(join(place.root, '.cursor'))
    expect(json((await place.verb(['init', '--json'], undefined, bare)).output).tools).toEqual([
      'cursor',
      'codex',
    ])
    expect((await place.verb(['init', '--tools', 'word'])).code).toBe(2)
  })
})

/** A PATH with only what the recorder itself needs. */
function bareBin(place: WorkPlace): string {
  const folder = join(place.folder, 'bin')
  for (const name of ['git', 'sh', 'node']) {
    const real = Bun.which(name) ?? name
    place.write(join(folder, name), `#!/bin/sh\nexec ${real} "$@"\n`)
    Bun.spawnSync(['chmod', '755', join(folder, name)])
  }
  return folder
}

function findings({ output }: { output: string }): Record<string, string> {
  const report: { findings: { name: string; state: string }[] } = JSON.parse(output)
  return Object.fromEntries(report.findings.map(({ name, state }) => [name, state]))
}

// Measured with Copilot CLI 1.0.102: it starts bash for a hook of its own, and runs the hooks of Claude Code too. Shown to fail on
// the build before, where each event had a waiting bash beside the recorder and a second recorder by the hook of Claude Code.
test('an event of Copilot CLI starts one process, the recorder itself', async () => {
  const place = await workPlace()
  await place.verb(['init', '--tools', 'claude,copilot'])
  const started = join(place.folder, 'started')
  const standIn = join(place.folder, 'node')
  place.write(standIn, `#!/bin/sh\necho "$$ $3 $4" >> '${started}'\n`)
  Bun.spawnSync(['chmod', '755', standIn])
  const launcher = join(place.root, '.git', 'fairgate', 'fairgate-recorder')
  place.write(launcher, readFileSync(launcher, 'utf8').replace(/^runtime=.*$/m, `runtime='${standIn}'`))
  const run = async (tool: 'claude' | 'copilot', variables: Readonly<Record<string, string>>) => {
    const settings = readFileSync(settingsOf(place, tool), 'utf8')
    const [, command] = /"(?:bash|command)": "([^"]+ hook \w+ (?:agentStop|Stop)[^"]*)"/.exec(settings) ?? []
    const line = ['bash', '--norc', '--noprofile', '-c', command ?? 'false']
    const child = Bun.spawn(line, { cwd: place.root, env: { ...place.variables, ...variables } })
    expect(await child.exited).toBe(0)
    return child.pid
  }
  const fromCopilot = { COPILOT_CLI: '1', COPILOT_PROJECT_DIR: place.root, CLAUDE_PROJECT_DIR: place.root }
  const first = await run('copilot', fromCopilot)
  await run('claude', fromCopilot)
  // Claude Code started from a Copilot shell sees no such project.
  const second = await run('claude', { COPILOT_CLI: '1', CLAUDE_PROJECT_DIR: place.root })
  expect(readFileSync(started, 'utf8')).toBe(`${first} copilot agentStop\n${second} claude Stop\n`)
  rmSync(launcher)
  await run('copilot', fromCopilot)
})

describe('the log token', () => {
  const tokenFile = (place: WorkPlace) => join(place.root, '.git', 'fairgate', 'log-token')

  test('is read from standard input, checked, and readable only by its owner', async () => {
    const place = await workPlace()
    const command = ['init', '--tools', 'codex', '--url', logbook.url, '--token-stdin', '--json']
    const result = await place.recorder(command, `${token}\n`)
    expect(result).toMatchObject({ code: 0, errors: '' })
    expect(json(result.output)).toMatchObject({ logbook: 'accepted', warnings: [] })
    expect(result.output).not.toContain(token)
    expect(statSync(tokenFile(place)).mode & 0o777).toBe(0o600)
    expect(findings(await place.verb(['doctor', '--json']))).toMatchObject({ token: 'ok', logbook: 'ok' })
    const installed = Object.values(readTree(place.root, name => !name.endsWith('log-token')))
    expect(installed.some(({ text }) => text.includes(token))).toBe(false)
    Bun.spawnSync(['chmod', '644', tokenFile(place)])
    expect(findings(await place.verb(['doctor', '--json'])).token).toBe('failed')
  })

  test('that the logbook does not know is refused before anything is written', async () => {
    const place = await workPlace()
    const before = readTree(place.root)
    const command = ['init', '--tools', 'codex', '--url', logbook.url, '--token-stdin']
    const result = await place.verb(command, 'aitc_wrong')
    expect(result).toMatchObject({ code: 1, output: '' })
    expect(result.errors).toContain('does not know this log token')
    expect(result.errors).not.toContain('aitc_wrong')
    expect(readTree(place.root)).toEqual(before)
  })

  test('is stored with a warning when the logbook cannot be reached', async () => {
    const place = await workPlace()
    const command = ['init', '--tools', 'codex', '--url', 'http://127.0.0.1:9', '--token-stdin', '--json']
    const report = json((await place.verb(command, 'aitc_any')).output)
    expect(report).toMatchObject({ logbook: 'unknown' })
    expect(report.warnings[0]).toContain('could not be checked')
    expect(readFileSync(tokenFile(place), 'utf8')).toBe('aitc_any\n')
  })

  test('is asked for on a terminal without echo, and is never in a command line', async () => {
    const place = await workPlace()
    const session = await runOnTerminal(
      place,
      ['init', '--tools', 'codex', '--url', logbook.url],
      [
        ['hidden; leave empty', 'aitc_mistyped\r'],
        ['does not know', ''],
        ['hidden; leave empty', `${token}\r`],
        ['Continue? [Y/n]', '\r'],
      ],
    )
    expect(session.code).toBe(0)
    expect(session.screen).toContain('the log token is accepted')
    expect(session.screen).not.toContain(token)
    expect(session.screen).not.toContain('aitc_mistyped')
    expect(session.commandLines.join('\n')).not.toContain(token)
    expect(readFileSync(tokenFile(place), 'utf8')).toBe(`${token}\n`)
  })

  test('as a flag is refused and not repeated', async () => {
    const place = await workPlace()
    const result = await place.verb(['init', `--token=${token}`])
    expect(result.code).toBe(2)
    expect(result.errors).not.toContain(token)
  })

  test.each(['ftp://host', 'logbook', 'https://user:pass@host', 'https://host/?a=1'])(
    'address %p',
    async url => {
      const place = await workPlace()
      const result = await place.verb(['init', '--tools', 'codex', '--url', url])
      expect(result).toMatchObject({ code: 2, errors: expect.stringContaining('cannot be used') })
    },
  )
})

describe('doctor', () => {
  test('runs every installed hook into a scratch spool and leaves the real one alone', async () => {
    const place = await workPlace()
    // The others' commands run in `download.test.ts` (claude), here above (copilot) and below (cursor).
    const tried = ['codex', 'gemini', 'antigravity'] as const
    const command = ['init', '--tools', tried.join(','), '--url', logbook.url, '--token-stdin']
    await place.verb(command, token)
    const result = await place.recorder(['doctor', '--test', '--json'])
    const states = findings(result)
    expect(result.code).toBe(0)
    for (const tool of tried) {
      // None of them has sent an event yet.
      expect(states[tool]).toBe('warning')
      const trials = Object.keys(states).filter(name => name.startsWith(`${tool} `))
      expect(trials.length).toBeGreaterThan(0)
      for (const name of trials) expect(states[name]).not.toBe('failed')
    }
    expect(place.pending()).toEqual([])
  }, 300_000)

  // Shown to fail on the build before, which said so right after `init` about tools that had never called.
  test('says that nothing prevents recording only after an event was recorded', async () => {
    const place = await workPlace()
    const bare = { ...place.variables, PATH: bareBin(place) }
    const command = ['init', '--tools', 'cursor', '--url', logbook.url, '--token-stdin']
    await place.verb(command, token, bare)
    const early = await place.verb(['doctor'], '', bare)
    expect(early.code).toBe(0)
    expect(early.output).toContain('no event has come yet')
    expect(early.output).toEndWith('\n1 to look at: not everything may be recorded.\n')
    await place.event('cursor', 'stop', readFixture('cursor', 'stop.json', { ...place, now: '' }))
    const proven = await place.verb(['doctor'], '', bare)
    expect(proven.code).toBe(0)
    expect(proven.output).toContain('Nothing prevents recording.')
    await place.git(['config', 'user.email', ''])
    const unnamed = (await place.verb(['doctor'], '', bare)).output
    expect(unnamed).toMatch(/warning +user\.email +git has no user\.email here/)
    expect(unnamed).not.toContain('Nothing prevents recording')
    expect((await place.verb(['status'])).output).toContain('git has no user.email here')
    const report = json((await place.verb(['init', '--json'], '', bare)).output)
    expect(report.steps[0]).toContain('git has no user.email here')
  })

  test('notices what was broken', async () => {
    const place = await workPlace()
    await place.verb(['init', '--tools', 'codex,claude'])
    const launcher = join(place.root, '.git', 'fairgate', 'fairgate-recorder')
    Bun.spawnSync(['chmod', '644', launcher])
    place.write(
      settingsOf(place, 'codex'),
      '{"hooks": {"Stop": [{"hooks": [{"command": "x/fairgate-recorder hook codex Stop"}]}]}}',
    )
    place.write(join(place.root, '.claude', 'settings.json'), '{"disableAllHooks": true}')
    place.write(join(place.root, '.git', 'hooks', 'pre-push'), '#!/bin/sh\n')
    const result = await place.recorder(['doctor', '--test', '--json'])
    expect(result.code).toBe(1)
    expect(findings(result)).toMatchObject({
      program: 'failed',
      'pre-push': 'failed',
      codex: 'failed',
      claude: 'failed',
      'claude Stop': 'failed',
    })
    await place.verb(['init', '--tools', 'codex'])
    expect(findings(await place.verb(['doctor', '--json']))).toMatchObject({
      program: 'ok',
      'pre-push': 'ok',
    })
  })

  test('status says what is hooked and what is not trusted', async () => {
    const place = await workPlace()
    await place.verb(['init', '--tools', 'codex,gemini'])
    const untrusted = (await place.verb(['status'])).output
    expect(untrusted).toMatch(/codex +not trusted/)
    expect(untrusted).toMatch(/gemini +hooked/)
    place.write(
      join(place.home, '.codex', 'config.toml'),
      [
        `[projects."${place.root}"]\ntrust_level = "trusted"\n`,
        ...['user_prompt_submit', 'post_tool_use', 'stop'].map(
          event => `[hooks.state."${settingsOf(place, 'codex')}:${event}:0:0"]\ntrusted_hash = "sha256:0"\n`,
        ),
      ].join('\n'),
    )
    // An earlier trust says nothing about the hook that is there now.
    const changed = (await place.verb(['status'])).output
    expect(changed).toMatch(/codex +not trusted/)
    expect(changed).toContain('changed since they were trusted in Codex')
  })
})
