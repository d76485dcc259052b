// Event screen: actions that affect every team, phases, settings and the event file.

import type { EventRecord } from '@fairgate/contracts/management/event.ts'
import { Button } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { AlarmClock, Download, FileUp, Lock, Megaphone, Pause, Pencil, Play, Square } from 'lucide-react'
import type { ReactNode } from 'react'
import type { RequestFailure } from '../../../api/request.ts'
import { readOf, useRead } from '../../../api/use-read.ts'
import { formatMoney } from '../../../format/money.ts'
import { useHotkeys } from '../../../frame/hotkeys.tsx'
import { usePageParts } from '../../../live/live-context.tsx'
import { Card } from '../../../show/card.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { IconButton } from '../../../show/icon-button.tsx'
import { PageHead } from '../../../show/page-head.tsx'
import { Empty, Loaded } from '../../../show/states.tsx'
import { useMayOrganise } from '../../session-context.tsx'
import { AnnounceDialog } from '../messages/announce-dialog.tsx'
import { saveFile } from '../teams/save-file.ts'
import { ApplyDialog } from './apply-dialog.tsx'
import { EndDialog, ExtendDialog, LockBoardsDialog, PauseDialog } from './event-actions.tsx'
import { NewestChanges } from './newest-changes.tsx'
import { PhaseLine } from './phase-line.tsx'
import { PhasesDialog } from './phases-dialog.tsx'
import { SettingsDialog } from './settings-dialog.tsx'

export function EventScreen() {
  const { do: doing } = useSearch({ from: '/console/event' })
  const navigate = useNavigate({ from: '/console/event' })
  const mayOrganise = useMayOrganise()
  const event = useRead(readOf<EventRecord>('/event'))
  const open = (name: string | undefined) => void navigate({ search: { do: name } })
  const close = () => open(undefined)
  useHotkeys(
    mayOrganise
      ? [
          { keys: 'g p', does: 'Open the Pause dialog', run: () => open('pause') },
          { keys: 'g e', does: 'Open the Extend dialog', run: () => open('extend') },
          { keys: 'g k', does: 'Open the Lock all boards dialog', run: () => open('lock') },
          { keys: 'g x', does: 'Open the End dialog', run: () => open('end') },
          { keys: 'g a', does: 'Open the Announce dialog', run: () => open('announce') },
        ]
      : [],
  )
  return (
    <>
      <PageHead
        title="Event"
        beside={
          event.data === undefined ? null : (
            <span className="muted small">Times in {event.data.time_zone}</span>
          )
        }
      >
        {mayOrganise ? (
          <>
            <FileButton />
            <IconButton icon={FileUp} onClick={() => open('apply')}>
              Apply file…
            </IconButton>
          </>
        ) : null}
      </PageHead>
      <Loaded read={event} what="The event" height={400}>
        {found => (
          <>
            {mayOrganise ? <Actions event={found} open={open} /> : null}
            <Card
              title={<ForeignText text={found.name === '' ? 'Phases' : found.name} most={80} />}
              note={
                found.cap_nano === null
                  ? 'No event cap'
                  : `${formatMoney(found.cap_nano, 'nearest')} event cap for all teams`
              }
              action={
                mayOrganise ? (
                  <span className="row">
                    <Button size="xs" variant="default" onClick={() => open('settings')}>
                      Edit settings
                    </Button>
                    <IconButton icon={Pencil} size="xs" onClick={() => open('phases')}>
                      Edit phases
                    </IconButton>
                  </span>
                ) : undefined
              }
            >
              {found.phases.length === 0 ? (
                <Empty
                  action={
                    mayOrganise ? <Button onClick={() => open('phases')}>Add a phase</Button> : undefined
                  }
                >
                  No phases yet. Without phases, the gateway is always open.
                </Empty>
              ) : (
                <PhaseLine event={found} />
              )}
            </Card>
            {mayOrganise ? <Dialogs doing={doing} event={found} close={close} /> : null}
          </>
        )}
      </Loaded>
      {mayOrganise ? <NewestChanges /> : null}
    </>
  )
}

function Dialogs({
  doing,
  event,
  close,
}: {
  readonly doing: string | undefined
  readonly event: EventRecord
  readonly close: () => void
}) {
  switch (doing) {
    case 'pause':
      return <PauseDialog event={event} onClose={close} />
    case 'extend':
      return <ExtendDialog event={event} onClose={close} />
    case 'lock':
      return <LockBoardsDialog onClose={close} />
    case 'end':
      return <EndDialog event={event} onClose={close} />
    case 'announce':
      return <AnnounceDialog onClose={close} />
    case 'phases':
      return <PhasesDialog event={event} onClose={close} />
    case 'settings':
      return <SettingsDialog event={event} onClose={close} />
    case 'apply':
      return <ApplyDialog onClose={close} />
    default:
      return null
  }
}

function Actions({ event, open }: { readonly event: EventRecord; readonly open: (name: string) => void }) {
  const isPaused = event.paused !== null
  const isEnded = event.ended !== null
  const actions: readonly (readonly [string, ReactNode, string, string])[] = [
    [
      'pause',
      isPaused ? <Play key="icon" aria-hidden /> : <Pause key="icon" aria-hidden />,
      isPaused ? 'Resume' : 'Pause all',
      isPaused ? 'Teams can make paid calls again.' : 'Refuses new paid calls. Running calls will finish.',
    ],
    [
      'extend',
      <AlarmClock key="icon" aria-hidden />,
      'Extend',
      'Moves the end of this phase and all later phases.',
    ],
    [
      'lock',
      <Lock key="icon" aria-hidden />,
      'Lock all boards',
      'The logbook stops accepting entries. Calls continue.',
    ],
    [
      'end',
      isEnded ? <Play key="icon" aria-hidden /> : <Square key="icon" aria-hidden />,
      isEnded ? 'Reopen the event' : 'End the event',
      isEnded ? 'Phases decide again what is open.' : 'Closes the gateway and locks all boards.',
    ],
    [
      'announce',
      <Megaphone key="icon" aria-hidden />,
      'Announce',
      'Shown on team pages, in recorders and on the wall.',
    ],
  ]
  return (
    <div className="grid event-actions">
      {actions.map(([name, icon, label, text]) => (
        <button key={name} type="button" className="card event-action" onClick={() => open(name)}>
          <span className="row strong">
            {icon}
            {label}
          </span>
          <span className="muted small">{text}</span>
        </button>
      ))}
    </div>
  )
}

function FileButton() {
  const { send } = usePageParts()
  const save = () => {
    send<{ readonly file: string }>('GET', '/event/file').then(
      ({ file }) => saveFile('event.yaml', 'application/yaml', file),
      (failure: RequestFailure) => alert(failure.message),
    )
  }
  return (
    <IconButton icon={Download} onClick={save}>
      event.yaml
    </IconButton>
  )
}
