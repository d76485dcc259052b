// Creates a team with its id, name and limits.

import type { NewTeamBody } from '@fairgate/contracts/management/team-bodies.ts'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useAction } from '../../../api/use-read.ts'
import { FormDialog, faultOf } from '../../../show/form-dialog.tsx'
import { TextField } from '../../../show/text-field.tsx'
import { readDollarsOrNone, readWholeOrNone } from '../team/read-fields.ts'
import { suggestTeamId } from './suggest-team-id.ts'

export function NewTeamDialog({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate()
  const make = useAction<NewTeamBody, { readonly team_id: string }>({
    method: 'POST',
    path: '/team/new',
    done: 'Team created',
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
    <FormDialog
      title="New team"
      verb="Create team"
      note="Next: add members and keys."
      fields={['team_alias', 'team_id', 'max_budget', 'rpm_limit', 'tpm_limit']}
      isReady={isComplete}
      action={{ isPending: make.isPending, error: error?.code === 'conflict' ? null : error }}
      onConfirm={save}
      onClose={onClose}
    >
      <TextField
        label="Name"
        value={name}
        maxLength={512}
        onChange={setName}
        error={faultOf(error, 'team_alias')}
        data-autofocus
      />
      <TextField
        label="Id"
        description="Used in addresses and reports; cannot be changed. Letters, digits, dot, underscore, hyphen."
        value={id}
        maxLength={128}
        onChange={setId}
        error={
          isIdWrong
            ? 'Use only letters, digits, dot, underscore and hyphen. Start with a letter or digit.'
            : (faultOf(error, 'team_id') ?? (error?.code === 'conflict' ? error.message : null))
        }
        required
      />
      <TextField
        label="Budget"
        description="USD, shared by all keys of the team. Leave empty for no limit."
        value={budget}
        onChange={setBudget}
        error={
          money === undefined
            ? 'Enter an amount in dollars, such as 25 or 12.50'
            : faultOf(error, 'max_budget')
        }
        inputMode="decimal"
      />
      <div className="pair">
        <TextField
          label="Requests per minute"
          value={rpm}
          onChange={setRpm}
          error={requests === undefined ? 'Enter a whole number' : faultOf(error, 'rpm_limit')}
          inputMode="numeric"
          placeholder="no limit"
        />
        <TextField
          label="Tokens per minute"
          value={tpm}
          onChange={setTpm}
          error={tokens === undefined ? 'Enter a whole number' : faultOf(error, 'tpm_limit')}
          inputMode="numeric"
          placeholder="no limit"
        />
      </div>
    </FormDialog>
  )
}
