// Counts calls: started, running, abandoned by their caller, ended.
import type { createCounters } from './counters.ts'

/** A stream counts its own end when its last chunk is sent. One that failed before ends here. */
export function createCallCount(counters: ReturnType<typeof createCounters>) {
  return async (isStream: boolean, request: Request, answer: () => Promise<Response>): Promise<Response> => {
    counters.begin(isStream)
    const noteAbort = () => counters.abort()
    if (!isStream) request.signal.addEventListener('abort', noteAbort)
    try {
      const response = await answer()
      if (!isStream || response.status !== 200) counters.end()
      return response
    } catch (error) {
      counters.end()
      throw error
    } finally {
      request.signal.removeEventListener('abort', noteAbort)
    }
  }
}
