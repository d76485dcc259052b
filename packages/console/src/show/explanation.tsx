// What the server says of a refused call, with its instants in the zone of the event.
import { showInstants } from '../format/time.ts'
import { useServerNow } from '../live/live-context.tsx'
import { ForeignText } from './foreign.tsx'
import { useZone } from './zone-context.tsx'

export function Explanation({ text, most = 1000 }: { readonly text: string; readonly most?: number }) {
  const now = useServerNow(60_000)
  return <ForeignText text={showInstants(text, now, useZone())} most={most} />
}
