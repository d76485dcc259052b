// The commands in hooks, for every shell and for paths that need care.
import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readSkips } from '../../spool/append-log.ts'
import { createFiles } from '../../spool/files.ts'
import { layOut } from '../../spool/layout.ts'
import { buildHookCommand } from './hook-command.ts'
import { launcherPath, writeLauncher, writeWindowsLauncher } from './launcher.ts'

const lines: readonly (readonly [string, string, string, string])[] = [
  [
    'linux',
    'claude',
    '/w/.git/fairgate/fairgate-recorder',
    '/w/.git/fairgate/fairgate-recorder hook claude Stop',
  ],
  ['linux', 'claude', "/a b/it's/fairgate-recorder", "'/a b/it'\\''s/fairgate-recorder' hook claude Stop"],
  ['win32', 'claude', 'C:\\w\\fairgate-recorder', 'C:/w/fairgate-recorder.cmd hook claude Stop'],
  ['win32', 'claude', 'C:\\a b\\fairgate-recorder', '"C:/a b/fairgate-recorder.cmd" hook claude Stop'],
  ['win32', 'gemini', 'C:\\a b\\fairgate-recorder', "& 'C:/a b/fairgate-recorder.cmd' hook gemini Stop"],
]
test.each([...lines])('%s, %s, %s', (platform, tool, launcher, line) => {
  expect(buildHookCommand(tool, 'Stop', { launcher, platform, isShared: false }).line).toBe(line)
})

test('a start script without Node or the recorder ends with 0: a hook is noted, a push says one line', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fairgate-recorder-'))
  try {
    const launcher = launcherPath(folder)
    for (const place of [
      { runtime: '/gone/node', file: '/gone/recorder.cjs' },
      { runtime: '/gone/recorder', file: null },
    ]) {
      writeFileSync(launcher, writeLauncher(place, '/gone'))
      for (const [call, said] of [
        [['hook', 'codex', 'Stop'], ''],
        [['push'], expect.stringMatching(/^fairgate-recorder: its program was moved or removed.*\n$/)],
      ] as const) {
        const child = Bun.spawn(['/bin/sh', launcher, ...call], {
          env: { PATH: '/usr/bin:/bin' },
          stdout: 'pipe',
          stderr: 'pipe',
        })
        const texts = [new Response(child.stdout).text(), new Response(child.stderr).text()]
        expect([await child.exited, ...(await Promise.all(texts))]).toEqual([0, '', said])
      }
    }
    expect(readSkips({ files: createFiles(), layout: layOut(folder) })).toMatchObject([
      { tool: 'codex', count: 2, reason: 'the program is gone' },
    ])
    expect(statSync(join(folder, 'skipped.log')).mode & 0o777).toBe(0o600)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('the start script of Windows has its line ends, and no percent sign is taken for a variable', () => {
  const text = writeWindowsLauncher({ runtime: 'C:\\node.exe', file: 'C:\\100%\\r.cjs' })
  expect(text.split('\r\n').join('')).not.toContain('\n')
  expect(text).toContain('"C:\\100%%\\r.cjs" %*')
})
