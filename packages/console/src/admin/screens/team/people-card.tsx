// The members of a team: who has claimed a seat, and with which keys and tokens.

import type { People, Person, PersonReply, UpdatePersonBody } from '@fairgate/contracts/management/people.ts'
import { Menu, Radio } from '@mantine/core'
import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import { useAct, type useRead } from '../../../api/use-read.ts'
import { countOf } from '../../../format/number.ts'
import { ActDialog } from '../../../show/act-dialog.tsx'
import type { Column } from '../../../show/data-table.tsx'
import { ForeignName, ForeignText } from '../../../show/foreign.tsx'
import { FormDialog } from '../../../show/form-dialog.tsx'
import { IconButton } from '../../../show/icon-button.tsx'
import { TableCard } from '../../../show/list.tsx'
import { Moment } from '../../../show/moment.tsx'
import { TextField } from '../../../show/text-field.tsx'
import { ActsMenu } from './acts-menu.tsx'

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
      none="Nobody is on the list. Add people, so that each can claim a seat and spend is told apart."
      part="people"
      caption="Members of the team"
      columns={columns}
      acts={person => (
        <ActsMenu of={person.name}>
          <Menu.Item onClick={() => setOpen({ kind: 'edit', person })}>Name and address…</Menu.Item>
          <Menu.Item disabled={person.claimed_at === null} onClick={() => setOpen({ kind: 'seat', person })}>
            Free the seat…
          </Menu.Item>
          <Menu.Item color="red" onClick={() => setOpen({ kind: 'remove', person })}>
            Remove…
          </Menu.Item>
        </ActsMenu>
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
    head: 'Address',
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

/** What is known of a person, as it is typed. */
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
  /** Below the address. */
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
        label="E-mail address"
        description={note}
        value={fields.email}
        maxLength={254}
        onChange={text => set({ email: text })}
        error={isEmailWrong ? 'That is no e-mail address.' : null}
      />
    </>
  )
}

function AddPerson({ team, onClose }: { readonly team: string; readonly onClose: () => void }) {
  const form = usePersonFields()
  const { name, email } = form.given
  return (
    <ActDialog
      title="Add a person"
      request={{
        method: 'POST',
        path: '/people',
        body: form.isComplete ? { team_id: team, name, ...(email === '' ? {} : { email }) } : null,
      }}
      verb="Add"
      undo="Remove takes the person off the list."
      asksReason={false}
      onClose={onClose}
    >
      <PersonFields form={form} note="For organisers; nothing is sent to it" />
    </ActDialog>
  )
}

function useUpdate({ member_id }: Person) {
  return useAct<UpdatePersonBody, PersonReply>({
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
      title="Name and address"
      verb="Save"
      isReady={form.isComplete}
      act={update}
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
      title="Free the seat"
      verb="Free the seat"
      act={update}
      onConfirm={() => update.mutate({ free_seat: true }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>
        <ForeignText text={person.name} most={60} /> can claim again, as after a lost laptop. Keys that were
        made stay as they are: block them if the laptop is in other hands.
      </p>
    </FormDialog>
  )
}

function RemovePerson({ person, onClose }: { readonly person: Person; readonly onClose: () => void }) {
  const [keys, setKeys] = useState('block')
  return (
    <ActDialog
      title="Remove a person"
      request={{
        method: 'DELETE',
        path: `/people/${encodeURIComponent(person.member_id)}`,
        body: { keys },
        isInQuery: true,
      }}
      verb="Remove"
      isDanger
      undo="The name stays in reports; the address is deleted."
      onClose={onClose}
    >
      <p>
        <ForeignText text={person.name} most={60} /> leaves the team.
      </p>
      <Radio.Group label="Their keys and log tokens" value={keys} onChange={setKeys}>
        <div className="stack radio-stack">
          <Radio value="block" label="Stop with them" />
          <Radio value="keep" label="Stay with the team" />
        </div>
      </Radio.Group>
    </ActDialog>
  )
}
