// Reads all items of a session page by page, up to a size that a browser can hold.
import type { SessionItem, SessionItemsReply } from '@fairgate/contracts/console/session-view.ts'

const pageSize = 500

type CollectedSession = {
  readonly items: readonly SessionItem[]
  /** False if the rest was left out because of the size limit. */
  readonly isWhole: boolean
}

/** Rejects if `readPage` rejects. `report` is called with the number of items after each page. */
export async function collectSession({
  readPage,
  maxBytes,
  report,
}: {
  readonly readPage: (query: {
    readonly limit: number
    readonly after: string | null
  }) => Promise<Pick<SessionItemsReply, 'items' | 'next'>>
  readonly maxBytes: number
  readonly report: (count: number) => void
}): Promise<CollectedSession> {
  const items: SessionItem[] = []
  const encoder = new TextEncoder()
  let bytes = 0
  let after: string | null = null
  do {
    const page: Pick<SessionItemsReply, 'items' | 'next'> = await readPage({ limit: pageSize, after })
    for (const item of page.items) {
      // Size as written, with the comma after it.
      bytes += encoder.encode(JSON.stringify(item)).length + 1
      if (bytes > maxBytes) return { items, isWhole: false }
      items.push(item)
    }
    report(items.length)
    after = page.next
  } while (after !== null)
  return { items, isWhole: true }
}

/** Replaces characters that are special to file systems or shells. */
export function nameSessionFile(team: string, session: string): string {
  const name = `${team}-${session}`.replaceAll(/[^A-Za-z0-9._-]+/g, '_').slice(0, 120)
  return `${name}.json`
}
