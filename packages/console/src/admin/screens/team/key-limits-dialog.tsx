// Dialog that sets the limits of one key, overall or for one model.

import type { KeyInfo, KeyRecord } from '@fairgate/contracts/info/key-record.ts'
import { useState } from 'react'
import { readOf, useRead } from '../../../api/use-read.ts'
import { ActionDialog } from '../../../show/action-dialog.tsx'
import { Dialog } from '../../../show/dialog.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { ChangedValues } from '../../../show/planned-changes.tsx'
import { PartError } from '../../../show/states.tsx'
import { TextField } from '../../../show/text-field.tsx'
import { readDollarsOrNone, readWhole, readWholeOrNone } from './read-fields.ts'
import { restoreKeyLimits } from './restore-limits.ts'

export type KeyLimitField = 'budget' | 'rpm' | 'tpm' | 'parallel'

type DialogProps = {
  /** SHA-256 of the key. */
  readonly token: string
  /** Edits the limits for this model only; null for the key's limits over all models. */
  readonly model?: string | null
  /** Field with initial focus. */
  readonly field?: KeyLimitField
  readonly onClose: () => void
}

export function KeyLimitsDialog(props: DialogProps) {
  const read = useRead(readOf<KeyInfo>('/key/info', { key: props.token }))
  if (read.error !== null)
    return (
      <Dialog title="Key limits" onClose={props.onClose}>
        <PartError what="The key" failure={read.error} />
      </Dialog>
    )
  // Placeholder data of another key is not shown.
  return read.data === undefined || read.isPlaceholderData ? null : (
    <Form key={props.token} record={read.data.info} {...props} />
  )
}

function Form({
  token,
  record,
  model = null,
  field = 'budget',
  onClose,
}: DialogProps & { readonly record: KeyRecord }) {
  const [was] = useState(() => openForm(record, model))
  const [form, setForm] = useState(was)
  const faults: Readonly<Record<KeyLimitField, string | null>> = {
    budget:
      readDollarsOrNone(form.budget) === undefined ? 'Enter an amount in dollars, such as 5 or 12.50' : null,
    rpm: readWholeOrNone(form.rpm) === undefined ? 'Enter a whole number' : null,
    tpm: readWholeOrNone(form.tpm) === undefined ? 'Enter a whole number' : null,
    parallel: (readWhole(form.parallel) ?? 0) < 1 ? 'Enter a whole number, at least 1' : null,
  }
  const isReady =
    Object.values(faults).every(fault => fault === null) &&
    fields.some(({ name }) => form[name].trim() !== was[name])
  return (
    <ActionDialog
      title={
        <>
          Limits of{' '}
          {record.key_alias === '' ? null : (
            <>
              <ForeignText text={record.key_alias} most={32} />{' '}
            </>
          )}
          <code>{record.key_name}</code>
          {model === null ? null : (
            <>
              {' '}
              for <code>{model}</code>
            </>
          )}
        </>
      }
      request={{
        method: 'POST',
        path: '/key/update',
        body: isReady ? { key: token, ...buildBody(form, was, model) } : null,
      }}
      verb="Set limits"
      describe={change => <ChangedValues change={change} />}
      takeBack={(_, changes) => restoreKeyLimits(changes)}
      onClose={onClose}
    >
      {fields
        .filter(({ name }) => model === null || name !== 'parallel')
        .map(({ name, label, isNeeded }) => (
          <TextField
            key={name}
            label={label}
            placeholder={isNeeded ? '' : 'no limit'}
            value={form[name]}
            onChange={text => setForm({ ...form, [name]: text })}
            error={faults[name]}
            inputMode={name === 'budget' ? 'decimal' : 'numeric'}
            {...(name === field ? { 'data-autofocus': true } : {})}
          />
        ))}
    </ActionDialog>
  )
}

const fields = [
  { name: 'budget', label: 'Budget (USD)', isNeeded: false },
  { name: 'rpm', label: 'Requests per minute', isNeeded: false },
  { name: 'tpm', label: 'Tokens per minute', isNeeded: false },
  { name: 'parallel', label: 'Parallel calls', isNeeded: true },
] as const

type KeyForm = Readonly<Record<KeyLimitField, string>>

function openForm(record: KeyRecord, model: string | null): KeyForm {
  const { model_rpm_limit: rpm, model_tpm_limit: tpm } = record.metadata as ModelLimits
  return {
    budget: String((model === null ? record.max_budget : record.model_max_budget[model]) ?? ''),
    rpm: String((model === null ? record.rpm_limit : rpm?.[model]) ?? ''),
    tpm: String((model === null ? record.tpm_limit : tpm?.[model]) ?? ''),
    parallel: String(record.max_parallel_requests),
  }
}

type ModelLimits = {
  readonly model_rpm_limit?: Readonly<Record<string, number>>
  readonly model_tpm_limit?: Readonly<Record<string, number>>
}

/** Sends only changed fields, so that changes that others made meanwhile stay. */
function buildBody(form: KeyForm, was: KeyForm, model: string | null) {
  const isChanged = (name: KeyLimitField) => form[name].trim() !== was[name]
  const budget = readDollarsOrNone(form.budget)
  const values = { rpm: readWholeOrNone(form.rpm), tpm: readWholeOrNone(form.tpm) }
  if (model !== null)
    return {
      ...(isChanged('budget') ? { set_model_max_budget: { [model]: budget } } : {}),
      ...(isChanged('rpm') ? { set_model_rpm_limit: { [model]: values.rpm } } : {}),
      ...(isChanged('tpm') ? { set_model_tpm_limit: { [model]: values.tpm } } : {}),
    }
  return {
    ...(isChanged('budget') ? { max_budget: budget } : {}),
    ...(isChanged('rpm') ? { rpm_limit: values.rpm } : {}),
    ...(isChanged('tpm') ? { tpm_limit: values.tpm } : {}),
    ...(isChanged('parallel') ? { max_parallel_requests: readWhole(form.parallel) } : {}),
  }
}
