// Runs something that must be refused and returns the code and the member at fault.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'

/** Throws if nothing was refused, and rethrows anything that is not an ApiError. */
export async function refusalOf(run: () => unknown): Promise<{ code: string; param: string | null }> {
  try {
    await run()
  } catch (error) {
    if (error instanceof ApiError) return { code: error.code, param: error.param }
    throw error
  }
  throw new Error('Nothing was refused.')
}

export const invalid = (param: string) => ({ code: 'invalid_request', param })
