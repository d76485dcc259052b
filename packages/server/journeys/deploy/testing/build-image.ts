// Carries out a Dockerfile without a container engine: in a folder with Debian's base packages and the Node of this machine, by chroot.
import { cpSync, mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseDockerfile, type Step } from './parse-dockerfile.ts'
import { isIgnored } from './read-ignore-file.ts'

export type Image = {
  readonly root: string
  readonly workingFolder: string
  readonly environment: Readonly<Record<string, string>>
  readonly user: string
  readonly healthCheck: readonly string[]
  readonly command: readonly string[]
}

/** `project`: the context of the build. Throws with the output of a failing step, and for an unknown instruction. */
export function buildImage(project: string, dockerfile: string, root: string): Image {
  makeBase(root)
  let image: Image = { root, workingFolder: '/', environment: {}, user: 'root', healthCheck: [], command: [] }
  let entrypoint: readonly string[] = []
  for (const step of parseDockerfile(readFileSync(join(project, dockerfile), 'utf8'))) {
    if (step.name === 'ENTRYPOINT') entrypoint = JSON.parse(step.rest)
    else image = carryOut(step, image, { project, ignoreFile: `${dockerfile}.dockerignore` })
  }
  return { ...image, command: [...entrypoint, ...image.command] }
}

function carryOut(
  { name, rest }: Step,
  image: Image,
  context: { readonly project: string; readonly ignoreFile: string },
): Image {
  switch (name) {
    case 'FROM':
      if (!/^node:\d+-bookworm-slim$/.test(rest)) throw new Error(`The base ${rest} cannot be imitated here.`)
      return image
    case 'WORKDIR':
      mkdirSync(join(image.root, rest), { recursive: true })
      return { ...image, workingFolder: rest }
    case 'COPY':
      if (rest !== '. .') throw new Error(`COPY ${rest} is not known here.`)
      copyContext(context.project, context.ignoreFile, join(image.root, image.workingFolder))
      return image
    case 'RUN':
      runIn(image, rest)
      return image
    case 'ENV': {
      const [variable = '', ...value] = rest.split('=')
      return { ...image, environment: { ...image.environment, [variable]: value.join('=') } }
    }
    case 'USER':
      return { ...image, user: rest }
    case 'HEALTHCHECK':
      return { ...image, healthCheck: JSON.parse(rest.slice(rest.indexOf('CMD ') + 4)) }
    case 'CMD':
      return { ...image, command: JSON.parse(rest) }
    case 'VOLUME':
    case 'EXPOSE':
    case 'STOPSIGNAL':
      return image
    default:
      throw new Error(`The instruction ${name} is not known here.`)
  }
}

/** Contents of node:…-bookworm-slim, as far as the steps use them. */
function makeBase(root: string): void {
  run(['debootstrap', '--variant=minbase', '--include=ca-certificates', 'bookworm', root])
  cpSync(realpathSync(Bun.which('node') ?? ''), join(root, 'usr/bin/node'))
  const npm = dirname(dirname(realpathSync(Bun.which('npm') ?? '')))
  cpSync(npm, join(root, 'usr/lib/node_modules/npm'), { recursive: true })
  run(['ln', '-s', '../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/bin/npm')])
  // The network settings and trusted certificates of this machine.
  for (const file of ['/etc/resolv.conf', '/etc/ssl/certs/ca-certificates.crt'])
    run(['cp', '--dereference', file, join(root, file)])
}

function copyContext(project: string, ignoreFile: string, target: string): void {
  const ignore = readFileSync(join(project, ignoreFile), 'utf8')
  const listed = Bun.spawnSync(['git', 'ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: project,
  })
  for (const file of String(listed.stdout).trim().split('\n')) {
    if (isIgnored(ignore, file) || !statSync(join(project, file), { throwIfNoEntry: false })) continue
    cpSync(join(project, file), join(target, file))
  }
}

function runIn({ root, workingFolder, environment }: Image, command: string): void {
  run(['chroot', root, '/bin/sh', '-euc', `cd ${workingFolder}; ${command}`], {
    ...environment,
    NODE_EXTRA_CA_CERTS: '/etc/ssl/certs/ca-certificates.crt',
  })
}

function run(command: readonly string[], variables: Readonly<Record<string, string>> = {}): void {
  const ended = Bun.spawnSync([...command], {
    env: {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: '/root',
      ...variables,
    },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  if (!ended.success) throw new Error(`${command.join(' ')} failed:\n${ended.stdout}${ended.stderr}`)
}
