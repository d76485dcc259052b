// `npm run build:recorder`: puts the recorder into packages/recorder/dist/.
import { chmodSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { bundleRecorder } from './bundle.ts'

const path = await bundleRecorder(fileURLToPath(new URL('../dist', import.meta.url)))
chmodSync(path, 0o755)
console.log(`${path} (${Math.round(statSync(path).size / 1024)} kB)`)
