// Writes the bundled recorder into a folder.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildProgram } from './build-program.ts'

/** Returns the path of `fairgate-recorder.cjs`, which can be run as it is. */
export async function bundleRecorder(folder: string): Promise<string> {
  const path = join(folder, 'fairgate-recorder.cjs')
  mkdirSync(folder, { recursive: true })
  writeFileSync(path, await buildProgram())
  chmodSync(path, 0o755)
  return path
}
