// The gateway keys of a team: whose each is, what it spent, and the acts on it. A new secret is shown once.

import type { KeyList, KeyRow } from '@fairgate/contracts/management/key-bodies.ts'
import type { Person } from '@fairgate/contracts/management/people.ts'
import { ActionIcon, Button, Menu } from '@mantine/core'
import { KeyRound, MoreHorizontal } from 'lucide-react'
import { useState } from 'react'
import { readOf, useRead } from '../../../api/use-read.ts'
import { formatMoney } from '../../../format/money.ts'
import { countOf } from '../../../format/number.ts'
import { useAddress } from '../../../frame/use-address.ts'
import { useRefresh } from '../../../live/live-context.tsx'
import { Badge } from '../../../show/badge.tsx'
import { Card } from '../../../show/card.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { Moment } from '../../../show/moment.tsx'
import { Money } from '../../../show/money.tsx'
import { SecretOnce } from '../../../show/secret-once.tsx'
import { Empty, Loaded } from '../../../show/states.tsx'
import { BlockKey, DeleteKey, NewKey, RegenerateKey } from './key-acts.tsx'

const pageSize = 100

type Open =
  | { readonly kind: 'new' }
  | { readonly kind: 'act' | 'regenerate' | 'delete'; readonly key: KeyRow }

export function KeysCard({ team, members }: { readonly team: string; readonly members: readonly Person[] }) {
  const [page, setPage] = useState(1)
  const [open, setOpen] = useState<Open | null>(null)
  const [secret, setSecret] = useState<{ readonly title: string; readonly value: string } | null>(null)
  const read = useRead(
    readOf<KeyList>('/key/list', { team_id: team, return_full_object: true, size: pageSize, page }),
  )
  useRefresh(`calls:${team}`, [['/key/list']], 5000)
  const close = () => setOpen(null)
  const show = (title: string, value: string) => {
    setOpen(null)
    setSecret({ title, value })
  }
  return (
    <Card
      isFlush
      title="Keys"
      action={
        <Button
          size="xs"
          leftSection={<KeyRound size={14} aria-hidden />}
          onClick={() => setOpen({ kind: 'new' })}
        >
          New key
        </Button>
      }
    >
      <Loaded read={read} what="The keys" height={38} lines={3}>
        {({ keys, total_count, total_pages }) =>
          total_count === 0 ? (
            <Empty>
              The team has no key yet. Hand out the claim link, or make a key here and give it to the team.
            </Empty>
          ) : (
            <>
              <div className="table-frame">
                <table className="table" data-part="keys">
                  <caption className="hidden-text">Keys of the team</caption>
                  <thead>
                    <tr>
                      <th scope="col">Key</th>
                      <th scope="col" className="from-600">
                        Whose
                      </th>
                      <th scope="col" className="from-1024">
                        Made
                      </th>
                      <th scope="col" className="from-1024">
                        Ends
                      </th>
                      <th scope="col" className="end">
                        Spent
                      </th>
                      <th scope="col">State</th>
                      <th scope="col">
                        <span className="hidden-text">Acts</span>
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {keys
                      .filter(key => typeof key === 'object')
                      .map(key => (
                        <KeyLine key={key.token} row={key} members={members} onOpen={setOpen} />
                      ))}
                  </tbody>
                </table>
              </div>
              {total_pages > 1 ? (
                <div className="team-list-more">
                  <span className="muted small">{countOf(total_count, 'key')}</span>
                  <span className="row">
                    <Button
                      size="xs"
                      variant="default"
                      disabled={page <= 1}
                      onClick={() => setPage(page - 1)}
                    >
                      Before
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
            </>
          )
        }
      </Loaded>
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
    </Card>
  )
}

function KeyLine({
  row,
  members,
  onOpen,
}: {
  readonly row: KeyRow
  readonly members: readonly Person[]
  readonly onOpen: (open: Open) => void
}) {
  const { change } = useAddress()
  const { key_alias, key_name, member_id, created_at, expires, spend, max_budget, blocked } = row
  const owner = members.find(member => member.member_id === member_id)
  const isOver = expires !== null && expires !== undefined && Date.parse(expires) < Date.now()
  return (
    <tr>
      <td>
        {key_alias === '' ? null : (
          <span className="strong">
            <ForeignText text={key_alias} most={40} />{' '}
          </span>
        )}
        <code className="muted nowrap">{key_name}</code>
      </td>
      <td className="from-600">
        {owner === undefined ? (
          <span className="muted">the whole team</span>
        ) : (
          <ForeignText text={owner.name} most={40} />
        )}
      </td>
      <td className="from-1024">
        <Moment at={created_at} />
      </td>
      <td className="from-1024">
        <Moment at={expires ?? null} none="never" />
      </td>
      <td className="end nowrap">
        <Money nano={toNano(spend)} />
        {max_budget === null || max_budget === undefined ? null : (
          <span className="faint"> of {formatMoney(toNano(max_budget), 'nearest')}</span>
        )}
      </td>
      <td>
        {blocked === true ? (
          <Badge tone="bad">blocked</Badge>
        ) : isOver ? (
          <Badge tone="warn">expired</Badge>
        ) : (
          <Badge tone="ok">works</Badge>
        )}
      </td>
      <td className="end">
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" aria-label={`Acts on ${key_alias || key_name}`}>
              <MoreHorizontal size={16} aria-hidden />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => onOpen({ kind: 'act', key: row })}>
              {blocked === true ? 'Unblock…' : 'Block…'}
            </Menu.Item>
            <Menu.Item onClick={() => change({ do: 'correct', key: row.token }, true)}>
              Correct the spend…
            </Menu.Item>
            <Menu.Item onClick={() => onOpen({ kind: 'regenerate', key: row })}>New secret…</Menu.Item>
            <Menu.Item color="red" onClick={() => onOpen({ kind: 'delete', key: row })}>
              Delete…
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </td>
    </tr>
  )
}

/** Records of keys carry dollars. */
function toNano(usd: number): number {
  return Math.round(usd * 1_000_000_000)
}
