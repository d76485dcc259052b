// Installs peers from package registries, each into its own folder. A folder with the pinned version is reused.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { killTree } from '../lib/process-times.ts'
import { onStop } from './stops.ts'

const maxInstallSeconds = 1800

/** Throws an Error with the last meaningful line of the command's output. */
export async function runCommand(
  command: readonly string[],
  folder: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<string> {
  const child = Bun.spawn([...command], {
    cwd: folder,
    env: { ...process.env, ...variables },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: maxInstallSeconds * 1000,
  })
  const release = onStop(() => killTree(child.pid))
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  const code = await child.exited
  release()
  if (code !== 0) throw new Error(findReason(`${out}\n${err}`) ?? `${command[0]} ended with ${code}`)
  return out
}

/** The first line of a program's output that looks like its error, else the last line. */
export function findReason(output: string): string | undefined {
  const lines = output
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
  return (lines.find(line => /^(error|npm error|go:|\w*Error\b)/i.test(line)) ?? lines.at(-1))?.slice(0, 200)
}

/** Runs `make` in an empty folder, unless an earlier run made exactly `wanted` there. */
export async function installOnce(
  folder: string,
  wanted: string,
  make: () => Promise<unknown>,
): Promise<void> {
  const stamp = join(folder, 'installed')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  console.log(`installing ${wanted}`)
  await make()
  writeFileSync(stamp, wanted)
}

/** A virtual environment with these requirements. Its programs are in `bin/`. */
export const installPython = (folder: string, requirements: readonly string[]) =>
  installOnce(folder, requirements.join(' '), async () => {
    await runCommand(['python3', '-m', 'venv', folder], folder)
    const pip = ['bin/python', '-m', 'pip', 'install', '--quiet', '--no-input', '--disable-pip-version-check']
    await runCommand([...pip, ...requirements], folder)
  })

/** A `node_modules` with this package. Install scripts do not run. */
export const installNode = (folder: string, name: string) =>
  installOnce(folder, name, async () => {
    writeFileSync(join(folder, 'package.json'), '{ "private": true }')
    await runCommand(['npm', 'install', '--no-audit', '--no-fund', '--ignore-scripts', name], folder)
  })

/** The crate's program in `bin/`, built as its own lock file says. */
export const installCrate = (folder: string, name: string) =>
  installOnce(folder, name, () =>
    runCommand(['cargo', 'install', '--quiet', '--locked', '--root', folder, name], folder),
  )

/** Throws an Error that says how to install a Debian program. */
export function requireDebian(program: string, name: string): void {
  if (Bun.which(program) === null)
    throw new Error(`${program} is missing. On Debian: apt-get install ${name}`)
}
