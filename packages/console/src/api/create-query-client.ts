// How long what was read is good, and what is tried again.
import { QueryClient } from '@tanstack/react-query'
import { RequestFailure } from './request.ts'

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5000,
        refetchOnWindowFocus: true,
        // A refusal stays one; a server that does not answer may do so soon.
        retry: (count, error) =>
          count < 3 && error instanceof RequestFailure && (error.status === 0 || error.status >= 500),
        retryDelay: attempt => Math.min(1000 * 2 ** attempt, 8000),
      },
    },
  })
}
