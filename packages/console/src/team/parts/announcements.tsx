// Announcements from the organisers, shown above everything until they are dismissed in this browser.
import { CloseButton } from '@mantine/core'
import { Megaphone } from 'lucide-react'
import { useState } from 'react'
import { usePageParts } from '../../live/live-context.tsx'
import { ForeignBlock, ForeignText } from '../../show/foreign.tsx'
import { Moment } from '../../show/moment.tsx'
import { useSelf } from '../self-context.tsx'

const storageKey = 'fairgate-seen-announcements'
const maxKept = 200

/** Newest first. */
const maxShown = 3

export function Announcements() {
  const { announcements } = useSelf()
  const { send } = usePageParts()
  const [seen, setSeen] = useState<readonly string[]>(readSeen)
  const dismiss = (id: string) => {
    const next = [...seen, id].slice(-maxKept)
    setSeen(next)
    localStorage.setItem(storageKey, JSON.stringify(next))
    // Organisers see how many have read it. A failure here does not matter to the reader.
    send('POST', `/self/announcements/${encodeURIComponent(id)}/seen`, { body: {} }).catch(() => undefined)
  }
  const shown = announcements.filter(({ announcement_id: id }) => !seen.includes(id)).slice(0, maxShown)
  return shown.length === 0 ? null : (
    <section className="stack" aria-label="From the organisers">
      {shown.map(({ announcement_id: id, text, link, from }) => (
        <div key={id} className="notice" data-tone="info">
          <Megaphone size={18} aria-hidden />
          <div className="grow">
            <ForeignBlock text={text} />
            {link === null || !/^https?:\/\//.test(link) ? null : (
              <a href={link} rel="noreferrer noopener" target="_blank">
                <ForeignText text={link} most={200} />
              </a>
            )}
            <div className="small muted">
              <Moment at={from} as="ago" />
            </div>
          </div>
          <CloseButton aria-label="Dismiss" onClick={() => dismiss(id)} />
        </div>
      ))}
    </section>
  )
}

function readSeen(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]')
    return Array.isArray(kept) ? kept.filter(id => typeof id === 'string') : []
  } catch {
    return []
  }
}
