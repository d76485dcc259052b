// Makes a team: its id, its name, and what it may spend.

import type { NewTeamBody } from '@fairgate/contracts/management/team-bodies.ts'
import { Alert, Button, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useAct } from '../../../api/use-read.ts'
import { Dialog } from '../../../show/dialog.tsx'
import { DialogButtons } from '../../../show/dialog-buttons.tsx'
import { readDollarsOrNone, readWholeOrNone } from '../team/read-fields.ts'
import { suggestTeamId } from './suggest-team-id.ts'

export function NewTeamDialog({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate()
  const make = useAct<NewTeamBody, { readonly team_id: string }>({
    method: 'POST',
    path: '/team/new',
    done: 'Team made',
  })
  const [name, setName] = useState('')
  const [typedId, setId] = useState<string | null>(null)
  const [budget, setBudget] = useState('')
  const [rpm, setRpm] = useState('')
  const [tpm, setTpm] = useState('')
  const id = typedId ?? suggestTeamId(name)
  const money = readDollarsOrNone(budget)
  const requests = readWholeOrNone(rpm)
  const tokens = readWholeOrNone(tpm)
  const isIdWrong = id !== '' && !/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(id)
  const isComplete =
    id !== '' && !isIdWrong && money !== undefined && requests !== undefined && tokens !== undefined
  const { error } = make
  const errorOf = (member: string) => (error?.param === member ? error.message : null)
  const save = () => {
    if (!isComplete) return
    make.mutate(
      {
        team_id: id,
        ...(name.trim() === '' ? {} : { team_alias: name.trim() }),
        ...(money === null ? {} : { max_budget: money }),
        ...(requests === null ? {} : { rpm_limit: requests }),
        ...(tokens === null ? {} : { tpm_limit: tokens }),
      },
      {
        onSuccess: ({ team_id }) => {
          onClose()
          void navigate({ to: '/console/teams/$team/$tab', params: { team: team_id, tab: 'people' } })
        },
      },
    )
  }
  return (
    <Dialog title="New team" size={480} onClose={onClose}>
      <form
        className="stack"
        onSubmit={event => {
          event.preventDefault()
          save()
        }}
      >
        <TextInput
          label="Name"
          value={name}
          maxLength={512}
          onChange={event => setName(event.currentTarget.value)}
          error={errorOf('team_alias')}
          data-autofocus
          autoComplete="off"
        />
        <TextInput
          label="Id"
          description="Stands in addresses and reports, and stays. Letters, digits, dot, underscore, hyphen."
          value={id}
          maxLength={128}
          onChange={event => setId(event.currentTarget.value)}
          error={
            isIdWrong
              ? 'Only letters, digits, dot, underscore and hyphen; the first one is a letter or digit.'
              : (errorOf('team_id') ?? (error?.code === 'conflict' ? error.message : null))
          }
          required
          autoComplete="off"
        />
        <TextInput
          label="Budget"
          description="Dollars, shared by all keys of the team; empty: no limit"
          value={budget}
          onChange={event => setBudget(event.currentTarget.value)}
          error={money === undefined ? 'Write dollars, such as 25 or 12.50.' : errorOf('max_budget')}
          inputMode="decimal"
          autoComplete="off"
        />
        <div className="pair">
          <TextInput
            label="Requests a minute"
            value={rpm}
            onChange={event => setRpm(event.currentTarget.value)}
            error={requests === undefined ? 'Write a whole number.' : errorOf('rpm_limit')}
            inputMode="numeric"
            placeholder="no limit"
            autoComplete="off"
          />
          <TextInput
            label="Tokens a minute"
            value={tpm}
            onChange={event => setTpm(event.currentTarget.value)}
            error={tokens === undefined ? 'Write a whole number.' : errorOf('tpm_limit')}
            inputMode="numeric"
            placeholder="no limit"
            autoComplete="off"
          />
        </div>
        {error === null || error.param !== null || error.code === 'conflict' ? null : (
          <Alert color="red" role="alert">
            {error.message}
          </Alert>
        )}
        <DialogButtons note="Members and keys come next." onCancel={onClose}>
          <Button type="submit" disabled={!isComplete} loading={make.isPending}>
            Make the team
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  )
}
