// The gateway keys of a team: whose each is, what it spent, and the acts on it. A new secret is shown once.

import type {
  GeneratedKey,
  GenerateKeyBody,
  KeyList,
  KeyRow,
  RegeneratedKey,
} from '@fairgate/contracts/management/key-bodies.ts'
import type { Person } from '@fairgate/contracts/management/people.ts'
import type { PlannedChange } from '@fairgate/contracts/management/planned-act.ts'
import { ActionIcon, Button, Menu, TextInput } from '@mantine/core'
import { KeyRound, MoreHorizontal } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { readOf, useAct, useRead } from '../../../api/use-read.ts'
import { formatMoney } from '../../../format/money.ts'
import { countOf } from '../../../format/number.ts'
import { formatDuration } from '../../../format/time.ts'
import { useAddress } from '../../../frame/use-address.ts'
import { useRefresh } from '../../../live/live-context.tsx'
import { ActDialog } from '../../../show/act-dialog.tsx'
import { Badge } from '../../../show/badge.tsx'
import { Card } from '../../../show/card.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { Moment } from '../../../show/moment.tsx'
import { SecretOnce } from '../../../show/secret-once.tsx'
import { Empty, Loaded } from '../../../show/states.tsx'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { MemberSelect } from './member-select.tsx'

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
        {formatMoney(toNano(spend))}
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

function KeyName({ row: { key_alias, key_name } }: { readonly row: KeyRow }) {
  return (
    <span className="strong">
      {key_alias === '' ? '' : <ForeignText text={key_alias} most={40} />} <code>{key_name}</code>
    </span>
  )
}

type Making = {
  readonly onMade: (title: string, secret: string) => void
  readonly onClose: () => void
}

function NewKey({
  team,
  members,
  onMade,
  onClose,
}: Making & { readonly team: string; readonly members: readonly Person[] }) {
  const [alias, setAlias] = useState('')
  const [member, setMember] = useState<string | null>(null)
  const [duration, setDuration] = useState('')
  const make = useAct<GenerateKeyBody, GeneratedKey>({ method: 'POST', path: '/key/generate' })
  const isDurationWrong = duration.trim() !== '' && !/^\d{1,6}[smhdw]$/.test(duration.trim())
  return (
    <ConfirmDialog
      title="New key"
      verb="Make the key"
      isReady={!isDurationWrong}
      isPending={make.isPending}
      error={make.error}
      onConfirm={() =>
        make.mutate(
          {
            team_id: team,
            ...(alias.trim() === '' ? {} : { key_alias: alias.trim() }),
            ...(member === null ? {} : { member_id: member }),
            ...(duration.trim() === '' ? {} : { duration: duration.trim() }),
          },
          { onSuccess: ({ key }) => onMade('The new key', key) },
        )
      }
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="So that people tell it from others, such as “laptop of Haeun”"
        value={alias}
        maxLength={512}
        onChange={event => setAlias(event.currentTarget.value)}
        data-autofocus
        autoComplete="off"
      />
      <MemberSelect members={members} value={member} onChange={setMember} />
      <TextInput
        label="Ends after"
        description="Such as 12h or 3d; empty: never"
        value={duration}
        maxLength={8}
        onChange={event => setDuration(event.currentTarget.value)}
        error={isDurationWrong ? 'Write a number and s, m, h, d or w, such as 12h.' : null}
        autoComplete="off"
      />
    </ConfirmDialog>
  )
}

function RegenerateKey({ row, onMade, onClose }: Making & { readonly row: KeyRow }) {
  const [grace, setGrace] = useState('')
  const given = grace.trim()
  const isWrong = given !== '' && !/^\d{1,6}[smhd]$/.test(given)
  return (
    <ActDialog
      title="New secret for a key"
      request={{
        method: 'POST',
        path: `/key/${row.token}/regenerate`,
        body: isWrong ? null : given === '' ? {} : { grace: given },
      }}
      verb={given === '' ? 'Replace the secret now' : `Replace it, the old works ${given}`}
      describe={change => describeKeyChange(row, change)}
      onDone={reply => onMade('The new secret', (reply as RegeneratedKey).key)}
      onClose={onClose}
    >
      <p>
        <KeyName row={row} /> stays the same key, with its name, limits and spend. Only its secret changes.
      </p>
      <TextInput
        label="The old secret works for"
        description="Such as 15m or 12h; empty: it stops at once"
        value={grace}
        maxLength={8}
        onChange={event => setGrace(event.currentTarget.value)}
        error={isWrong ? 'Write a number and s, m, h or d, such as 15m.' : null}
        data-autofocus
        autoComplete="off"
      />
    </ActDialog>
  )
}

function BlockKey({ row, onClose }: { readonly row: KeyRow; readonly onClose: () => void }) {
  const isBlocked = row.blocked === true
  return (
    <ActDialog
      title={isBlocked ? 'Unblock a key' : 'Block a key'}
      request={{
        method: 'POST',
        path: isBlocked ? '/key/unblock' : '/key/block',
        body: { key: row.token },
      }}
      verb={isBlocked ? 'Unblock' : 'Block'}
      isDanger={!isBlocked}
      undo={isBlocked ? undefined : 'Unblock lets it work again.'}
      describe={change => describeKeyChange(row, change)}
      onClose={onClose}
    >
      <p>
        {isBlocked
          ? 'The key works again at once.'
          : 'The key stops at once. Calls that run go to their end.'}
      </p>
    </ActDialog>
  )
}

function DeleteKey({ row, onClose }: { readonly row: KeyRow; readonly onClose: () => void }) {
  return (
    <ActDialog
      title="Delete a key"
      request={{ method: 'POST', path: '/key/delete', body: { keys: [row.token] } }}
      verb="Delete for good"
      isDanger
      undo="Nothing brings it back."
      describe={change => describeKeyChange(row, change)}
      onClose={onClose}
    >
      <p>
        The key stops for good. What it spent stays charged to the team, and reports keep its name. To stop it
        for a while, block it.
      </p>
    </ActDialog>
  )
}

function describeKeyChange(row: KeyRow, { what, to }: PlannedChange): ReactNode {
  if (what === 'key.grace_ms')
    return typeof to === 'number' && to > 0
      ? `The old secret works for ${formatDuration(to)} more.`
      : 'The old secret stops at once.'
  return (
    <>
      <KeyName row={row} />{' '}
      {what === 'key.key_name'
        ? 'gets a new secret.'
        : what === 'key.deleted'
          ? 'is deleted.'
          : to === true
            ? 'works → is blocked.'
            : 'is blocked → works.'}
    </>
  )
}
