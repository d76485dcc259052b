// Admin keys: names, roles and states, with dialogs to create, block, replace and delete them.

import type { AdminKeyRecord, NewAdminKeyReply } from '@fairgate/contracts/management/access.ts'
import type { Role } from '@fairgate/contracts/management/roles.ts'
import { Menu, Radio, UnstyledButton } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { MoreHorizontal } from 'lucide-react'
import { useState } from 'react'
import { useAction } from '../../../api/use-read.ts'
import { usePageParts } from '../../../live/live-context.tsx'
import { ActionDialog } from '../../../show/action-dialog.tsx'
import { AskDialog } from '../../../show/ask-dialog.tsx'
import { Badge } from '../../../show/badge.tsx'
import type { Column } from '../../../show/data-table.tsx'
import { ForeignName } from '../../../show/foreign.tsx'
import { FormDialog, faultOf } from '../../../show/form-dialog.tsx'
import { TextField } from '../../../show/text-field.tsx'
import { type Making, madeColumn, SecretsCard } from './secrets-card.tsx'

const roles: Readonly<Record<Role, string>> = {
  organiser: 'Can do everything except enter scores.',
  head_judge: 'Can set up and run judging, enter scores from paper, and read what judges read.',
  judge: 'Can read teams, calls, sessions and entries, unless judging is blind. Cannot change anything.',
  operator: 'Can see readiness, upstreams, models and the audit log.',
}

type Action = { readonly kind: 'block' | 'unblock' | 'renew' | 'end'; readonly key: AdminKeyRecord }

export function AdminKeys() {
  return (
    <SecretsCard<AdminKeyRecord, NewAdminKeyReply, Action>
      title="People with access"
      note="The key from the environment always works and is not listed."
      verb="New admin key"
      caption="Admin keys"
      path="/admin_keys"
      none="No admin keys yet, only the key from the environment. Create a key per person so that the audit log shows who did what."
      columns={columns}
      idOf={({ key_id }) => key_id}
      actions={(key, choose) => (
        <KeyMenu name={key.name} isBlocked={key.blocked} choose={kind => choose({ kind, key })} />
      )}
      NewDialog={NewKeyDialog}
      secretOf={({ name, key, role }) => ({
        title: `Key of ${name}`,
        secret: key,
        children: <p>Use this key to sign in at /console/sign-in as {role.replace('_', ' ')}.</p>,
      })}
      openAction={(action, making) => <KeyAction action={action} {...making} />}
    />
  )
}

const columns: readonly Column<AdminKeyRecord>[] = [
  { id: 'name', head: 'Name', cell: ({ name }) => <ForeignName name={name} /> },
  {
    id: 'role',
    head: 'Role',
    cell: ({ role }) => (
      <Badge tone={role === 'organiser' ? 'info' : 'plain'}>{role.replace('_', ' ')}</Badge>
    ),
  },
  { id: 'key', head: 'Key', from: 768, cell: ({ key_name }) => <code>{key_name}</code> },
  {
    id: 'state',
    head: 'State',
    cell: ({ blocked }) => (blocked ? <Badge tone="bad">blocked</Badge> : <Badge tone="ok">active</Badge>),
  },
  madeColumn,
]

function KeyMenu({
  name,
  isBlocked,
  choose,
}: {
  readonly name: string
  readonly isBlocked: boolean
  readonly choose: (kind: Action['kind']) => void
}) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <UnstyledButton className="chip" aria-label={`Actions for the key of ${name}`}>
          <MoreHorizontal size={14} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => choose(isBlocked ? 'unblock' : 'block')}>
          {isBlocked ? 'Unblock' : 'Block'}
        </Menu.Item>
        <Menu.Item onClick={() => choose('renew')}>Replace secret</Menu.Item>
        <Menu.Item color="red" onClick={() => choose('end')}>
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

const actions: Readonly<
  Record<
    Action['kind'],
    { readonly title: string; readonly verb: string; readonly text: string; readonly undo?: string }
  >
> = {
  block: {
    title: 'Block key',
    verb: 'Block key',
    text: 'It stops working at once, and its holder is signed out everywhere.',
  },
  unblock: {
    title: 'Unblock key',
    verb: 'Unblock key',
    text: 'It works again. Its holder has to sign in again.',
  },
  renew: {
    title: 'Replace secret',
    verb: 'Replace secret',
    text: 'The old secret stops working at once. The new one is shown only once.',
    undo: 'This cannot be undone.',
  },
  end: {
    title: 'Delete key',
    verb: 'Delete key',
    text: 'It stops working for good. Its actions stay in the audit log.',
    undo: 'This cannot be undone.',
  },
}

function KeyAction({ action, onClose, onMade }: Making<NewAdminKeyReply> & { readonly action: Action }) {
  const { send } = usePageParts()
  const queries = useQueryClient()
  const { title, verb, text, undo } = actions[action.kind]
  const path = `/admin_keys/${encodeURIComponent(action.key.key_id)}`
  const effect = (
    <>
      Key of <ForeignName name={action.key.name} />: {text}
    </>
  )
  if (action.kind === 'renew' || action.kind === 'end')
    return (
      <ActionDialog
        title={title}
        request={
          action.kind === 'end'
            ? { method: 'DELETE', path, body: {} }
            : { method: 'POST', path: `${path}/regenerate`, body: {} }
        }
        verb={verb}
        isDanger
        undo={undo}
        describe={({ what, from }) =>
          what === 'admin_key.role' ? <>Its role ({String(from)}) is removed too.</> : effect
        }
        onDone={reply => {
          if (action.kind === 'renew') onMade(reply as NewAdminKeyReply)
        }}
        onClose={onClose}
      />
    )
  const block = async (reason: string | null) => {
    await send('POST', path, {
      body: { blocked: action.kind === 'block', ...(reason === null ? {} : { reason }) },
    })
    await queries.invalidateQueries({ queryKey: ['/admin_keys'] })
  }
  return (
    <AskDialog title={title} verb={verb} isDanger={action.kind === 'block'} action={block} onClose={onClose}>
      <p>{effect}</p>
    </AskDialog>
  )
}

function NewKeyDialog({ onMade, onClose }: Making<NewAdminKeyReply>) {
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('judge')
  const make = useAction<object, NewAdminKeyReply>({
    method: 'POST',
    path: '/admin_keys',
    changes: ['/admin_keys'],
  })
  return (
    <FormDialog
      title="New admin key"
      verb="Create key"
      size={440}
      fields={['name']}
      isReady={name.trim() !== ''}
      action={make}
      onConfirm={() => make.mutate({ name: name.trim(), role }, { onSuccess: onMade })}
      onClose={onClose}
    >
      <TextField
        label="Name"
        description="Name of the key's holder, as the audit log shows it"
        value={name}
        onChange={setName}
        error={faultOf(make.error, 'name')}
        required
        data-autofocus
      />
      <Radio.Group label="Role" value={role} onChange={value => setRole(value as Role)}>
        <div className="stack">
          {Object.entries(roles).map(([value, description]) => (
            <Radio key={value} value={value} label={value.replace('_', ' ')} description={description} />
          ))}
        </div>
      </Radio.Group>
    </FormDialog>
  )
}
