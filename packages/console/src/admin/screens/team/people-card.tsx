// Members of a team, with their seats, keys and log tokens.

import type { People, Person, PersonReply, UpdatePersonBody } from '@fairgate/contracts/management/people.ts'
import { Menu, Radio } from '@mantine/core'
import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import { useAction, type useRead } from '../../../api/use-read.ts'
import { countOf } from '../../../format/number.ts'
import { ActionDialog } from '../../../show/action-dialog.tsx'
import type { Column } from '../../../show/data-table.tsx'
import { ForeignName, ForeignText } from '../../../show/foreign.tsx'
import { FormDialog } from '../../../show/form-dialog.tsx'
import { IconButton } from '../../../show/icon-button.tsx'
import { TableCard } from '../../../show/list.tsx'
import { Moment } from '../../../show/moment.tsx'
import { TextField } from '../../../show/text-field.tsx'
import { ActionsMenu } from './actions-menu.tsx'

type Open = { readonly kind: 'add' } | { readonly kind: 'edit' | 'seat' | 'remove'; readonly person: Person }

export function PeopleCard({
  team,
  read,
}: {
  readonly team: string
  readonly read: ReturnType<typeof useRead<People>>
}) {
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  return (
    <TableCard
      title="People"
      action={
        <IconButton icon={UserPlus} variant="filled" size="xs" onClick={() => setOpen({ kind: 'add' })}>
          Add a person
        </IconButton>
      }
      read={read}
      rows={read.data?.items ?? []}
      what="The people"
      height={38}
      lines={3}
      none="No people yet. Add people so that each can claim a seat and spend is shown per person."
      part="people"
      caption="Members of the team"
      columns={columns}
      actions={person => (
        <ActionsMenu of={person.name}>
          <Menu.Item onClick={() => setOpen({ kind: 'edit', person })}>Edit name and email…</Menu.Item>
          <Menu.Item disabled={person.claimed_at === null} onClick={() => setOpen({ kind: 'seat', person })}>
            Free seat…
          </Menu.Item>
          <Menu.Item color="red" onClick={() => setOpen({ kind: 'remove', person })}>
            Remove…
          </Menu.Item>
        </ActionsMenu>
      )}
      idOf={({ member_id }) => member_id}
    >
      {open === null ? null : open.kind === 'add' ? (
        <AddPerson team={team} onClose={close} />
      ) : open.kind === 'edit' ? (
        <EditPerson person={open.person} onClose={close} />
      ) : open.kind === 'seat' ? (
        <FreeSeat person={open.person} onClose={close} />
      ) : (
        <RemovePerson person={open.person} onClose={close} />
      )}
    </TableCard>
  )
}

const columns: readonly Column<Person>[] = [
  {
    id: 'name',
    head: 'Name',
    cell: ({ name }) => (
      <span className="strong">
        <ForeignName name={name} />
      </span>
    ),
  },
  {
    id: 'address',
    head: 'Email',
    from: 768,
    cell: ({ email }) => (
      <span className="muted">{email === null ? '–' : <ForeignText text={email} most={48} />}</span>
    ),
  },
  {
    id: 'seat',
    head: 'Seat',
    cell: ({ claimed_at }) =>
      claimed_at === null ? (
        <span className="muted">free</span>
      ) : (
        <span className="nowrap">
          claimed <Moment at={claimed_at} as="ago" />
        </span>
      ),
  },
  {
    id: 'keys',
    head: 'Keys',
    from: 600,
    cell: ({ keys }) => countOf(keys.filter(({ blocked }) => !blocked).length, 'key'),
  },
  {
    id: 'tokens',
    head: 'Log tokens',
    from: 768,
    cell: ({ log_tokens }) =>
      countOf(log_tokens.filter(({ revoked_at }) => revoked_at === null).length, 'token'),
  },
]

/** Form state for a person's name and email address. */
function usePersonFields(name = '', email: string | null = null) {
  const [fields, setFields] = useState({ name, email: email ?? '' })
  const given = { name: fields.name.trim(), email: fields.email.trim() }
  const isEmailWrong = given.email !== '' && !/^[^\s@]+@[^\s@]+$/.test(given.email)
  const set = (change: Partial<typeof fields>) => setFields({ ...fields, ...change })
  return { fields, given, set, isEmailWrong, isComplete: given.name !== '' && !isEmailWrong }
}

function PersonFields({
  form: { fields, set, isEmailWrong },
  note,
}: {
  readonly form: ReturnType<typeof usePersonFields>
  /** Shown below the email field. */
  readonly note?: string
}) {
  return (
    <>
      <TextField
        label="Name"
        value={fields.name}
        maxLength={100}
        onChange={text => set({ name: text })}
        required
        data-autofocus
      />
      <TextField
        label="Email address"
        description={note}
        value={fields.email}
        maxLength={254}
        onChange={text => set({ email: text })}
        error={isEmailWrong ? 'Enter a valid email address' : null}
      />
    </>
  )
}

function AddPerson({ team, onClose }: { readonly team: string; readonly onClose: () => void }) {
  const form = usePersonFields()
  const { name, email } = form.given
  return (
    <ActionDialog
      title="Add a person"
      request={{
        method: 'POST',
        path: '/people',
        body: form.isComplete ? { team_id: team, name, ...(email === '' ? {} : { email }) } : null,
      }}
      verb="Add person"
      undo="Remove undoes this."
      asksReason={false}
      onClose={onClose}
    >
      <PersonFields form={form} note="For organisers only. No mail is sent to it." />
    </ActionDialog>
  )
}

function useUpdate({ member_id }: Person) {
  return useAction<UpdatePersonBody, PersonReply>({
    done: 'Saved',
    method: 'POST',
    path: `/people/${encodeURIComponent(member_id)}`,
  })
}

function EditPerson({ person, onClose }: { readonly person: Person; readonly onClose: () => void }) {
  const form = usePersonFields(person.name, person.email)
  const update = useUpdate(person)
  const { name, email } = form.given
  return (
    <FormDialog
      title="Edit name and email"
      verb="Save"
      isReady={form.isComplete}
      action={update}
      onConfirm={() => update.mutate({ name, email: email === '' ? null : email }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <PersonFields form={form} />
    </FormDialog>
  )
}

function FreeSeat({ person, onClose }: { readonly person: Person; readonly onClose: () => void }) {
  const update = useUpdate(person)
  return (
    <FormDialog
      title="Free seat"
      verb="Free seat"
      action={update}
      onConfirm={() => update.mutate({ free_seat: true }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>
        <ForeignText text={person.name} most={60} /> can claim a seat again, for example after losing a
        laptop. Existing keys keep working; block them if someone else has the laptop.
      </p>
    </FormDialog>
  )
}

function RemovePerson({ person, onClose }: { readonly person: Person; readonly onClose: () => void }) {
  const [keys, setKeys] = useState('block')
  return (
    <ActionDialog
      title="Remove person"
      request={{
        method: 'DELETE',
        path: `/people/${encodeURIComponent(person.member_id)}`,
        body: { keys },
        isInQuery: true,
      }}
      verb="Remove person"
      isDanger
      undo="The name stays in reports. The email address is deleted."
      onClose={onClose}
    >
      <p>
        <ForeignText text={person.name} most={60} /> will leave the team.
      </p>
      <Radio.Group label="Their keys and log tokens" value={keys} onChange={setKeys}>
        <div className="stack radio-stack">
          <Radio value="block" label="Block" />
          <Radio value="keep" label="Keep for the team" />
        </div>
      </Radio.Group>
    </ActionDialog>
  )
}
