// `npm run pack`: writes the npm packages `fairgate` (the server) and `fairgate-recorder` into dist/.
//
// `fairgate` has the layout of the repository, so paths between its files stay the same. npm makes no links to workspaces inside a package:
// a tsconfig.json there resolves their names for Bun instead. npm ignores a shrinkwrap file in a tarball that is installed by its path or
// address, so the package depends on every package of package-lock.json by its exact version.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import own from '../package.json' with { type: 'json' }
import lock from '../package-lock.json' with { type: 'json' }
import { buildProgram } from '../packages/recorder/build/build-program.ts'
import { packRecorder } from '../packages/recorder/build/npm-package.ts'

type Workspace = { readonly exports: Readonly<Record<string, string>> }
type Locked = {
  readonly version?: string
  readonly dev?: boolean
  readonly optional?: boolean
  /** Set for our workspaces, which the package contains. */
  readonly link?: boolean
}

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
rmSync(dist, { recursive: true, force: true })
mkdirSync(dist)
const stage = mkdtempSync(join(tmpdir(), 'fairgate-pack-'))
try {
  await packServer()
} finally {
  rmSync(stage, { recursive: true, force: true })
}
writeFileSync(join(dist, `fairgate-recorder-${own.version}.tgz`), packRecorder(await buildProgram()))
for (const name of readdirSync(dist).sort())
  console.log(`dist/${name} (${Math.round(statSync(join(dist, name)).size / 1024)} kB)`)

async function packServer(): Promise<void> {
  const paths: Record<string, string[]> = {}
  // The rehearsal writes a fictional past, so installed servers do not contain it.
  for (const name of readdirSync(join(root, 'packages')).filter(each => each !== 'rehearsal')) {
    const folder = join('packages', name)
    const workspace: Workspace = await Bun.file(join(root, folder, 'package.json')).json()
    for (const [subpath, target] of Object.entries(workspace.exports))
      paths[`@fairgate/${name}${subpath.slice(1)}`] = [`./${folder}${target.slice(1)}`]
    for (const part of ['package.json', 'src', 'build', 'assets']) copy(join(folder, part))
  }
  for (const part of ['config', 'LICENSE', 'README.md']) copy(part)
  for (const script of ['bun', 'fairgate', 'hand-over']) copy(`scripts/${script}.mjs`)
  write('tsconfig.json', { compilerOptions: { jsx: 'react-jsx', paths } })
  const { version, description, license, type, engines, bin } = own
  // `private` prevents publishing it to a registry by mistake.
  const manifest = { name: 'fairgate', version, description, license, private: true, type, engines, bin }
  write('package.json', { ...manifest, dependencies: listDependencies() })
  const packed = Bun.spawnSync(['npm', 'pack', stage, '--pack-destination', dist, '--silent'], {
    stdout: 'ignore',
    stderr: 'inherit',
  })
  if (packed.exitCode !== 0) throw new Error('npm pack failed.')
}

/** Optional packages, such as Bun for other platforms, come with the packages that name them. */
function listDependencies(): Record<string, string> {
  const dependencies: Record<string, string> = {}
  for (const [place, { version, dev, optional, link }] of Object.entries<Locked>(lock.packages)) {
    const [, name] = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(place) ?? []
    if (name !== undefined && version !== undefined && !dev && !optional && !link)
      dependencies[name] = version
  }
  return dependencies
}

function copy(path: string): void {
  if (!existsSync(join(root, path))) return
  const isTest = (file: string) => /[\\/](testing|__fixtures__)$|\.test\.tsx?$/.test(file)
  cpSync(join(root, path), join(stage, path), { recursive: true, filter: file => !isTest(file) })
}

function write(name: string, value: unknown): void {
  writeFileSync(join(stage, name), `${JSON.stringify(value, null, 2)}\n`)
}
