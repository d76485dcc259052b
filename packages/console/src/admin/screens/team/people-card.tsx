// The members of a team: who has claimed a seat, and with which keys and tokens.

import type { People, Person, PersonReply, UpdatePersonBody } from '@fairgate/contracts/management/people.ts'
import { ActionIcon, Button, Menu, Radio, TextInput } from '@mantine/core'
import { MoreHorizontal, UserPlus } from 'lucide-react'
import { useState } from 'react'
import { useAct, type useRead } from '../../../api/use-read.ts'
import { countOf } from '../../../format/number.ts'
import { ActDialog } from '../../../show/act-dialog.tsx'
import { Card } from '../../../show/card.tsx'
import { ForeignName, ForeignText } from '../../../show/foreign.tsx'
import { Moment } from '../../../show/moment.tsx'
import { Empty, Loaded } from '../../../show/states.tsx'
import { ConfirmDialog } from './confirm-dialog.tsx'

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
    <Card
      isFlush
      title="People"
      action={
        <Button
          size="xs"
          leftSection={<UserPlus size={14} aria-hidden />}
          onClick={() => setOpen({ kind: 'add' })}
        >
          Add a person
        </Button>
      }
    >
      <Loaded read={read} what="The people" height={38} lines={3}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty>
              Nobody is on the list. Add people, so that each can claim a seat and spend is told apart.
            </Empty>
          ) : (
            <div className="table-frame">
              <table className="table" data-part="people">
                <caption className="hidden-text">Members of the team</caption>
                <thead>
                  <tr>
                    <th scope="col">Name</th>
                    <th scope="col" className="from-768">
                      Address
                    </th>
                    <th scope="col">Seat</th>
                    <th scope="col" className="from-600">
                      Keys
                    </th>
                    <th scope="col" className="from-768">
                      Log tokens
                    </th>
                    <th scope="col">
                      <span className="hidden-text">Acts</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {items.map(person => (
                    <PersonRow key={person.member_id} person={person} onOpen={setOpen} />
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Loaded>
      {open === null ? null : open.kind === 'add' ? (
        <AddPerson team={team} onClose={close} />
      ) : open.kind === 'edit' ? (
        <EditPerson person={open.person} onClose={close} />
      ) : open.kind === 'seat' ? (
        <FreeSeat person={open.person} onClose={close} />
      ) : (
        <RemovePerson person={open.person} onClose={close} />
      )}
    </Card>
  )
}

function PersonRow({ person, onOpen }: { readonly person: Person; readonly onOpen: (open: Open) => void }) {
  const { name, email, claimed_at, keys, log_tokens } = person
  const working = keys.filter(({ blocked }) => !blocked).length
  const tokens = log_tokens.filter(({ revoked_at }) => revoked_at === null).length
  return (
    <tr>
      <td className="strong">
        <ForeignName name={name} />
      </td>
      <td className="from-768 muted">{email === null ? '–' : <ForeignText text={email} most={48} />}</td>
      <td>
        {claimed_at === null ? (
          <span className="muted">free</span>
        ) : (
          <span className="nowrap">
            claimed <Moment at={claimed_at} as="ago" />
          </span>
        )}
      </td>
      <td className="from-600">{countOf(working, 'key')}</td>
      <td className="from-768">{countOf(tokens, 'token')}</td>
      <td className="end">
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" aria-label={`Acts on ${name}`}>
              <MoreHorizontal size={16} aria-hidden />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => onOpen({ kind: 'edit', person })}>Name and address…</Menu.Item>
            <Menu.Item disabled={claimed_at === null} onClick={() => onOpen({ kind: 'seat', person })}>
              Free the seat…
            </Menu.Item>
            <Menu.Item color="red" onClick={() => onOpen({ kind: 'remove', person })}>
              Remove…
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </td>
    </tr>
  )
}

function AddPerson({ team, onClose }: { readonly team: string; readonly onClose: () => void }) {
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const isEmailWrong = email.trim() !== '' && !isEmail(email)
  return (
    <ActDialog
      title="Add a person"
      request={{
        method: 'POST',
        path: '/people',
        body:
          name.trim() === '' || isEmailWrong
            ? null
            : {
                team_id: team,
                name: name.trim(),
                ...(email.trim() === '' ? {} : { email: email.trim() }),
              },
      }}
      verb="Add"
      undo="Remove takes the person off the list."
      asksReason={false}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        value={name}
        maxLength={100}
        onChange={event => setName(event.currentTarget.value)}
        required
        data-autofocus
        autoComplete="off"
      />
      <TextInput
        label="E-mail address"
        description="For organisers; nothing is sent to it"
        value={email}
        maxLength={254}
        onChange={event => setEmail(event.currentTarget.value)}
        error={isEmailWrong ? 'That is no e-mail address.' : null}
        autoComplete="off"
      />
    </ActDialog>
  )
}

function isEmail(text: string): boolean {
  return /^[^\s@]+@[^\s@]+$/.test(text.trim())
}

function useUpdate({ member_id }: Person) {
  return useAct<UpdatePersonBody, PersonReply>({
    done: 'Saved',
    method: 'POST',
    path: `/people/${encodeURIComponent(member_id)}`,
  })
}

function EditPerson({ person, onClose }: { readonly person: Person; readonly onClose: () => void }) {
  const [name, setName] = useState(person.name)
  const [email, setEmail] = useState(person.email ?? '')
  const update = useUpdate(person)
  const isEmailWrong = email.trim() !== '' && !isEmail(email)
  return (
    <ConfirmDialog
      title="Name and address"
      verb="Save"
      isReady={name.trim() !== '' && !isEmailWrong}
      isPending={update.isPending}
      error={update.error}
      onConfirm={() =>
        update.mutate(
          { name: name.trim(), email: email.trim() === '' ? null : email.trim() },
          { onSuccess: onClose },
        )
      }
      onClose={onClose}
    >
      <TextInput
        label="Name"
        value={name}
        maxLength={100}
        onChange={event => setName(event.currentTarget.value)}
        required
        data-autofocus
        autoComplete="off"
      />
      <TextInput
        label="E-mail address"
        value={email}
        maxLength={254}
        onChange={event => setEmail(event.currentTarget.value)}
        error={isEmailWrong ? 'That is no e-mail address.' : null}
        autoComplete="off"
      />
    </ConfirmDialog>
  )
}

function FreeSeat({ person, onClose }: { readonly person: Person; readonly onClose: () => void }) {
  const update = useUpdate(person)
  return (
    <ConfirmDialog
      title="Free the seat"
      verb="Free the seat"
      isPending={update.isPending}
      error={update.error}
      onConfirm={() => update.mutate({ free_seat: true }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>
        <ForeignText text={person.name} most={60} /> can claim again, as after a lost laptop. Keys that were
        made stay as they are: block them if the laptop is in other hands.
      </p>
    </ConfirmDialog>
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
