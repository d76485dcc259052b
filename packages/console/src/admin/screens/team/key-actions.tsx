// Dialogs that create, regenerate, block and delete keys. Changes to an existing key are previewed.

import type {
  GeneratedKey,
  GenerateKeyBody,
  KeyRow,
  RegeneratedKey,
} from '@fairgate/contracts/management/key-bodies.ts'
import type { Person } from '@fairgate/contracts/management/people.ts'
import type { PlannedChange } from '@fairgate/contracts/management/planned-action.ts'
import { type ReactNode, useState } from 'react'
import { useAction } from '../../../api/use-read.ts'
import { formatDuration } from '../../../format/time.ts'
import { ActionDialog } from '../../../show/action-dialog.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { FormDialog } from '../../../show/form-dialog.tsx'
import { TextField } from '../../../show/text-field.tsx'
import { MemberSelect } from './member-select.tsx'
import { readSpan } from './read-fields.ts'

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

export function NewKey({
  team,
  members,
  onMade,
  onClose,
}: Making & { readonly team: string; readonly members: readonly Person[] }) {
  const [alias, setAlias] = useState('')
  const [member, setMember] = useState<string | null>(null)
  const [duration, setDuration] = useState('')
  const make = useAction<GenerateKeyBody, GeneratedKey>({ method: 'POST', path: '/key/generate' })
  const span = readSpan(duration)
  return (
    <FormDialog
      title="New key"
      verb="Create key"
      isReady={span !== undefined}
      action={make}
      onConfirm={() =>
        make.mutate(
          {
            team_id: team,
            ...(alias.trim() === '' ? {} : { key_alias: alias.trim() }),
            ...(member === null ? {} : { member_id: member }),
            ...(typeof span === 'string' ? { duration: span } : {}),
          },
          { onSuccess: ({ key }) => onMade('New key', key) },
        )
      }
      onClose={onClose}
    >
      <TextField
        label="Name"
        description="Helps people recognise the key, such as “Haeun's laptop”"
        value={alias}
        maxLength={512}
        onChange={setAlias}
        data-autofocus
      />
      <MemberSelect members={members} value={member} onChange={setMember} />
      <TextField
        label="Expires after"
        description="Such as 12h or 3d. Leave empty for never."
        value={duration}
        maxLength={8}
        onChange={setDuration}
        error={span === undefined ? 'Enter a number with s, m, h, d or w, such as 12h' : null}
      />
    </FormDialog>
  )
}

export function RegenerateKey({ row, onMade, onClose }: Making & { readonly row: KeyRow }) {
  const [grace, setGrace] = useState('')
  const given = readSpan(grace, 'smhd')
  return (
    <ActionDialog
      title="Replace secret"
      request={{
        method: 'POST',
        path: `/key/${row.token}/regenerate`,
        body: given === undefined ? null : given === null ? {} : { grace: given },
      }}
      verb={
        grace.trim() === '' ? 'Replace secret now' : `Replace secret, keep the old one for ${grace.trim()}`
      }
      describe={change => describeKeyChange(row, change)}
      onDone={reply => onMade('New secret', (reply as RegeneratedKey).key)}
      onClose={onClose}
    >
      <p>
        <KeyName row={row} /> keeps its name, limits and spend. Only the secret changes.
      </p>
      <TextField
        label="Keep the old secret for"
        description="Such as 15m or 12h. Leave empty to stop it at once."
        value={grace}
        maxLength={8}
        onChange={setGrace}
        error={given === undefined ? 'Enter a number with s, m, h or d, such as 15m' : null}
        data-autofocus
      />
    </ActionDialog>
  )
}

export function BlockKey({ row, onClose }: { readonly row: KeyRow; readonly onClose: () => void }) {
  const isBlocked = row.blocked === true
  return (
    <ActionDialog
      title={isBlocked ? 'Unblock key' : 'Block key'}
      request={{ method: 'POST', path: isBlocked ? '/key/unblock' : '/key/block', body: { key: row.token } }}
      verb={isBlocked ? 'Unblock key' : 'Block key'}
      isDanger={!isBlocked}
      undo={isBlocked ? undefined : 'Unblock undoes this.'}
      describe={change => describeKeyChange(row, change)}
      onClose={onClose}
    >
      <p>
        {isBlocked
          ? 'The key works again at once.'
          : 'The key stops working at once. Running calls will finish.'}
      </p>
    </ActionDialog>
  )
}

export function DeleteKey({ row, onClose }: { readonly row: KeyRow; readonly onClose: () => void }) {
  return (
    <ActionDialog
      title="Delete key"
      request={{ method: 'POST', path: '/key/delete', body: { keys: [row.token] } }}
      verb="Delete key"
      isDanger
      undo="This cannot be undone."
      describe={change => describeKeyChange(row, change)}
      onClose={onClose}
    >
      <p>
        The key stops working for good. Its spend stays charged to the team, and reports keep its name. To
        stop it temporarily, block it instead.
      </p>
    </ActionDialog>
  )
}

function describeKeyChange(row: KeyRow, { what, to }: PlannedChange): ReactNode {
  if (what === 'key.grace_ms')
    return typeof to === 'number' && to > 0
      ? `The old secret works for another ${formatDuration(to)}.`
      : 'The old secret stops working at once.'
  return (
    <>
      <KeyName row={row} />{' '}
      {what === 'key.key_name'
        ? 'gets a new secret.'
        : what === 'key.deleted'
          ? 'is deleted.'
          : to === true
            ? 'active → blocked'
            : 'blocked → active'}
    </>
  )
}
