// The shipped unit: systemd's own rating, and the server under its restrictions, as far as possible without systemd as process 1.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const unitFile = `${root}deploy/systemd/fairgate.service`
const unit = readFileSync(unitFile, 'utf8')

function readAll(name: string): string[] {
  return [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(match => match[1] ?? '')
}

function run(command: readonly string[]) {
  const ended = Bun.spawnSync([...command], { stderr: 'pipe' })
  return { code: ended.exitCode, output: `${ended.stdout}${ended.stderr}` }
}

test('systemd accepts the unit and rates its exposure as low', () => {
  expect(run(['systemd-analyze', 'verify', unitFile])).toEqual({ code: 0, output: '' })
  // The scale goes from 0 to 10; the threshold is in tenths.
  expect(
    run(['systemd-analyze', 'security', '--offline=yes', '--no-pager', '--threshold=20', unitFile]).code,
  ).toBe(0)
})

/** A user without a name: only its rights matter. */
const user = '61234'

/**
 * ProtectSystem, ProtectHome, PrivateTmp, StateDirectory, User, NoNewPrivileges, CapabilityBoundingSet, UMask: as the unit has
 * them, on its own mounts. The system call filter is compared with the calls that were made.
 */
const confined = `
mount -t tmpfs tmpfs /opt
mkdir /opt/fairgate
mount --bind "$ROOT" /opt/fairgate
mount -t tmpfs tmpfs /var/lib
install -d -m 0700 -o ${user} -g ${user} /var/lib/fairgate
mount -t tmpfs tmpfs /tmp
mount -t tmpfs tmpfs /home
mount -t tmpfs tmpfs /root
for place in / /opt/fairgate /etc /home /root; do mount -o remount,bind,ro "$place"; done
cd /opt/fairgate
umask 0077
exec strace -f -qq -e signal=none -o /run/calls.txt setpriv --reuid ${user} --regid ${user} --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs \\
  env -i ${readAll('Environment').join(' ')} PATH=/usr/bin:/bin ${readAll('ExecStart')[0]}
`

/** Names of the calls in a systemd set, including nested sets. */
function callsOf(set: string): Set<string> {
  const lines = run(['systemd-analyze', 'syscall-filter', set])
    .output.split('\n')
    .map(line => line.trim())
  const names = lines.slice(1).filter(line => line !== '' && !line.startsWith('#'))
  return new Set(names.flatMap(name => (name.startsWith('@') ? [...callsOf(name)] : [name])))
}

test('under the unit the server starts, answers, is replaced and stops with the system calls it allows', async () => {
  const child = Bun.spawn(['unshare', '--mount', 'sh', '-euc', confined], {
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ROOT: root },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let output = ''
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    for await (const bytes of stream) output += new TextDecoder().decode(bytes)
  }
  void collect(child.stdout)
  void collect(child.stderr)
  const started = async (times: number) => {
    while (output.split('Fairgate is ready.').length <= times) {
      if (child.exitCode !== null) throw new Error(output)
      await Bun.sleep(20)
    }
  }
  // The launcher: the unit's main process.
  const findLauncher = () => Number(run(['pgrep', '-u', user, '-o', '-x', 'node']).output)
  try {
    await started(1)
    while (!/gateway key {2}sk-\S+/.test(output)) await Bun.sleep(10)
    const key = /gateway key {2}(sk-\S+)/.exec(output)?.[1]
    const chat = () =>
      fetch('http://127.0.0.1:4000/v1/chat/completions', {
        method: 'POST',
        keepalive: false,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'mm-2.5-flash', messages: [{ role: 'user', content: 'Hello.' }] }),
      })
    expect((await chat()).status).toBe(200)
    const recorder = await fetch('http://127.0.0.1:4001/recorder/fairgate-recorder.mjs')
    expect(recorder.status).toBeLessThan(500)
    expect(readAll('ExecReload')[0]).toBe('/bin/kill -USR2 $MAINPID')
    process.kill(findLauncher(), 'SIGUSR2')
    await started(2)
    expect((await chat()).status).toBe(200)
    expect(readAll('KillMode')[0]).toBe('mixed')
    process.kill(findLauncher(), 'SIGTERM')
    expect(await child.exited).toBe(0)
  } finally {
    child.kill('SIGKILL')
  }
  const trace = readFileSync('/run/calls.txt', 'utf8')
  const own = trace.slice(trace.indexOf('execve("/usr/bin/node"'))
  const made = new Set([...own.matchAll(/^\d+ +(\w+)\(/gm)].map(match => match[1] ?? ''))
  expect(made.size).toBeGreaterThan(30)
  const [granted = '', denied = ''] = readAll('SystemCallFilter')
  const allowed = new Set(granted.split(' ').flatMap(set => [...callsOf(set)]))
  for (const name of callsOf(denied.replace('~', ''))) allowed.delete(name)
  expect([...made].filter(name => !allowed.has(name))).toEqual([])
  const families = new Set([...own.matchAll(/socket\((AF_\w+)/g)].map(match => match[1]))
  const permitted = readAll('RestrictAddressFamilies')[0]?.split(' ') ?? []
  expect([...families].filter(family => !permitted.includes(family ?? ''))).toEqual([])
})
