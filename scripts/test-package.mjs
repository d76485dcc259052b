// `npm run test:package`: packs the server and the recorder, installs each in an empty folder as a new user would, and uses them there.
// Plain JavaScript, because such a machine has only Node and npm. The npm registry must be reachable.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { callModel, get, loadPage, startServer } from './testing/start-and-call.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = path => JSON.parse(readFileSync(path, 'utf8'))
const { version } = read(join(root, 'package.json'))
const scratch = mkdtempSync(join(tmpdir(), 'fairgate-package-'))
const recorderTarball = join(root, 'dist', `fairgate-recorder-${version}.tgz`)
let passed = 0
let failed = 0
let server = null

async function check(name, run) {
  try {
    await run()
    passed += 1
    console.log(`ok      ${name}`)
  } catch (error) {
    failed += 1
    console.log(`FAILED  ${name}\n${error.stack}`)
  }
}

function run(cwd, program, ...args) {
  return execFileSync(program, args, { cwd, encoding: 'utf8' })
}

function install(name, tarball) {
  const folder = join(scratch, name)
  mkdirSync(folder)
  run(folder, 'npm', 'init', '--yes')
  run(folder, 'npm', 'install', '--no-audit', '--no-fund', tarball)
  return folder
}

const serverFolder = join(scratch, 'server')
await check('npm run pack', () => run(root, 'npm', 'run', 'pack'))
await check('the server installs in an empty folder', () =>
  install('server', join(root, 'dist', `fairgate-${version}.tgz`)),
)
await check('every dependency has the version of package-lock.json', () => {
  const installed = Object.entries(read(join(serverFolder, 'package-lock.json')).packages)
  const { packages } = read(join(root, 'package-lock.json'))
  const dependencies = installed.filter(([place]) => place !== '' && place !== 'node_modules/fairgate')
  assert.ok(dependencies.length > 50)
  for (const [place, found] of dependencies) assert.equal(found.version, packages[place]?.version, place)
})
await check('it contains no code that writes past events', () =>
  assert.ok(!existsSync(join(serverFolder, 'node_modules', 'fairgate', 'packages', 'rehearsal'))),
)
await check('npx fairgate --version', () =>
  assert.equal(run(serverFolder, 'npx', 'fairgate', '--version').trim(), version),
)
await check('npx fairgate serve becomes ready', async () => {
  server = await startServer(['npx', 'fairgate', 'serve'], serverFolder)
})
if (server !== null) {
  const { gateway, logbook, admin } = server
  await check('a chat call with the demo key has a cost', () => callModel(server))
  await check('/docs of each door', async () => {
    for (const door of [gateway, logbook, admin]) assert.match(await get(`${door}/docs`), /<h1/)
  })
  await check('the console, the team page, and what they load', async () => {
    await loadPage(`${admin}/console`)
    await loadPage(`${gateway}/`)
  })
  await check("the logbook's recorder is the released one", async () => {
    const served = await fetch(`${logbook}/recorder/fairgate-recorder.tgz`)
    assert.ok(Buffer.from(await served.arrayBuffer()).equals(readFileSync(recorderTarball)))
  })
  await check('the server stops with npx', async () => {
    await server.stop()
    for (
      let tries = 0;
      await fetch(gateway).then(
        () => true,
        () => false,
      );
      tries += 1
    ) {
      assert.ok(tries < 100, 'The server still answers 10 s later.')
      await setTimeout(100)
    }
  })
}
await check('npx fairgate-recorder --version and --help', () => {
  const folder = install('recorder', recorderTarball)
  assert.match(run(folder, 'npx', 'fairgate-recorder', '--version'), new RegExp(version))
  assert.match(run(folder, 'npx', 'fairgate-recorder', '--help'), /init/)
})

rmSync(scratch, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 })
console.log(`${passed} passed, ${failed} failed, 0 skipped`)
process.exit(failed > 0 ? 1 : 0)
