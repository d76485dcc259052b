// Admin keys: whose they are, what their holders may do, and the making, blocking and ending of them.

import type { AdminKeyRecord, NewAdminKeyReply, Role } from '@fairgate/contracts/management/access.ts'
import { Menu, Radio, UnstyledButton } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { MoreHorizontal } from 'lucide-react'
import { useState } from 'react'
import { useAct } from '../../../api/use-read.ts'
import { usePageParts } from '../../../live/live-context.tsx'
import { ActDialog } from '../../../show/act-dialog.tsx'
import { AskDialog } from '../../../show/ask-dialog.tsx'
import { Badge } from '../../../show/badge.tsx'
import type { Column } from '../../../show/data-table.tsx'
import { ForeignName } from '../../../show/foreign.tsx'
import { FormDialog, faultOf } from '../../../show/form-dialog.tsx'
import { TextField } from '../../../show/text-field.tsx'
import { type Making, madeColumn, SecretsCard } from './secrets-card.tsx'

const roles: Readonly<Record<Role, string>> = {
  organiser: 'May do everything.',
  judge: 'Reads teams, calls, sessions and entries. Changes nothing.',
  operator: 'Sees readiness, upstreams, models and the audit.',
}

type Act = { readonly kind: 'block' | 'unblock' | 'renew' | 'end'; readonly key: AdminKeyRecord }

export function AdminKeys() {
  return (
    <SecretsCard<AdminKeyRecord, NewAdminKeyReply, Act>
      title="People with access"
      note="The key of the environment always works, and is not in this list."
      verb="New admin key"
      caption="Admin keys"
      path="/admin_keys"
      none="Only the key of the environment so far. Give each person a key of their own: the audit then tells who did what."
      columns={columns}
      idOf={({ key_id }) => key_id}
      acts={(key, choose) => (
        <KeyMenu name={key.name} isBlocked={key.blocked} choose={kind => choose({ kind, key })} />
      )}
      NewDialog={NewKeyDialog}
      secretOf={({ name, key, role }) => ({
        title: `The key of ${name}`,
        secret: key,
        children: <p>Its holder signs in with it at /console/sign-in, as {role}.</p>,
      })}
      openAct={(act, making) => <KeyAct act={act} {...making} />}
    />
  )
}

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
  madeColumn,
]

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

function KeyAct({ act, onClose, onMade }: Making<NewAdminKeyReply> & { readonly act: Act }) {
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
            ? { method: 'DELETE', path, body: {} }
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

function NewKeyDialog({ onMade, onClose }: Making<NewAdminKeyReply>) {
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('judge')
  const make = useAct<object, NewAdminKeyReply>({
    method: 'POST',
    path: '/admin_keys',
    changes: ['/admin_keys'],
  })
  return (
    <FormDialog
      title="New admin key"
      verb="Make the key"
      size={440}
      fields={['name']}
      isReady={name.trim() !== ''}
      act={make}
      onConfirm={() => make.mutate({ name: name.trim(), role }, { onSuccess: onMade })}
      onClose={onClose}
    >
      <TextField
        label="Whose it is"
        description="The name that the audit records"
        value={name}
        onChange={setName}
        error={faultOf(make.error, 'name')}
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
    </FormDialog>
  )
}
