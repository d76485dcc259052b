// Admin keys: whose they are, what their holders may do, and the making, blocking and ending of them.

import type {
  AdminKeyList,
  AdminKeyRecord,
  NewAdminKeyReply,
  Role,
} from '@fairgate/contracts/management/access.ts'
import { Alert, Button, Menu, Radio, TextInput, UnstyledButton } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { MoreHorizontal, Plus } from 'lucide-react'
import { useState } from 'react'
import type { RequestFailure } from '../../../api/request.ts'
import { readOf, useRead } from '../../../api/use-read.ts'
import { usePageParts } from '../../../live/live-context.tsx'
import { ActDialog } from '../../../show/act-dialog.tsx'
import { AskDialog } from '../../../show/ask-dialog.tsx'
import { Badge } from '../../../show/badge.tsx'
import { Card } from '../../../show/card.tsx'
import { type Column, DataTable } from '../../../show/data-table.tsx'
import { Dialog } from '../../../show/dialog.tsx'
import { DialogButtons } from '../../../show/dialog-buttons.tsx'
import { ForeignName } from '../../../show/foreign.tsx'
import { Moment } from '../../../show/moment.tsx'
import { SecretOnce } from '../../../show/secret-once.tsx'
import { Empty, Loaded } from '../../../show/states.tsx'

const roles: Readonly<Record<Role, string>> = {
  organiser: 'May do everything.',
  judge: 'Reads teams, calls, sessions and entries. Changes nothing.',
  operator: 'Sees readiness, upstreams, models and the audit.',
}

type Act = { readonly kind: 'block' | 'unblock' | 'renew' | 'end'; readonly key: AdminKeyRecord }

export function AdminKeys() {
  const list = useRead(readOf<AdminKeyList>('/admin_keys'))
  const [isMaking, setIsMaking] = useState(false)
  const [made, setMade] = useState<NewAdminKeyReply | null>(null)
  const [act, setAct] = useState<Act | null>(null)
  const columns: readonly Column<AdminKeyRecord>[] = [
    { id: 'name', head: 'Name', cell: ({ name }) => <ForeignName name={name} /> },
    {
      id: 'role',
      head: 'Role',
      cell: ({ role }) => <Badge tone={role === 'organiser' ? 'info' : 'plain'}>{role}</Badge>,
    },
    { id: 'key', head: 'Key', from: 768, cell: ({ key_name }) => <code>{key_name}</code> },
    {
      id: 'state',
      head: 'State',
      cell: ({ blocked }) => (blocked ? <Badge tone="bad">blocked</Badge> : <Badge tone="ok">works</Badge>),
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
      cell: key => <KeyMenu name={key.name} isBlocked={key.blocked} choose={kind => setAct({ kind, key })} />,
    },
  ]
  return (
    <Card
      title="People with access"
      note="The key of the environment always works, and is not in this list."
      isFlush
      action={
        <Button size="xs" leftSection={<Plus size={14} aria-hidden />} onClick={() => setIsMaking(true)}>
          New admin key
        </Button>
      }
    >
      <Loaded read={list} what="The list of admin keys" height={160}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty>
              Only the key of the environment so far. Give each person a key of their own: the audit then
              tells who did what.
            </Empty>
          ) : (
            <DataTable caption="Admin keys" columns={columns} rows={items} idOf={({ key_id }) => key_id} />
          )
        }
      </Loaded>
      {isMaking ? (
        <NewKeyDialog
          onClose={() => setIsMaking(false)}
          onMade={reply => {
            setIsMaking(false)
            setMade(reply)
          }}
        />
      ) : null}
      {made === null ? null : (
        <SecretOnce title={`The key of ${made.name}`} secret={made.key} onClose={() => setMade(null)}>
          <p>Its holder signs in with it at /console/sign-in, as {made.role}.</p>
        </SecretOnce>
      )}
      {act === null ? null : <KeyAct act={act} onClose={() => setAct(null)} onMade={setMade} />}
    </Card>
  )
}

function KeyMenu({
  name,
  isBlocked,
  choose,
}: {
  readonly name: string
  readonly isBlocked: boolean
  readonly choose: (kind: Act['kind']) => void
}) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <UnstyledButton className="chip" aria-label={`Acts on the key of ${name}`}>
          <MoreHorizontal size={14} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => choose(isBlocked ? 'unblock' : 'block')}>
          {isBlocked ? 'Unblock' : 'Block'}
        </Menu.Item>
        <Menu.Item onClick={() => choose('renew')}>Make its secret new</Menu.Item>
        <Menu.Item color="red" onClick={() => choose('end')}>
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

const acts: Readonly<
  Record<
    Act['kind'],
    { readonly title: string; readonly verb: string; readonly text: string; readonly undo?: string }
  >
> = {
  block: {
    title: 'Block the key',
    verb: 'Block',
    text: 'It stops working at once, and its holder is signed out everywhere.',
  },
  unblock: { title: 'Unblock the key', verb: 'Unblock', text: 'It works again. Its holder signs in again.' },
  renew: {
    title: 'Make its secret new',
    verb: 'Make it new',
    text: 'The old secret stops working at once. The new one is shown to you, once.',
    undo: 'Nothing brings the old secret back.',
  },
  end: {
    title: 'Delete the key',
    verb: 'Delete',
    text: 'It stops working for good. What it did stays in the audit.',
    undo: 'Nothing brings it back.',
  },
}

function KeyAct({
  act,
  onClose,
  onMade,
}: {
  readonly act: Act
  readonly onClose: () => void
  readonly onMade: (reply: NewAdminKeyReply) => void
}) {
  const { send } = usePageParts()
  const queries = useQueryClient()
  const { title, verb, text, undo } = acts[act.kind]
  const path = `/admin_keys/${encodeURIComponent(act.key.key_id)}`
  const effect = (
    <>
      The key of <ForeignName name={act.key.name} />. {text}
    </>
  )
  if (act.kind === 'renew' || act.kind === 'end')
    return (
      <ActDialog
        title={title}
        request={
          act.kind === 'end'
            ? { method: 'DELETE', path, body: {}, isInQuery: true }
            : { method: 'POST', path: `${path}/regenerate`, body: {} }
        }
        verb={verb}
        isDanger
        undo={undo}
        describe={({ what, from }) =>
          what === 'admin_key.role' ? <>Its role, {String(from)}, ends with it.</> : effect
        }
        onDone={reply => {
          if (act.kind === 'renew') onMade(reply as NewAdminKeyReply)
        }}
        onClose={onClose}
      />
    )
  const block = async (reason: string | null) => {
    await send('POST', path, {
      body: { blocked: act.kind === 'block', ...(reason === null ? {} : { reason }) },
    })
    await queries.invalidateQueries({ queryKey: ['/admin_keys'] })
  }
  return (
    <AskDialog title={title} verb={verb} isDanger={act.kind === 'block'} act={block} onClose={onClose}>
      <p>{effect}</p>
    </AskDialog>
  )
}

function NewKeyDialog({
  onMade,
  onClose,
}: {
  readonly onMade: (reply: NewAdminKeyReply) => void
  readonly onClose: () => void
}) {
  const { send } = usePageParts()
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('judge')
  const [failure, setFailure] = useState<RequestFailure | null>(null)
  const make = async () => {
    setFailure(null)
    try {
      const reply = await send<NewAdminKeyReply>('POST', '/admin_keys', { body: { name: name.trim(), role } })
      await queries.invalidateQueries({ queryKey: ['/admin_keys'] })
      onMade(reply)
    } catch (error) {
      setFailure(error as RequestFailure)
    }
  }
  const isOfName = failure?.param === 'name'
  return (
    <Dialog title="New admin key" onClose={onClose}>
      <form
        className="stack"
        onSubmit={event => {
          event.preventDefault()
          void make()
        }}
      >
        <TextInput
          label="Whose it is"
          description="The name that the audit records"
          value={name}
          onChange={event => setName(event.currentTarget.value)}
          error={isOfName ? failure?.message : null}
          required
          data-autofocus
        />
        <Radio.Group label="Role" value={role} onChange={value => setRole(value as Role)}>
          <div className="stack">
            {Object.entries(roles).map(([value, description]) => (
              <Radio key={value} value={value} label={value} description={description} />
            ))}
          </div>
        </Radio.Group>
        {failure === null || isOfName ? null : (
          <Alert color="red" role="alert">
            {failure.message}
          </Alert>
        )}
        <DialogButtons onCancel={onClose}>
          <Button type="submit" disabled={name.trim() === ''}>
            Make the key
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  )
}
