// Runs the build of the stand-alone recorders in a process of its own, so that nobody who is served waits for it.
import { programsScript } from '@fairgate/recorder/build-program.ts'

/** It takes seconds; ten minutes on a machine that is busy with something else. */
const longestMs = 600_000

/** Builds into a folder; answers what was built as JSON text. Throws what the build says when it fails. */
export async function buildRecorderPrograms(folder: string): Promise<string> {
  const child = Bun.spawn([process.execPath, programsScript, folder], {
    // It ends when this pipe does, also where this process is killed.
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: longestMs,
  })
  const [code, output, errors] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  if (code !== 0 || output === '[]')
    throw new Error(`No stand-alone recorder could be built: ${errors.trim() || `exit code ${code}`}`)
  return output
}
