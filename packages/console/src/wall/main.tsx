// Entry point of the wall, which a projector shows to the hall. It has no controls and needs only its link.
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
// Dark unless `?theme=light` is set for a bright hall.
if (new URLSearchParams(location.search).get('theme') !== 'light')
  document.documentElement.setAttribute('data-mantine-color-scheme', 'dark')
const root = document.getElementById('root')
if (root !== null)
  createRoot(root).render(
    <WallPage live={live} readState={() => fetch(`${path}/state`, { cache: 'no-store' })} />,
  )
// Keeps the screen from going to sleep during the contest.
void navigator.wakeLock?.request('screen').catch(() => undefined)
