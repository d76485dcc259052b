// `npm run lock`: updates the lock file and adds the optional packages for other platforms that npm omitted.
//
// npm omits packages that it could not see when it wrote the lock. `npm ci` then refuses the file everywhere.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

type Locked = {
  version?: string
  dev?: boolean
  optional?: boolean
  os?: string[]
  cpu?: string[]
  libc?: string[]
  optionalDependencies?: Record<string, string>
}

const path = fileURLToPath(new URL('../package-lock.json', import.meta.url))
const root = fileURLToPath(new URL('..', import.meta.url))

const update = Bun.spawnSync(['npm', 'install', '--package-lock-only', '--no-audit', '--no-fund'], {
  cwd: root,
  stdout: 'inherit',
  stderr: 'inherit',
})
if (update.exitCode !== 0) process.exit(update.exitCode)

const lock = JSON.parse(readFileSync(path, 'utf8')) as { packages: Record<string, Locked> }
let added = 0
for (const parent of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    const place = `node_modules/${name}`
    if (lock.packages[place] !== undefined || !/^\d/.test(version)) continue
    lock.packages[place] = {
      version,
      ...platformOf(name),
      ...(parent.dev === true ? { dev: true } : {}),
      optional: true,
    }
    added += 1
  }
}
const sorted = Object.entries(lock.packages).sort(([left], [right]) => (left < right ? -1 : 1))
writeFileSync(path, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`)
console.log(`package-lock.json: ${sorted.length} packages, ${added} added for other platforms`)

/** Names of such packages end with the platform, the processor and sometimes the C library. */
function platformOf(name: string): Pick<Locked, 'os' | 'cpu' | 'libc'> {
  const [, os = '', cpu = ''] =
    /(android|darwin|freebsd|linux|openharmony|win32)-(arm64|arm|x64|ia32|ppc64|riscv64|s390x)/.exec(name) ??
    []
  return { ...(cpu === '' ? {} : { cpu: [cpu] }), ...(os === '' ? {} : { os: [os] }) }
}
