// Installs the clients that are not installed as their lock files say. Each group has its own folder, outside the product.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Thrown when the machine lacks something that an installation needs. The message says what to do. */
export class MissingTool extends Error {}

export type Prepare = {
  /** Runs a command for at most `seconds`. Throws an Error with its output unless it succeeds. */
  readonly run: (command: readonly string[], seconds: number) => Promise<void>
  readonly log: (line: string) => void
}

const installSeconds = 600

/** A virtual environment with exactly the packages of `lockFile`. Returns the path of its Python. Throws MissingTool. */
export async function preparePython(
  { run, log }: Prepare,
  folder: string,
  lockFile: string,
): Promise<string> {
  const python = join(folder, 'bin', 'python')
  const stamp = join(folder, 'installed')
  if (isCurrent(stamp, lockFile) && existsSync(python)) return python
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(dirname(folder), { recursive: true })
  log(`Installing ${lockFile} into ${folder}`)
  try {
    await run(['python3', '-m', 'venv', folder], 60)
  } catch (cause) {
    const message =
      'The Python clients need Python 3.11 or newer with venv. Debian: apt-get install python3-venv'
    throw new MissingTool(message, { cause })
  }
  // Every package is in the lock file, so pip has nothing to choose.
  const pip = [
    python,
    '-m',
    'pip',
    'install',
    '--quiet',
    '--no-input',
    '--no-compile',
    '--disable-pip-version-check',
  ]
  await run([...pip, '--no-deps', '--only-binary=:all:', '-r', lockFile], installSeconds)
  await run([python, '-m', 'pip', '--disable-pip-version-check', 'check'], 60)
  markCurrent(stamp, lockFile)
  return python
}

/** Installs what the lock file of `project` says into `folder`, in which programs then find it. */
export async function prepareNode({ run, log }: Prepare, project: string, folder: string): Promise<void> {
  const lockFile = join(project, 'package-lock.json')
  const stamp = join(folder, 'node_modules', '.installed')
  if (isCurrent(stamp, lockFile)) return
  log(`Installing ${lockFile} into ${folder}`)
  mkdirSync(folder, { recursive: true })
  for (const name of ['package.json', 'package-lock.json'])
    copyFileSync(join(project, name), join(folder, name))
  await run(['npm', 'ci', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts'], installSeconds)
  markCurrent(stamp, lockFile)
}

/** The path of a Node of this major version. Throws MissingTool. */
export async function prepareNodeVersion(
  prepare: Prepare,
  project: string,
  folder: string,
  major: number,
): Promise<string> {
  await prepareNode(prepare, project, folder)
  const name = `node-${process.platform}-${process.arch}-${major}`
  const program = join(folder, 'node_modules', name, 'bin', 'node')
  if (!existsSync(program))
    throw new MissingTool(`${project} has no Node ${major} for this machine: ${name}.`)
  return program
}

/** Builds the program of a Go module, whose go.sum pins what it needs. Returns the path of the program. Throws MissingTool. */
export async function prepareGo({ run, log }: Prepare, folder: string, program: string): Promise<string> {
  try {
    await run(['go', 'version'], 60)
  } catch (cause) {
    throw new MissingTool('The Go clients need Go 1.26 or newer.', { cause })
  }
  log(`Building ${folder}`)
  await run(['go', 'build', '-C', folder, '-mod=readonly', '-o', program, '.'], installSeconds)
  return program
}

/** Fetches the libraries of a Maven project into `libraries`. Throws MissingTool. */
export async function prepareJava({ run, log }: Prepare, folder: string, libraries: string): Promise<void> {
  const project = join(folder, 'pom.xml')
  const stamp = join(libraries, 'installed')
  if (isCurrent(stamp, project)) return
  try {
    await run(['mvn', '--version'], 60)
  } catch (cause) {
    throw new MissingTool('Spring AI needs Java 17 or newer, and Maven. Debian: apt-get install maven', {
      cause,
    })
  }
  rmSync(libraries, { recursive: true, force: true })
  log(`Installing ${project} into ${libraries}`)
  const copy = ['dependency:copy-dependencies', `-DoutputDirectory=${libraries}`]
  await run(['mvn', '--quiet', '--batch-mode', '--file', project, ...copy], installSeconds)
  markCurrent(stamp, project)
}

function isCurrent(stamp: string, lockFile: string): boolean {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === digest(lockFile)
}

function markCurrent(stamp: string, lockFile: string): void {
  writeFileSync(stamp, digest(lockFile))
}

function digest(file: string): string {
  return new Bun.CryptoHasher('sha256').update(readFileSync(file)).digest('hex')
}
