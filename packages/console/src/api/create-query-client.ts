// Settings of the query client: how long data stays fresh, and which failures are retried.
import { QueryClient } from '@tanstack/react-query'
import { RequestFailure } from './request.ts'

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5000,
        refetchOnWindowFocus: true,
        // Refusals are final. A server that does not answer or fails may recover soon.
        retry: (count, error) =>
          count < 3 && error instanceof RequestFailure && (error.status === 0 || error.status >= 500),
        retryDelay: attempt => Math.min(1000 * 2 ** attempt, 8000),
      },
    },
  })
}
