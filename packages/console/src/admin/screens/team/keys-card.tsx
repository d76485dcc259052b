// Gateway keys of a team: owner, spend, state and actions. A new secret is shown once.

import type { KeyList, KeyRow } from '@fairgate/contracts/management/key-bodies.ts'
import type { Person } from '@fairgate/contracts/management/people.ts'
import { Button, Menu } from '@mantine/core'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { readOf, useRead } from '../../../api/use-read.ts'
import { formatMoney } from '../../../format/money.ts'
import { countOf } from '../../../format/number.ts'
import { useAddress } from '../../../frame/use-address.ts'
import { useRefresh } from '../../../live/live-context.tsx'
import { Badge } from '../../../show/badge.tsx'
import type { Column } from '../../../show/data-table.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { IconButton } from '../../../show/icon-button.tsx'
import { TableCard } from '../../../show/list.tsx'
import { Moment } from '../../../show/moment.tsx'
import { Money } from '../../../show/money.tsx'
import { SecretOnce } from '../../../show/secret-once.tsx'
import { ActionsMenu } from './actions-menu.tsx'
import { BlockKey, DeleteKey, NewKey, RegenerateKey } from './key-actions.tsx'
import { Owner } from './member-select.tsx'

const pageSize = 100

type Open =
  | { readonly kind: 'new' }
  | { readonly kind: 'block' | 'regenerate' | 'delete'; readonly key: KeyRow }

export function KeysCard({ team, members }: { readonly team: string; readonly members: readonly Person[] }) {
  const [page, setPage] = useState(1)
  const [open, setOpen] = useState<Open | null>(null)
  const [secret, setSecret] = useState<{ readonly title: string; readonly value: string } | null>(null)
  const read = useRead(
    readOf<KeyList>('/key/list', { team_id: team, return_full_object: true, size: pageSize, page }),
  )
  useRefresh(`calls:${team}`, [['/key/list']], 5000)
  const { total_count = 0, total_pages = 0 } = read.data ?? {}
  const close = () => setOpen(null)
  const show = (title: string, value: string) => {
    setOpen(null)
    setSecret({ title, value })
  }
  return (
    <TableCard
      title="Keys"
      action={
        <IconButton icon={KeyRound} variant="filled" size="xs" onClick={() => setOpen({ kind: 'new' })}>
          New key
        </IconButton>
      }
      read={read}
      rows={read.data?.keys.filter(key => typeof key === 'object') ?? []}
      what="The keys"
      height={38}
      lines={3}
      none="No keys yet. Hand out the claim link, or create a key here and give it to the team."
      part="keys"
      caption="Keys of the team"
      columns={[
        ...columns.slice(0, 1),
        {
          id: 'whose',
          head: 'Owner',
          from: 600,
          cell: ({ member_id }) => <Owner members={members} memberId={member_id} />,
        },
        ...columns.slice(1),
      ]}
      actions={key => <KeyMenu row={key} onOpen={setOpen} />}
      idOf={({ token }) => token}
    >
      {total_pages > 1 ? (
        <div className="team-list-more">
          <span className="muted small">{countOf(total_count, 'key')}</span>
          <span className="row">
            <Button size="xs" variant="default" disabled={page <= 1} onClick={() => setPage(page - 1)}>
              Previous
            </Button>
            <Button
              size="xs"
              variant="default"
              disabled={page >= total_pages}
              onClick={() => setPage(page + 1)}
            >
              Next
            </Button>
          </span>
        </div>
      ) : null}
      {open === null ? null : open.kind === 'new' ? (
        <NewKey team={team} members={members} onMade={show} onClose={close} />
      ) : open.kind === 'regenerate' ? (
        <RegenerateKey row={open.key} onMade={show} onClose={close} />
      ) : open.kind === 'delete' ? (
        <DeleteKey row={open.key} onClose={close} />
      ) : (
        <BlockKey row={open.key} onClose={close} />
      )}
      {secret === null ? null : (
        <SecretOnce title={secret.title} secret={secret.value} onClose={() => setSecret(null)} />
      )}
    </TableCard>
  )
}

const columns: readonly Column<KeyRow>[] = [
  { id: 'key', head: 'Key', cell: row => <KeyName row={row} /> },
  { id: 'made', head: 'Created', from: 1024, cell: ({ created_at }) => <Moment at={created_at} /> },
  {
    id: 'ends',
    head: 'Expires',
    from: 1024,
    cell: ({ expires }) => <Moment at={expires ?? null} none="never" />,
  },
  {
    id: 'spent',
    head: 'Spent',
    isEnd: true,
    cell: ({ spend, max_budget }) => (
      <span className="nowrap">
        <Money nano={toNano(spend)} />
        {max_budget === null || max_budget === undefined ? null : (
          <span className="faint"> of {formatMoney(toNano(max_budget), 'nearest')}</span>
        )}
      </span>
    ),
  },
  {
    id: 'state',
    head: 'State',
    cell: ({ blocked, expires }) =>
      blocked === true ? (
        <Badge tone="bad">blocked</Badge>
      ) : expires !== null && expires !== undefined && Date.parse(expires) < Date.now() ? (
        <Badge tone="warn">expired</Badge>
      ) : (
        <Badge tone="ok">active</Badge>
      ),
  },
]

export function KeyName({ row: { key_alias, key_name } }: { readonly row: KeyRow }) {
  return (
    <>
      {key_alias === '' ? null : (
        <span className="strong">
          <ForeignText text={key_alias} most={40} />{' '}
        </span>
      )}
      <code className="muted nowrap">{key_name}</code>
    </>
  )
}

function KeyMenu({ row, onOpen }: { readonly row: KeyRow; readonly onOpen: (open: Open) => void }) {
  const { change } = useAddress()
  return (
    <ActionsMenu of={row.key_alias || row.key_name}>
      <Menu.Item onClick={() => onOpen({ kind: 'block', key: row })}>
        {row.blocked === true ? 'Unblock…' : 'Block…'}
      </Menu.Item>
      <Menu.Item onClick={() => change({ do: 'correct', key: row.token }, true)}>Correct spend…</Menu.Item>
      <Menu.Item onClick={() => onOpen({ kind: 'regenerate', key: row })}>Replace secret…</Menu.Item>
      <Menu.Item color="red" onClick={() => onOpen({ kind: 'delete', key: row })}>
        Delete…
      </Menu.Item>
    </ActionsMenu>
  )
}

/** Key records carry dollars. */
export function toNano(usd: number): number {
  return Math.round(usd * 1_000_000_000)
}
