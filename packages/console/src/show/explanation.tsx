// The server's explanation of a refused call, with its times in the event's zone.
import { showInstants } from '../format/time.ts'
import { useServerNow } from '../live/live-context.tsx'
import { ForeignText } from './foreign.tsx'
import { useZone } from './zone-context.tsx'

export function Explanation({ text, most = 1000 }: { readonly text: string; readonly most?: number }) {
  const now = useServerNow(60_000)
  return <ForeignText text={showInstants(text, now, useZone())} most={most} />
}
