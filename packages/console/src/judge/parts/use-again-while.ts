// Reads again while the server has not read all teams yet.
import { useEffect } from 'react'

const restMs = 2000

export function useAgainWhile(
  isPending: boolean,
  read: { readonly dataUpdatedAt: number; readonly refetch: () => unknown },
): void {
  const { dataUpdatedAt, refetch } = read
  // biome-ignore lint/correctness/useExhaustiveDependencies: each reply starts the next wait.
  useEffect(() => {
    if (!isPending) return
    const timer = setTimeout(() => void refetch(), restMs)
    return () => clearTimeout(timer)
  }, [isPending, dataUpdatedAt, refetch])
}
