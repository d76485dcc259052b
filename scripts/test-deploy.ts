// `npm run test:deploy`: the files of deploy/ at work, on a network, an /etc and a /run of their own, so that they are used as they are, on their own ports.
//
// Needs root, Linux, and of Debian: nginx-light libnginx-mod-http-lua caddy systemd strace debootstrap iproute2 openssl.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const suites = 'packages/server/journeys/deploy'

const needed = [
  'unshare',
  'ip',
  'sysctl',
  'nginx',
  'caddy',
  'openssl',
  'systemd-analyze',
  'strace',
  'debootstrap',
]
const missing = needed.filter(
  name => Bun.which(name, { PATH: `${process.env.PATH}:/usr/sbin:/sbin` }) === null,
)
if (process.platform !== 'linux' || process.getuid?.() !== 0 || missing.length > 0) {
  console.error(`test:deploy needs root on Linux${missing.length > 0 ? `, and ${missing.join(', ')}` : ''}.`)
  console.error(
    'apt-get install nginx-light libnginx-mod-http-lua caddy systemd strace debootstrap iproute2 openssl',
  )
  process.exit(2)
}

/** What is mounted here ends with the last process of the namespace. */
const surroundings = `
ip link set lo up
sysctl -qp deploy/sysctl.d/60-fairgate.conf
mount -t tmpfs tmpfs "$SCRATCH"
mkdir "$SCRATCH/etc" "$SCRATCH/work"
mount -t overlay overlay -o "lowerdir=/etc,upperdir=$SCRATCH/etc,workdir=$SCRATCH/work" /etc
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /var/log
mkdir /var/log/nginx
echo "127.0.0.1 gateway.example.org logbook.example.org" >>/etc/hosts
exec "$@"
`
const scratch = mkdtempSync(join(tmpdir(), 'fairgate-deploy-'))

async function runTests(command: readonly string[]): Promise<number> {
  const child = Bun.spawn([...command], {
    cwd: root,
    env: { ...process.env, SCRATCH: scratch, BUN_CONFIG_MAX_HTTP_REQUESTS: '65535' },
    stdout: 'inherit',
    stderr: 'inherit',
  })
  return await child.exited
}

const test = (files: readonly string[]) => [process.execPath, 'test', '--timeout=300000', ...files]
const asked = process.argv.slice(2)
const namespaced = ['unshare', '--mount', '--net', 'sh', '-euc', surroundings, 'sh']
// The image's steps fetch packages, so they keep the network.
const runs: readonly (readonly string[])[] = [
  [...namespaced, ...test(asked.length > 0 ? asked : [`${suites}/behind-proxy`, `${suites}/systemd`])],
  ...(asked.length > 0 ? [] : [test([`${suites}/image`])]),
]
let status = 0
for (const command of runs) status = (await runTests(command)) || status
rmSync(scratch, { recursive: true, force: true })
process.exit(status)
