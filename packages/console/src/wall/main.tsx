// The document of the wall: what a projector shows to the hall. It has no controls, and asks for nothing but its own link.
import { createRoot } from 'react-dom/client'
import { LiveStream } from '../live/live-stream.ts'
import { WallPage } from './wall-page.tsx'

const path = location.pathname.replace(/\/$/, '')
const live = new LiveStream({
  connect: address => new EventSource(address),
  addressOf: () => `${path}/stream`,
  now: Date.now,
  after: (milliseconds, run) => {
    const timer = setTimeout(run, milliseconds)
    return () => clearTimeout(timer)
  },
  onMissed: () => undefined,
})
// A wall is dark unless its hall is bright.
if (new URLSearchParams(location.search).get('theme') !== 'light')
  document.documentElement.setAttribute('data-mantine-color-scheme', 'dark')
const root = document.getElementById('root')
if (root !== null)
  createRoot(root).render(
    <WallPage live={live} readState={() => fetch(`${path}/state`, { cache: 'no-store' })} />,
  )
// Screens that go dark in the middle of a contest are of no use.
void navigator.wakeLock?.request('screen').catch(() => undefined)
