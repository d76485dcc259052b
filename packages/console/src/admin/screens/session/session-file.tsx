// Button that downloads a session as one JSON file with its facts and items.

import type { SessionItemsReply, SessionView } from '@fairgate/contracts/console/session-view.ts'
import { Download, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { RequestFailure } from '../../../api/request.ts'
import { countOf } from '../../../format/number.ts'
import { usePageParts } from '../../../live/live-context.tsx'
import { IconButton } from '../../../show/icon-button.tsx'
import { saveFile } from '../teams/save-file.ts'
import { collectSession, nameSessionFile } from './collect-session.ts'

const maxBytes = 50_000_000

export function SessionFile({
  view,
  tool,
}: {
  readonly view: SessionView
  readonly tool: string | undefined
}) {
  const { send } = usePageParts()
  const [isReading, setReading] = useState(false)
  const [said, setSaid] = useState('')
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])
  const save = async () => {
    const { team_id: team, session_id: session } = view
    const abort = new AbortController()
    running.current = abort
    setReading(true)
    setSaid('Loading…')
    try {
      const { items, isWhole } = await collectSession({
        readPage: query =>
          send<SessionItemsReply>(
            'GET',
            `/sessions/${encodeURIComponent(team)}/${encodeURIComponent(session)}/items`,
            { query: { tool, ...query }, signal: abort.signal },
          ),
        maxBytes,
        report: count => setSaid(`${countOf(count, 'item')} loaded`),
      })
      saveFile(
        nameSessionFile(team, session),
        'application/json',
        JSON.stringify({ session: view, is_whole: isWhole, items }),
      )
      setSaid(
        isWhole
          ? `${countOf(items.length, 'item')} saved`
          : `Saved the first ${countOf(items.length, 'item')}: the limit is 50 MB. Use the log export to get all.`,
      )
    } catch (error) {
      setSaid(abort.signal.aborted ? 'Stopped' : `Not saved. ${(error as RequestFailure).message}`)
    } finally {
      setReading(false)
    }
  }
  return (
    <>
      <span role="status" className="muted small">
        {said}
      </span>
      {isReading ? (
        <IconButton icon={X} onClick={() => running.current?.abort()}>
          Stop
        </IconButton>
      ) : (
        <IconButton
          icon={Download}
          title="Download the session as one JSON file, at most 50 MB. Long entries are truncated as on this screen."
          onClick={() => void save()}
        >
          JSON
        </IconButton>
      )}
    </>
  )
}
