// Links for projectors: each shows the wall of the event and nothing else.

import type { NewWallTokenReply, WallTokenList } from '@fairgate/contracts/console/wall.ts'
import { Alert, Button, Checkbox, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import type { RequestFailure } from '../../../api/request.ts'
import { readOf, useRead } from '../../../api/use-read.ts'
import { usePageParts } from '../../../live/live-context.tsx'
import { ActDialog } from '../../../show/act-dialog.tsx'
import { Badge } from '../../../show/badge.tsx'
import { Card } from '../../../show/card.tsx'
import { type Column, DataTable } from '../../../show/data-table.tsx'
import { Dialog } from '../../../show/dialog.tsx'
import { DialogButtons } from '../../../show/dialog-buttons.tsx'
import { ForeignName } from '../../../show/foreign.tsx'
import { Moment } from '../../../show/moment.tsx'
import { SecretOnce } from '../../../show/secret-once.tsx'
import { Empty, Loaded } from '../../../show/states.tsx'
import { TimeField } from '../../../show/time-field.tsx'

type WallToken = WallTokenList['items'][number]

export function Walls() {
  const list = useRead(readOf<WallTokenList>('/wall_tokens'))
  const [isMaking, setIsMaking] = useState(false)
  const [made, setMade] = useState<NewWallTokenReply | null>(null)
  const [ending, setEnding] = useState<WallToken | null>(null)
  const columns: readonly Column<WallToken>[] = [
    { id: 'name', head: 'Where', cell: ({ name }) => <ForeignName name={name} /> },
    {
      id: 'budgets',
      head: 'Budgets',
      from: 600,
      cell: ({ shows_budgets }) => (shows_budgets ? 'shown' : <span className="faint">hidden</span>),
    },
    {
      id: 'freeze',
      head: 'Figures',
      cell: ({ freeze_at, frozen_at }) =>
        frozen_at !== null ? (
          <Badge tone="held">
            stand still since <Moment at={frozen_at} />
          </Badge>
        ) : freeze_at === null ? (
          'live'
        ) : (
          <span>
            live until <Moment at={freeze_at} />
          </span>
        ),
    },
    {
      id: 'made',
      head: 'Made',
      from: 768,
      cell: ({ created_at, created_by }) => (
        <span>
          <Moment at={created_at} /> by <ForeignName name={created_by} />
        </span>
      ),
    },
    {
      id: 'acts',
      head: <span className="hidden-text">Acts</span>,
      isEnd: true,
      cell: token => (
        <Button size="compact-xs" variant="default" onClick={() => setEnding(token)}>
          Remove
        </Button>
      ),
    },
  ]
  return (
    <Card
      title="Walls"
      note="For a projector in the hall: who has the link sees the wall, and nothing else."
      isFlush
      action={
        <Button size="xs" leftSection={<Plus size={14} aria-hidden />} onClick={() => setIsMaking(true)}>
          New wall
        </Button>
      }
    >
      <Loaded read={list} what="The list of walls" height={160}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty>No projector has a link yet.</Empty>
          ) : (
            <DataTable
              caption="Walls"
              columns={columns}
              rows={items}
              idOf={({ wall_token_id }) => wall_token_id}
            />
          )
        }
      </Loaded>
      {isMaking ? (
        <NewWallDialog
          onClose={() => setIsMaking(false)}
          onMade={reply => {
            setIsMaking(false)
            setMade(reply)
          }}
        />
      ) : null}
      {made === null ? null : (
        <SecretOnce title="Open this on the projector" secret={made.url} onClose={() => setMade(null)} />
      )}
      {ending === null ? null : (
        <ActDialog
          title="Remove the wall"
          request={{
            method: 'DELETE',
            path: `/wall_tokens/${encodeURIComponent(ending.wall_token_id)}`,
            body: {},
            isInQuery: true,
          }}
          verb="Remove"
          isDanger
          undo="A new wall has another link."
          describe={() => (
            <>
              The link of <ForeignName name={ending.name} /> shows nothing any more, on every screen that has
              it open.
            </>
          )}
          onClose={() => setEnding(null)}
        />
      )}
    </Card>
  )
}

function NewWallDialog({
  onMade,
  onClose,
}: {
  readonly onMade: (reply: NewWallTokenReply) => void
  readonly onClose: () => void
}) {
  const { send } = usePageParts()
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [hasBudgets, setHasBudgets] = useState(true)
  const [freezeAt, setFreezeAt] = useState('')
  const [failure, setFailure] = useState<RequestFailure | null>(null)
  const make = async () => {
    setFailure(null)
    try {
      const reply = await send<NewWallTokenReply>('POST', '/wall_tokens', {
        body: { name: name.trim(), shows_budgets: hasBudgets, freeze_at: freezeAt === '' ? null : freezeAt },
      })
      await queries.invalidateQueries({ queryKey: ['/wall_tokens'] })
      onMade(reply)
    } catch (error) {
      setFailure(error as RequestFailure)
    }
  }
  const errorOf = (param: string) => (failure?.param === param ? failure.message : null)
  return (
    <Dialog title="New wall" onClose={onClose}>
      <form
        className="stack"
        onSubmit={event => {
          event.preventDefault()
          void make()
        }}
      >
        <TextInput
          label="Where it stands"
          placeholder="Hall 1"
          value={name}
          onChange={event => setName(event.currentTarget.value)}
          error={errorOf('name')}
          required
          data-autofocus
        />
        <Checkbox
          label="Show what is left of budgets"
          description="Some events hide spend. Teams are never ranked by it."
          checked={hasBudgets}
          onChange={event => setHasBudgets(event.currentTarget.checked)}
        />
        <TimeField
          label="Freeze figures at"
          whenEmpty="Empty: they stay live. The clock keeps running either way."
          value={freezeAt}
          onChange={setFreezeAt}
          error={errorOf('freeze_at')}
        />
        {failure === null || ['name', 'freeze_at'].includes(failure.param ?? '') ? null : (
          <Alert color="red" role="alert">
            {failure.message}
          </Alert>
        )}
        <DialogButtons onCancel={onClose}>
          <Button type="submit" disabled={name.trim() === ''}>
            Make the link
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  )
}
