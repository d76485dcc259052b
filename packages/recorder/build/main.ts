// `npm run build:recorder`: builds the recorder in packages/recorder/dist/. `-- --executables` adds a stand-alone program for this platform.
// `-- --executables=all` adds one for every platform in the list and downloads Bun's runtimes.
import { statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { bundleRecorder } from './build-program.ts'
import { buildExecutable, findOwnTarget, targets } from './executables.ts'

const folder = fileURLToPath(new URL('../dist', import.meta.url))
const show = (path: string) => console.log(`${path} (${Math.round(statSync(path).size / 1024)} kB)`)

show(await bundleRecorder(folder))
const asked = process.argv.find(argument => argument.startsWith('--executables'))
if (asked !== undefined) {
  const own = findOwnTarget(process.platform, process.arch)
  const wanted = asked === '--executables=all' ? targets : targets.filter(target => target === own)
  if (wanted.length === 0)
    console.error(`There is no stand-alone program for ${process.platform}-${process.arch}.`)
  for (const target of wanted) show(await buildExecutable(target, folder))
}
