// `npm run test:deploy`: uses the files of deploy/ unchanged and on their own ports, with a separate network, /etc and /run.
//
// It needs root, Linux and these Debian packages: nginx-light libnginx-mod-http-lua caddy systemd strace debootstrap iproute2 openssl.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildImage } from '../packages/server/journeys/deploy/testing/build-image.ts'

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

/** These mounts end with the last process of the namespace. */
const surroundings = `
ip link set lo up
sysctl -qp deploy/sysctl.d/60-fairgate.conf
mount -t tmpfs tmpfs "$SCRATCH"
mkdir "$SCRATCH/etc" "$SCRATCH/work"
mount -t overlay overlay -o "lowerdir=/etc,upperdir=$SCRATCH/etc,workdir=$SCRATCH/work" /etc
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /var/log
mkdir /var/log/nginx
echo "127.0.0.1 gateway.example.org logbook.example.org judging.example.org" >>/etc/hosts
exec "$@"
`
const scratch = mkdtempSync(join(tmpdir(), 'fairgate-deploy-'))
mkdirSync(join(scratch, 'mounts'))

/** Prints the line of totals that .ci/run adds up. It must be the last line. */
async function runTests(command: readonly string[]): Promise<number> {
  const child = Bun.spawn([...command], {
    cwd: root,
    env: {
      ...process.env,
      SCRATCH: join(scratch, 'mounts'),
      TEST_IMAGE: imageFile,
      BUN_CONFIG_MAX_HTTP_REQUESTS: '65535',
    },
    stdout: 'inherit',
    stderr: 'pipe',
  })
  let reported = ''
  for await (const bytes of child.stderr) {
    process.stderr.write(bytes)
    reported = (reported + new TextDecoder().decode(bytes)).slice(-4000)
  }
  const code = await child.exited
  const count = (word: string) => Number(new RegExp(`^\\s*(\\d+) ${word}$`, 'm').exec(reported)?.[1] ?? 0)
  const failed = Math.max(count('fail'), code === 0 ? 0 : 1)
  console.log(`${count('pass')} passed, ${failed} failed, ${count('skip')} skipped`)
  return failed
}

const test = (suite: readonly string[]) => [process.execPath, 'test', '--timeout=300000', ...suite]
const asked = process.argv.slice(2)
const files = asked.length > 0 ? asked : [suites]
const imageFile = join(scratch, 'image.json')
const namespaced = ['unshare', '--mount', '--net', 'sh', '-euc', surroundings, 'sh']
let failed = 1
try {
  if (files.some(file => file === suites || file.includes('image'))) {
    // These steps fetch packages, so they keep the network.
    const image = buildImage(root, 'deploy/Dockerfile', join(scratch, 'image'))
    writeFileSync(imageFile, JSON.stringify(image))
  }
  failed = await runTests([...namespaced, ...test(files)])
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
process.exit(failed > 0 ? 1 : 0)
