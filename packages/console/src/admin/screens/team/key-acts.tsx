// The dialogs of acts on keys: make one, give it a new secret, stop it for a while or for good. The effect on a key that is there is shown first.

import type {
  GeneratedKey,
  GenerateKeyBody,
  KeyRow,
  RegeneratedKey,
} from '@fairgate/contracts/management/key-bodies.ts'
import type { Person } from '@fairgate/contracts/management/people.ts'
import type { PlannedChange } from '@fairgate/contracts/management/planned-act.ts'
import { type ReactNode, useState } from 'react'
import { useAct } from '../../../api/use-read.ts'
import { formatDuration } from '../../../format/time.ts'
import { ActDialog } from '../../../show/act-dialog.tsx'
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
  const make = useAct<GenerateKeyBody, GeneratedKey>({ method: 'POST', path: '/key/generate' })
  const span = readSpan(duration)
  return (
    <FormDialog
      title="New key"
      verb="Make the key"
      isReady={span !== undefined}
      act={make}
      onConfirm={() =>
        make.mutate(
          {
            team_id: team,
            ...(alias.trim() === '' ? {} : { key_alias: alias.trim() }),
            ...(member === null ? {} : { member_id: member }),
            ...(typeof span === 'string' ? { duration: span } : {}),
          },
          { onSuccess: ({ key }) => onMade('The new key', key) },
        )
      }
      onClose={onClose}
    >
      <TextField
        label="Name"
        description="So that people tell it from others, such as “laptop of Haeun”"
        value={alias}
        maxLength={512}
        onChange={setAlias}
        data-autofocus
      />
      <MemberSelect members={members} value={member} onChange={setMember} />
      <TextField
        label="Ends after"
        description="Such as 12h or 3d; empty: never"
        value={duration}
        maxLength={8}
        onChange={setDuration}
        error={span === undefined ? 'Write a number and s, m, h, d or w, such as 12h.' : null}
      />
    </FormDialog>
  )
}

export function RegenerateKey({ row, onMade, onClose }: Making & { readonly row: KeyRow }) {
  const [grace, setGrace] = useState('')
  const given = readSpan(grace, 'smhd')
  return (
    <ActDialog
      title="New secret for a key"
      request={{
        method: 'POST',
        path: `/key/${row.token}/regenerate`,
        body: given === undefined ? null : given === null ? {} : { grace: given },
      }}
      verb={grace.trim() === '' ? 'Replace the secret now' : `Replace it, the old works ${grace.trim()}`}
      describe={change => describeKeyChange(row, change)}
      onDone={reply => onMade('The new secret', (reply as RegeneratedKey).key)}
      onClose={onClose}
    >
      <p>
        <KeyName row={row} /> stays the same key, with its name, limits and spend. Only its secret changes.
      </p>
      <TextField
        label="The old secret works for"
        description="Such as 15m or 12h; empty: it stops at once"
        value={grace}
        maxLength={8}
        onChange={setGrace}
        error={given === undefined ? 'Write a number and s, m, h or d, such as 15m.' : null}
        data-autofocus
      />
    </ActDialog>
  )
}

export function BlockKey({ row, onClose }: { readonly row: KeyRow; readonly onClose: () => void }) {
  const isBlocked = row.blocked === true
  return (
    <ActDialog
      title={isBlocked ? 'Unblock a key' : 'Block a key'}
      request={{ method: 'POST', path: isBlocked ? '/key/unblock' : '/key/block', body: { key: row.token } }}
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

export function DeleteKey({ row, onClose }: { readonly row: KeyRow; readonly onClose: () => void }) {
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
