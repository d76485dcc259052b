// Wall links for projectors. Each shows the event's wall and nothing else.

import type { NewWallTokenReply, WallTokenList } from '@fairgate/contracts/console/wall.ts'
import { Button, Checkbox } from '@mantine/core'
import { useState } from 'react'
import { useAction } from '../../../api/use-read.ts'
import { Badge } from '../../../show/badge.tsx'
import type { Column } from '../../../show/data-table.tsx'
import { ForeignName } from '../../../show/foreign.tsx'
import { FormDialog, faultOf } from '../../../show/form-dialog.tsx'
import { Moment } from '../../../show/moment.tsx'
import { TextField } from '../../../show/text-field.tsx'
import { TimeField } from '../../../show/time-field.tsx'
import { type Making, madeColumn, RemoveDialog, SecretsCard } from './secrets-card.tsx'

type WallToken = WallTokenList['items'][number]

export function Walls() {
  return (
    <SecretsCard<WallToken, NewWallTokenReply, WallToken>
      title="Walls"
      note="For a projector in the hall. Anyone with the link can see the wall and nothing else."
      verb="New wall"
      caption="Walls"
      path="/wall_tokens"
      none="No wall links yet"
      columns={columns}
      idOf={({ wall_token_id }) => wall_token_id}
      actions={(token, choose) => (
        <Button size="compact-xs" variant="default" onClick={() => choose(token)}>
          Remove
        </Button>
      )}
      NewDialog={NewWallDialog}
      secretOf={({ url }) => ({ title: 'Open this on the projector', secret: url })}
      openAction={({ wall_token_id, name }, { onClose }) => (
        <RemoveDialog
          title="Remove wall link"
          path={`/wall_tokens/${encodeURIComponent(wall_token_id)}`}
          undo="This cannot be undone. A new wall gets a new link."
          effect={
            <>
              The link for <ForeignName name={name} /> will stop showing data on every screen that has it
              open.
            </>
          }
          onClose={onClose}
        />
      )}
    />
  )
}

const columns: readonly Column<WallToken>[] = [
  { id: 'name', head: 'Location', cell: ({ name }) => <ForeignName name={name} /> },
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
          frozen since <Moment at={frozen_at} />
        </Badge>
      ) : freeze_at === null ? (
        'live'
      ) : (
        <span>
          live until <Moment at={freeze_at} />
        </span>
      ),
  },
  madeColumn,
]

function NewWallDialog({ onMade, onClose }: Making<NewWallTokenReply>) {
  const [name, setName] = useState('')
  const [hasBudgets, setHasBudgets] = useState(true)
  const [freezeAt, setFreezeAt] = useState('')
  const make = useAction<object, NewWallTokenReply>({
    method: 'POST',
    path: '/wall_tokens',
    changes: ['/wall_tokens'],
  })
  const body = { name: name.trim(), shows_budgets: hasBudgets, freeze_at: freezeAt === '' ? null : freezeAt }
  return (
    <FormDialog
      title="New wall"
      verb="Create link"
      size={440}
      fields={['name', 'freeze_at']}
      isReady={name.trim() !== ''}
      action={make}
      onConfirm={() => make.mutate(body, { onSuccess: onMade })}
      onClose={onClose}
    >
      <TextField
        label="Location"
        placeholder="Hall 1"
        value={name}
        onChange={setName}
        error={faultOf(make.error, 'name')}
        required
        data-autofocus
      />
      <Checkbox
        label="Show budget left"
        description="Some events hide spend. Teams are never ranked by it."
        checked={hasBudgets}
        onChange={event => setHasBudgets(event.currentTarget.checked)}
      />
      <TimeField
        label="Freeze figures at"
        whenEmpty="Leave empty to keep figures live. The clock always keeps running."
        value={freezeAt}
        onChange={setFreezeAt}
        error={faultOf(make.error, 'freeze_at')}
      />
    </FormDialog>
  )
}
