// The commands that hooks are given, for every shell and for paths that need care.
import { expect, test } from 'bun:test'
import { buildHookCommand } from './hook-command.ts'
import { writeLauncher, writeWindowsLauncher } from './launcher.ts'

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

test('a start script ends quietly where Node or the recorder is gone', async () => {
  for (const place of [
    { runtime: '/gone/node', file: '/gone/recorder.cjs' },
    { runtime: '/gone/recorder', file: null },
  ]) {
    const child = Bun.spawn(['/bin/sh', '-c', writeLauncher(place, '/gone')], {
      env: { PATH: '/gone' },
      stderr: 'pipe',
    })
    expect([await child.exited, await new Response(child.stderr).text()]).toEqual([0, ''])
  }
})

test('the start script of Windows has its line ends, and no percent sign is taken for a variable', () => {
  const text = writeWindowsLauncher({ runtime: 'C:\\node.exe', file: 'C:\\100%\\r.cjs' })
  expect(text.split('\r\n').join('')).not.toContain('\n')
  expect(text).toContain('"C:\\100%%\\r.cjs" %*')
})
