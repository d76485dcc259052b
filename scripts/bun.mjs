// Starts Bun from the project's own dependencies, even if npm did not run install scripts.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)

/** True on Linux distributions with the C library musl (Alpine), which need a different binary. */
function usesMusl() {
  return process.platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime
}

/** False on x64 processors without AVX2, for which Bun ships a slower "baseline" binary. */
function hasAvx2() {
  if (process.platform !== 'linux') return true
  try {
    return readFileSync('/proc/cpuinfo', 'utf8').includes('avx2')
  } catch {
    return true
  }
}

/** The npm packages that may contain the binary for this machine, best first. */
function candidatePackages() {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const architecture = process.arch === 'arm64' ? 'aarch64' : process.arch
  const base = `@oven/bun-${platform}-${architecture}${usesMusl() ? '-musl' : ''}`
  return hasAvx2() ? [base, `${base}-baseline`] : [`${base}-baseline`, base]
}

/** The path of the Bun binary that `npm ci` installed. Ends the process with a clear message if there is none. */
export function findBun() {
  const file = process.platform === 'win32' ? 'bun.exe' : 'bun'
  for (const name of candidatePackages()) {
    try {
      const path = join(dirname(require.resolve(`${name}/package.json`)), 'bin', file)
      if (existsSync(path)) return path
    } catch {
      // Not installed for this platform: try the next name.
    }
  }
  // If install scripts may run, the `bun` package moves the binary into itself. Otherwise it has only a small placeholder.
  try {
    const moved = join(dirname(require.resolve('bun/package.json')), 'bin', 'bun.exe')
    if (statSync(moved).size > 1_000_000) return moved
  } catch {
    // It is not there either.
  }
  console.error(
    `fairgate: no Bun binary for ${process.platform}-${process.arch} in node_modules.\n` +
      'Run "npm ci" without --omit=optional; Bun arrives as an optional npm dependency.',
  )
  process.exit(1)
}

/** `BUN_CONFIG_MAX_HTTP_REQUESTS` must be set before Bun starts, or its `fetch` runs only 256 requests at once. */
export function bunEnvironment() {
  return { BUN_CONFIG_MAX_HTTP_REQUESTS: '65535', ...process.env }
}

/** Runs Bun with these arguments, forwards signals, and exits with its exit code. */
export function runBun(args) {
  const child = spawn(findBun(), args, {
    stdio: 'inherit',
    env: bunEnvironment(),
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code))
}

if (process.argv[1] && import.meta.url.endsWith('/scripts/bun.mjs') && process.argv[1].endsWith('bun.mjs')) {
  runBun(process.argv.slice(2))
}
