// Limits tab: edits the limits of a team, overall and by model, and of its keys. Changes are previewed.

import type { LimitInUse } from '@fairgate/contracts/console/team-detail.ts'
import type { TeamRow } from '@fairgate/contracts/console/teams.ts'
import type { TeamRecord } from '@fairgate/contracts/info/team-record.ts'
import type { CatalogList } from '@fairgate/contracts/management/catalog.ts'
import { Button, NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { readOf, useRead } from '../../../api/use-read.ts'
import { formatMoney } from '../../../format/money.ts'
import { formatCount } from '../../../format/number.ts'
import { ActionDialog } from '../../../show/action-dialog.tsx'
import { Card } from '../../../show/card.tsx'
import { ForeignId, ForeignText } from '../../../show/foreign.tsx'
import { Loaded } from '../../../show/states.tsx'
import { TextField } from '../../../show/text-field.tsx'
import { CorrectionsCard } from './corrections-card.tsx'
import { KeyLimitsCard } from './key-limits-card.tsx'
import { buildLimitChanges, type LimitForm, openLimitForm } from './limit-form.ts'
import type { TeamInfoReply } from './overview-tab.tsx'
import { restoreTeamLimits } from './restore-limits.ts'

export function LimitsTab({ row }: { readonly row: TeamRow }) {
  const read = useRead(readOf<TeamInfoReply>('/team/info', { team_id: row.team_id, detail: true }))
  return (
    <>
      <Loaded read={read} what="The limits" height={56} lines={4}>
        {({ team_info, limits_now }) => (
          // A saved change resets the form.
          <TeamLimits
            key={team_info.updated_at}
            record={team_info}
            limits={limits_now}
            name={row.team_alias}
          />
        )}
      </Loaded>
      <KeyLimitsCard team={row.team_id} />
      <CorrectionsCard team={row.team_id} />
    </>
  )
}

function TeamLimits({
  record,
  limits,
  name,
}: {
  readonly record: TeamRecord
  readonly limits: readonly LimitInUse[]
  readonly name: string
}) {
  const catalog = useRead(readOf<CatalogList>('/catalog'))
  const [form, setForm] = useState(() => openLimitForm(record))
  const [isShown, setShown] = useState(false)
  const { changes, problems } = buildLimitChanges(record, form)
  const hasChanges = Object.keys(changes).length > 0
  const set = (field: 'budget' | 'rpm' | 'tpm', value: string) => setForm({ ...form, [field]: value })
  const limitOf = (kind: LimitInUse['kind'], model: string | null) =>
    limits.find(
      limit =>
        limit.kind === kind &&
        limit.level === (model === null ? 'team' : 'team_model') &&
        limit.model === model,
    )
  const others = (catalog.data?.models ?? [])
    .map(({ id }) => id)
    .filter(id => !form.models.some(({ model }) => model === id))
  return (
    <Card title="Team limits" note="shared by all keys of the team">
      <form
        className="stack"
        onSubmit={event => {
          event.preventDefault()
          if (hasChanges && problems.size === 0) setShown(true)
        }}
      >
        <div className="limit-fields">
          <TextField
            label="Budget per period (USD)"
            description={describeUse(limitOf('budget', null))}
            placeholder="no limit"
            value={form.budget}
            onChange={text => set('budget', text)}
            error={problems.get('budget') ?? null}
            inputMode="decimal"
          />
          <TextField
            label="Requests per minute"
            description={describeUse(limitOf('requests', null))}
            placeholder="no limit"
            value={form.rpm}
            onChange={text => set('rpm', text)}
            error={problems.get('rpm') ?? null}
            inputMode="numeric"
          />
          <TextField
            label="Tokens per minute"
            description={describeUse(limitOf('tokens', null))}
            placeholder="no limit"
            value={form.tpm}
            onChange={text => set('tpm', text)}
            error={problems.get('tpm') ?? null}
            inputMode="numeric"
          />
        </div>
        <h3>Limits by model</h3>
        {form.models.length === 0 ? (
          <p className="muted small">No limits by model. Service limits apply to all teams.</p>
        ) : (
          <ModelLimits form={form} setForm={setForm} problems={problems} limitOf={limitOf} />
        )}
        <NativeSelect
          className="limit-model"
          label="Add a limit for a model"
          value=""
          onChange={event => {
            const model = event.currentTarget.value
            if (model !== '') setForm({ ...form, models: [...form.models, { model, rpm: '', tpm: '' }] })
          }}
          data={[{ value: '', label: 'Choose a model' }, ...others.map(id => ({ value: id, label: id }))]}
        />
        <div className="row-between wrap">
          <span className="muted small">
            Leave a field empty for no limit. Unchanged fields stay as they are.
          </span>
          <span className="row">
            <Button
              variant="default"
              disabled={!hasChanges && problems.size === 0}
              onClick={() => setForm(openLimitForm(record))}
            >
              Discard
            </Button>
            <Button type="submit" disabled={!hasChanges || problems.size > 0}>
              Preview changes…
            </Button>
          </span>
        </div>
      </form>
      {isShown ? (
        <ActionDialog
          title={
            <>
              Limits of <ForeignText text={name} most={40} />
            </>
          }
          request={{ method: 'POST', path: '/teams/update', body: { teams: [record.team_id], ...changes } }}
          verb="Set limits"
          takeBack={(_, changes) => restoreTeamLimits(changes)}
          undo="Applies at once. Set the old values to undo."
          onClose={() => setShown(false)}
        />
      ) : null}
    </Card>
  )
}

function describeUse(limit: LimitInUse | undefined): string {
  if (limit === undefined) return 'no limit now'
  const format = (value: number) => (limit.kind === 'budget' ? formatMoney(value) : formatCount(value))
  return `${format(limit.used)} in use now`
}

function ModelLimits({
  form,
  setForm,
  problems,
  limitOf,
}: {
  readonly form: LimitForm
  readonly setForm: (form: LimitForm) => void
  readonly problems: ReadonlyMap<string, string>
  readonly limitOf: (kind: LimitInUse['kind'], model: string) => LimitInUse | undefined
}) {
  const set = (model: string, field: 'rpm' | 'tpm', value: string) =>
    setForm({
      ...form,
      models: form.models.map(each => (each.model === model ? { ...each, [field]: value } : each)),
    })
  return (
    <ul className="stack">
      {form.models.map(({ model, rpm, tpm }) => (
        <li key={model} className="limit-fields">
          <ForeignId className="limit-name" text={model} most={64} />
          <TextField
            aria-label={`Requests per minute for ${model}`}
            description={`Requests per minute, ${describeUse(limitOf('requests', model))}`}
            placeholder="no limit"
            value={rpm}
            onChange={text => set(model, 'rpm', text)}
            error={problems.get(`${model} rpm`) ?? null}
            inputMode="numeric"
          />
          <TextField
            aria-label={`Tokens per minute for ${model}`}
            description={`Tokens per minute, ${describeUse(limitOf('tokens', model))}`}
            placeholder="no limit"
            value={tpm}
            onChange={text => set(model, 'tpm', text)}
            error={problems.get(`${model} tpm`) ?? null}
            inputMode="numeric"
          />
        </li>
      ))}
    </ul>
  )
}
