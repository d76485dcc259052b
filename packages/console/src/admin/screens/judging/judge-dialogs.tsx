// Dialogs for one judge: add, edit, declare a conflict, replace, and bring back.
import type {
  ChangeJudgeBody,
  ConflictBody,
  JudgeItem,
  NewJudgesBody,
} from '@fairgate/contracts/judging/panel.ts'
import type { JudgingSetup } from '@fairgate/contracts/judging/setup.ts'
import { MultiSelect, Select, TagsInput } from '@mantine/core'
import { useState } from 'react'
import { useAction } from '../../../api/use-read.ts'
import { countOf } from '../../../format/number.ts'
import { ActionDialog } from '../../../show/action-dialog.tsx'
import { AskDialog } from '../../../show/ask-dialog.tsx'
import { ForeignName, ForeignText } from '../../../show/foreign.tsx'
import { FormDialog, faultOf } from '../../../show/form-dialog.tsx'
import { TextField } from '../../../show/text-field.tsx'
import { readWholeOrNone } from '../team/read-fields.ts'
import { useNamedTeams } from '../teams/team-link.tsx'

type Closing = { readonly onClose: () => void }

/** `judge` is null for a new one. A name cannot be changed, because records refer to it. */
export function JudgeDialog({
  judge,
  setup,
  onClose,
}: Closing & { readonly judge: JudgeItem | null; readonly setup: JudgingSetup | null }) {
  const [name, setName] = useState(judge?.name ?? '')
  const [email, setEmail] = useState(judge?.email ?? '')
  const [tags, setTags] = useState<string[]>([...(judge?.tags ?? [])])
  const [tracks, setTracks] = useState<string[]>([...(judge?.tracks ?? [])])
  const [minutes, setMinutes] = useState(
    judge?.minutes === undefined || judge.minutes === null ? '' : String(judge.minutes),
  )
  const span = readWholeOrNone(minutes)
  const save = useAction<NewJudgesBody | ChangeJudgeBody, unknown>({
    method: 'POST',
    path: judge === null ? '/judging/judges' : `/judging/judges/${encodeURIComponent(judge.judge_id)}`,
    done: judge === null ? 'Judge added' : 'Judge changed',
  })
  const fields = { email: email.trim() === '' ? null : email.trim(), tags, tracks, minutes: span ?? null }
  const known = setup?.tracks ?? []
  const offered = [...new Set(Object.values(setup?.team_tags ?? {}).flat())]
  return (
    <FormDialog
      title={judge === null ? 'Add a judge' : <ForeignName name={judge.name} />}
      verb={judge === null ? 'Add the judge' : 'Save'}
      isReady={name.trim() !== '' && span !== undefined}
      action={save}
      fields={['email']}
      note={judge === null ? 'Nothing is sent to the judge. Teams come with the next deal.' : undefined}
      onConfirm={() =>
        save.mutate(judge === null ? { judges: [{ name: name.trim(), ...fields }] } : fields, {
          onSuccess: onClose,
        })
      }
      onClose={onClose}
    >
      {judge === null ? (
        <TextField label="Name" value={name} maxLength={100} onChange={setName} required data-autofocus />
      ) : null}
      <TextField
        label="Email"
        value={email}
        maxLength={320}
        error={faultOf(save.error, 'email')}
        onChange={setEmail}
      />
      <TagsInput
        label="Schools and companies"
        description="A judge with a tag of a team does not judge it"
        data={offered}
        value={tags}
        maxTags={20}
        onChange={setTags}
      />
      {known.length === 0 ? null : (
        <MultiSelect
          label="Tracks"
          description="Leave empty for all teams"
          data={known.map(({ id, name: label }) => ({ value: id, label }))}
          value={tracks}
          onChange={setTracks}
        />
      )}
      <TextField
        label="Minutes"
        description={
          setup === null
            ? 'Leave empty to use those of the set-up'
            : `Leave empty for ${setup.minutes_per_judge}`
        }
        inputMode="numeric"
        value={minutes}
        error={span === undefined ? 'Enter a whole number' : null}
        onChange={setMinutes}
      />
    </FormDialog>
  )
}

export function ConflictDialog({ judge, onClose }: Closing & { readonly judge: JudgeItem }) {
  const teams = useNamedTeams()
  const [team, setTeam] = useState<string | null>(null)
  const [reason, setReason] = useState('')
  const declare = useAction<ConflictBody, unknown>({
    method: 'POST',
    path: '/judging/conflicts',
    done: 'Conflict declared',
  })
  const has = team !== null && judge.teams.includes(team)
  return (
    <FormDialog
      title={
        <>
          Conflict of <ForeignName name={judge.name} />
        </>
      }
      verb="Declare the conflict"
      isReady={team !== null && reason.trim() !== ''}
      action={declare}
      note="This cannot be undone."
      onConfirm={() =>
        declare.mutate(
          { team_id: team ?? '', judge_id: judge.judge_id, reason: reason.trim() },
          { onSuccess: onClose },
        )
      }
      onClose={onClose}
    >
      <Select
        label="Team"
        searchable
        required
        data={(teams.data?.items ?? [])
          .filter(({ team_id }) => !judge.conflicts.some(conflict => conflict.team_id === team_id))
          .map(({ team_id, team_alias }) => ({
            value: team_id,
            label: (team_alias === '' ? team_id : team_alias).slice(0, 60),
          }))}
        renderOption={({ option }) => <ForeignText text={option.label} most={48} />}
        value={team}
        onChange={setTeam}
      />
      <TextField
        label="Reason"
        description="Kept on record, such as “mentor of the team”"
        value={reason}
        maxLength={200}
        onChange={setReason}
        required
      />
      <p className="muted small" aria-live="polite">
        {team === null
          ? 'This judge will not judge the team.'
          : has
            ? 'This judge has the team now. Another judge gets it, and nothing else moves. A judgement that exists stays on record and no longer counts.'
            : 'This judge does not have the team, and will not get it.'}
      </p>
    </FormDialog>
  )
}

export function ReplaceDialog({ judge, onClose }: Closing & { readonly judge: JudgeItem }) {
  return (
    <ActionDialog
      title={
        <>
          Replace <ForeignName name={judge.name} />
        </>
      }
      request={{ method: 'POST', path: '/judging/deal', body: { replace: judge.judge_id } }}
      verb="Give the teams to others"
      asksReason={false}
      describe={({ what, subject, from, to }) => (
        <TeamChange what={what} judge={subject} from={from} to={to} />
      )}
      undo="A judge who comes back gets teams with the next deal."
      onClose={onClose}
    >
      <p className="muted small">
        Teams that this judge has not finished go to others, and nothing else moves. Finished judgements stay.
      </p>
    </ActionDialog>
  )
}

/** A change of a judge's teams, as counts and names. */
export function TeamChange({
  what,
  judge,
  from,
  to,
}: {
  readonly what: string
  readonly judge: string
  readonly from: unknown
  readonly to: unknown
}) {
  if (what === 'absent')
    return (
      <>
        <ForeignText text={judge} most={40} className="strong" /> is absent from now on.
      </>
    )
  const [before, after] = [readTeams(from), readTeams(to)]
  const added = after.filter(team => !before.includes(team))
  const gone = before.filter(team => !after.includes(team))
  return (
    <span>
      <ForeignText text={judge} most={40} className="strong" />{' '}
      <span className="muted">
        {countOf(before.length, 'team')} → {after.length}:
      </span>{' '}
      {added.length === 0 ? null : (
        <span>
          gets <ForeignText text={added.join(', ')} most={200} />
        </span>
      )}
      {added.length > 0 && gone.length > 0 ? '; ' : ''}
      {gone.length === 0 ? null : (
        <span className="muted">
          gives away <ForeignText text={gone.join(', ')} most={200} />
        </span>
      )}
    </span>
  )
}

/** The teams of a planned change. Ids contain no comma. */
export function readTeams(value: unknown): readonly string[] {
  return typeof value === 'string' && value !== '' ? value.split(', ') : []
}

export function ReturnDialog({ judge, onClose }: Closing & { readonly judge: JudgeItem }) {
  const bring = useAction<ChangeJudgeBody, unknown>({
    method: 'POST',
    path: `/judging/judges/${encodeURIComponent(judge.judge_id)}`,
  })
  return (
    <AskDialog
      title="Judge is back"
      verb="Count this judge again"
      action={reason => bring.mutateAsync({ absent: false, ...(reason === null ? {} : { reason }) })}
      onClose={onClose}
    >
      <p>
        <ForeignName name={judge.name} /> gets teams with the next deal.
      </p>
    </AskDialog>
  )
}
