// Gives the reader the session as one file of JSON: its figures and its items, as this screen reads them.

import type { SessionItemsReply, SessionView } from '@fairgate/contracts/console/session-view.ts'
import { Download, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { RequestFailure } from '../../../api/request.ts'
import { countOf } from '../../../format/number.ts'
import { usePageParts } from '../../../live/live-context.tsx'
import { IconButton } from '../../../show/icon-button.tsx'
import { saveFile } from '../teams/save-file.ts'
import { collectSession, nameSessionFile } from './collect-session.ts'

const mostBytes = 50_000_000

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
    setSaid('Reading…')
    try {
      const { items, isWhole } = await collectSession({
        readPage: query =>
          send<SessionItemsReply>(
            'GET',
            `/sessions/${encodeURIComponent(team)}/${encodeURIComponent(session)}/items`,
            { query: { tool, ...query }, signal: abort.signal },
          ),
        mostBytes,
        tell: count => setSaid(`${countOf(count, 'item')} read`),
      })
      saveFile(
        nameSessionFile(team, session),
        'application/json',
        JSON.stringify({ session: view, is_whole: isWhole, items }),
      )
      setSaid(
        isWhole
          ? `${countOf(items.length, 'item')} saved`
          : `The first ${countOf(items.length, 'item')} saved: a file holds 50 MB at most. The log export has all.`,
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
          title="The session as one file of JSON, 50 MB at most. Long entries are cut as on this screen."
          onClick={() => void save()}
        >
          JSON
        </IconButton>
      )}
    </>
  )
}
