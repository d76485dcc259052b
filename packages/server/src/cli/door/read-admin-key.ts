// Finds the admin key: in the environment, or in the file that the server made in its data folder.
import { join } from 'node:path'
import { CommandFailure } from '../command-failure.ts'
import type { ProgramDependencies } from '../dependencies.ts'

/** Throws CommandFailure 3 that says what to do and never repeats the key. */
export async function readAdminKey(
  variables: ProgramDependencies['variables'],
  readTextFile: ProgramDependencies['readTextFile'],
): Promise<string> {
  const variable = variables.FAIRGATE_ADMIN_KEY?.trim()
  if (variable) return requireHeaderText(variable, 'FAIRGATE_ADMIN_KEY')
  const path = join(variables.FAIRGATE_DATA_DIR?.trim() || './data', 'admin-key')
  const kept = (await readKeyFile(path, readTextFile)).trim()
  if (kept === '') throw new CommandFailure(3, `No admin key: the file ${path} is empty. ${advice}`)
  return requireHeaderText(kept, path)
}

const advice =
  'Set FAIRGATE_ADMIN_KEY, or set FAIRGATE_DATA_DIR to the data folder of the server, ' +
  'which holds the file admin-key.'

async function readKeyFile(path: string, readTextFile: ProgramDependencies['readTextFile']): Promise<string> {
  try {
    return await readTextFile(path)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error'
    const reason =
      code === 'ENOENT' ? `there is no file ${path}` : `the file ${path} cannot be read (${code})`
    throw new CommandFailure(3, `No admin key: FAIRGATE_ADMIN_KEY is not set and ${reason}. ${advice}`)
  }
}

/** A key that does not fit into a header would end up in the error message of `fetch`. */
function requireHeaderText(key: string, origin: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key
  throw new CommandFailure(
    3,
    `No admin key: ${origin} holds spaces or characters that no admin key has. ${advice}`,
  )
}
