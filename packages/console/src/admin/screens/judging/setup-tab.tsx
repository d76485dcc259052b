// Set-up of judging: one form, saved as a whole, with the arithmetic of the panel's time beside it.
import type { SetupReply } from '@fairgate/contracts/judging/setup.ts'
import { Button, MultiSelect, Select, Switch, TagsInput } from '@mantine/core'
import { Plus } from 'lucide-react'
import { Card } from '../../../show/card.tsx'
import { FailureNote } from '../../../show/failure-note.tsx'
import { ForeignName, ForeignText } from '../../../show/foreign.tsx'
import { IconButton } from '../../../show/icon-button.tsx'
import { Moment } from '../../../show/moment.tsx'
import { TextField } from '../../../show/text-field.tsx'
import { TimeField } from '../../../show/time-field.tsx'
import { useNamedTeams } from '../teams/team-link.tsx'
import { CriteriaCard, GatesCard } from './criteria-card.tsx'
import { PlanCard } from './plan-card.tsx'
import { RankingCard } from './ranking-card.tsx'
import { RemoveRow } from './row-buttons.tsx'
import { SeedField } from './seed-field.tsx'
import { listChangedParts, nextKey } from './setup-draft.ts'
import { LockNote, type SetupForm, useSetupForm } from './setup-form.tsx'

const maxTracks = 50

type TeamOption = { readonly value: string; readonly label: string }

/** `lock`: why scores, ranking and draws cannot be changed any longer. */
export function SetupTab({ reply, lock }: { readonly reply: SetupReply; readonly lock: string | null }) {
  const state = useSetupForm(reply, lock)
  const { form } = state
  const teams = useTeamOptions()
  return (
    <form
      className="stack"
      onSubmit={event => {
        event.preventDefault()
        if (state.newer === null) state.save()
      }}
    >
      <div className="grid setup-columns">
        <div className="stack">
          <CriteriaCard form={form} />
          <GatesCard form={form} />
          <RankingCard form={form} />
          <TimesCard form={form} />
          <TracksCard form={form} teams={teams} />
          <TagsCard form={form} teams={teams} />
        </div>
        <div className="stack setup-aside">
          <PlanCard draft={form.draft} />
          <PanelCard form={form} teams={teams} />
        </div>
      </div>
      <SaveBar reply={reply} state={state} />
    </form>
  )
}

function useTeamOptions(): readonly TeamOption[] {
  const teams = useNamedTeams()
  return (teams.data?.items ?? []).map(({ team_id, team_alias }) => ({
    value: team_id,
    label: (team_alias === '' ? team_id : team_alias).slice(0, 60),
  }))
}

const showOption = ({ option }: { readonly option: TeamOption }) => (
  <ForeignText text={option.label} most={48} />
)

function PanelCard({
  form: { draft, set, faults, lock },
  teams,
}: {
  readonly form: SetupForm
  readonly teams: readonly TeamOption[]
}) {
  return (
    <Card title="Panel">
      <div className="stack">
        <div className="thirds">
          <TextField
            label="Judges per team"
            inputMode="numeric"
            value={draft.judgesPerTeam}
            error={faults.get('judgesPerTeam')}
            onChange={judgesPerTeam => set({ judgesPerTeam })}
          />
          <TextField
            label="Minutes per team"
            inputMode="numeric"
            value={draft.minutesPerTeam}
            error={faults.get('minutesPerTeam')}
            onChange={minutesPerTeam => set({ minutesPerTeam })}
          />
          <TextField
            label="Minutes per judge"
            inputMode="numeric"
            value={draft.minutesPerJudge}
            error={faults.get('minutesPerJudge')}
            onChange={minutesPerJudge => set({ minutesPerJudge })}
          />
        </div>
        <Select
          label="Calibration team"
          description="Every judge reads it first, so that all use the scale in the same way"
          placeholder="None"
          searchable
          clearable
          disabled={lock !== null}
          data={[...teams]}
          renderOption={showOption}
          value={draft.calibration}
          onChange={calibration => set({ calibration })}
        />
        <SeedField
          value={draft.seed}
          error={faults.get('seed')}
          isLocked={lock !== null}
          onChange={seed => set({ seed })}
        />
        <LockNote lock={lock} />
      </div>
    </Card>
  )
}

function TimesCard({ form: { draft, set, faults } }: { readonly form: SetupForm }) {
  return (
    <Card title="Reading">
      <div className="stack">
        <Switch
          label="Blind"
          description="Judges see numbers and letters instead of the names of teams and people, and no repository, links or files"
          checked={draft.isBlind}
          onChange={event => set({ isBlind: event.currentTarget.checked })}
        />
        <div className="pair">
          <TimeField
            label="Scores from"
            whenEmpty="At once"
            value={draft.opens}
            error={faults.get('opens') ?? null}
            onChange={opens => set({ opens })}
          />
          <TimeField
            label="Scores until"
            whenEmpty="Without end"
            value={draft.closes}
            error={faults.get('closes') ?? null}
            onChange={closes => set({ closes })}
          />
        </div>
      </div>
    </Card>
  )
}

function TracksCard({
  form: { draft, set, faults },
  teams,
}: {
  readonly form: SetupForm
  readonly teams: readonly TeamOption[]
}) {
  const { tracks } = draft
  return (
    <Card title="Tracks" note="a judge with tracks judges only their teams; teams in none are judged by all">
      <div className="stack">
        {tracks.map((row, at) => (
          <div key={row.key} className="track">
            <TextField
              label={`Track ${at + 1}`}
              value={row.name}
              maxLength={100}
              error={faults.get(`track.${row.key}`)}
              onChange={name =>
                set({ tracks: tracks.map(each => (each.key === row.key ? { ...each, name } : each)) })
              }
            />
            <MultiSelect
              label="Teams"
              searchable
              data={[...teams]}
              renderOption={showOption}
              value={[...row.teams]}
              onChange={chosen =>
                set({
                  tracks: tracks.map(each => (each.key === row.key ? { ...each, teams: chosen } : each)),
                })
              }
            />
            <RemoveRow
              name={row.name === '' ? `track ${at + 1}` : row.name}
              onRemove={() => set({ tracks: tracks.filter(({ key }) => key !== row.key) })}
            />
          </div>
        ))}
        <span>
          <IconButton
            icon={Plus}
            disabled={tracks.length >= maxTracks}
            onClick={() => set({ tracks: [...tracks, { key: nextKey(), id: null, name: '', teams: [] }] })}
          >
            Add a track
          </IconButton>
        </span>
      </div>
    </Card>
  )
}

function TagsCard({
  form: { draft, set },
  teams,
}: {
  readonly form: SetupForm
  readonly teams: readonly TeamOption[]
}) {
  const { tags } = draft
  const known = new Set(tags.flatMap(row => row.tags))
  const free = teams.filter(({ value }) => !tags.some(({ team }) => team === value))
  return (
    <Card title="Schools and companies" note="a judge with a tag of a team does not judge it">
      <div className="stack">
        {tags.map(row => {
          const name = teams.find(({ value }) => value === row.team)?.label ?? row.team
          return (
            <div key={row.team} className="tag-row">
              <ForeignName name={name} most={28} />
              <TagsInput
                aria-label={`Schools and companies of ${name}`}
                data={[...known]}
                value={[...row.tags]}
                maxTags={20}
                onChange={own =>
                  set({ tags: tags.map(each => (each.team === row.team ? { ...each, tags: own } : each)) })
                }
              />
              <RemoveRow
                name={`the tags of ${name}`}
                onRemove={() => set({ tags: tags.filter(({ team }) => team !== row.team) })}
              />
            </div>
          )
        })}
        <Select
          aria-label="Tag a team"
          placeholder="Tag a team…"
          searchable
          data={free}
          renderOption={showOption}
          value={null}
          onChange={team => {
            if (team !== null) set({ tags: [...tags, { team, tags: [] }] })
          }}
        />
      </div>
    </Card>
  )
}

function SaveBar({
  reply,
  state,
}: {
  readonly reply: SetupReply
  readonly state: ReturnType<typeof useSetupForm>
}) {
  const { isTouched, newer, faultCount, failure, mine } = state
  const isConflict = newer !== null
  return (
    <div className="save-bar" data-save-bar>
      {isConflict ? (
        <div className="notice" data-tone="warn" role="alert">
          <div className="grow stack-tight">
            <span className="strong">
              <ForeignName name={reply.changed_by ?? 'Somebody'} /> saved version {reply.version}{' '}
              <Moment at={reply.changed_at} as="ago" /> while you were editing.
            </span>
            <span>
              Your text is still here. It differs from that version in:{' '}
              {mine === null ? 'parts with mistakes' : listChangedParts(reply.setup, mine).join(', ')}.
            </span>
          </div>
          <Button variant="default" size="xs" onClick={state.discard}>
            Take that version
          </Button>
          <Button size="xs" loading={state.isSaving} onClick={state.saveOver}>
            Save mine over it
          </Button>
        </div>
      ) : null}
      <FailureNote text={isConflict ? null : failure?.message} />
      <div className="row-between wrap">
        <span className="muted small">
          {faultCount > 0 ? (
            <span className="tone-bad">
              {faultCount === 1 ? 'One field needs a correction.' : `${faultCount} fields need a correction.`}
            </span>
          ) : isTouched ? (
            'Not saved yet. What you typed is kept in this browser.'
          ) : reply.version === 0 ? (
            'Nothing is saved yet.'
          ) : (
            <>
              Version {reply.version}, saved <Moment at={reply.changed_at} as="ago" /> by{' '}
              <ForeignName name={reply.changed_by ?? 'somebody'} />
            </>
          )}
        </span>
        <span className="row">
          {isTouched ? (
            <Button variant="default" onClick={state.discard}>
              Discard changes
            </Button>
          ) : null}
          <Button
            type="submit"
            loading={state.isSaving}
            disabled={isConflict || (!isTouched && reply.version > 0)}
          >
            Save the set-up
          </Button>
        </span>
      </div>
    </div>
  )
}
