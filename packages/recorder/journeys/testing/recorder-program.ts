// The recorder as participants have it: the bundled file, run by Node.
import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { bundleRecorder } from '../../build/build-program.ts'

const folder = join(import.meta.dir, '..', '..', 'dist', 'tested')

/** Each test process builds it and puts it in place in one step, because the processes run side by side. */
export const recorderFile = join(folder, 'fairgate-recorder.cjs')
const ownFolder = join(folder, String(process.pid))
renameSync(await bundleRecorder(ownFolder), recorderFile)
rmSync(ownFolder, { recursive: true })

export type ProgramResult = { readonly code: number; readonly output: string; readonly errors: string }

export type ProgramOptions = {
  readonly folder: string
  readonly variables: Readonly<Record<string, string>>
  readonly input?: string
  /** Default: `node`. */
  readonly runtime?: string
}

export async function runRecorder(
  commandArguments: readonly string[],
  options: ProgramOptions,
): Promise<ProgramResult> {
  return await runProgram([options.runtime ?? 'node', recorderFile, ...commandArguments], options)
}

export async function runProgram(
  command: readonly string[],
  { folder, variables, input = '' }: ProgramOptions,
): Promise<ProgramResult> {
  const child = Bun.spawn([...command], {
    cwd: folder,
    env: { ...variables },
    stdin: new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [code, output, errors] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  return { code, output, errors }
}
