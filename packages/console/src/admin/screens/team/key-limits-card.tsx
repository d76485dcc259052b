// The limits of single keys, on top of those of the team; what would change is shown before it is sent.

import type { KeyList, KeyRow, UpdateKeyBody } from '@fairgate/contracts/management/key-bodies.ts'
import { Button, TextInput } from '@mantine/core'
import { useState } from 'react'
import { readOf, useAct, useRead } from '../../../api/use-read.ts'
import { formatMoney } from '../../../format/money.ts'
import { formatCount } from '../../../format/number.ts'
import { useAddress } from '../../../frame/use-address.ts'
import { Card } from '../../../show/card.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { Empty, Loaded } from '../../../show/states.tsx'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { readDollarsOrNone, readWhole, readWholeOrNone } from './read-fields.ts'

const nanoPerDollar = 1_000_000_000

export function KeyLimitsCard({ team }: { readonly team: string }) {
  const read = useRead(
    readOf<KeyList>('/key/list', { team_id: team, return_full_object: true, size: 100, page: 1 }),
  )
  const { search, change } = useAddress()
  const edited = (read.data?.keys ?? []).find(key => typeof key === 'object' && key.token === search.key)
  return (
    <Card isFlush title="Limits of keys" note="on top of those of the team">
      <Loaded read={read} what="The keys" height={38} lines={3}>
        {({ keys }) =>
          keys.length === 0 ? (
            <Empty>The team has no key yet.</Empty>
          ) : (
            <div className="table-frame">
              <table className="table" data-part="key-limits">
                <caption className="hidden-text">Limits of the keys</caption>
                <thead>
                  <tr>
                    <th scope="col">Key</th>
                    <th scope="col" className="end">
                      Budget
                    </th>
                    <th scope="col" className="end from-600">
                      Requests /min
                    </th>
                    <th scope="col" className="end from-768">
                      Tokens /min
                    </th>
                    <th scope="col" className="end from-600">
                      At once
                    </th>
                    <th scope="col">
                      <span className="hidden-text">Acts</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {keys
                    .filter(key => typeof key === 'object')
                    .map(key => (
                      <tr key={key.token}>
                        <td>
                          {key.key_alias === '' ? null : (
                            <span className="strong">
                              <ForeignText text={key.key_alias} most={40} />{' '}
                            </span>
                          )}
                          <code className="muted">{key.key_name}</code>
                        </td>
                        <td className="end">
                          <Limit>
                            {key.max_budget === null || key.max_budget === undefined
                              ? null
                              : formatMoney(Math.round(key.max_budget * nanoPerDollar), 'nearest')}
                          </Limit>
                        </td>
                        <td className="end from-600">
                          <Limit>{writeCount(key.rpm_limit)}</Limit>
                        </td>
                        <td className="end from-768">
                          <Limit>{writeCount(key.tpm_limit)}</Limit>
                        </td>
                        <td className="end from-600">{formatCount(key.max_parallel_requests)}</td>
                        <td className="end">
                          <Button
                            size="compact-xs"
                            variant="subtle"
                            aria-label={`Edit… limits of ${key.key_alias || key.key_name}`}
                            onClick={() => change({ key: key.token }, true)}
                          >
                            Edit…
                          </Button>
                        </td>
                      </tr>
                    ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Loaded>
      {typeof edited === 'object' ? (
        <EditKey key={edited.token} row={edited} onClose={() => change({ key: undefined })} />
      ) : null}
    </Card>
  )
}

function Limit({ children }: { readonly children: string | null }) {
  return children === null ? <span className="faint">none</span> : children
}

function writeCount(value: number | null | undefined): string | null {
  return value === null || value === undefined ? null : formatCount(value)
}

function EditKey({ row, onClose }: { readonly row: KeyRow; readonly onClose: () => void }) {
  const was = {
    budget: String(row.max_budget ?? ''),
    rpm: String(row.rpm_limit ?? ''),
    tpm: String(row.tpm_limit ?? ''),
    parallel: String(row.max_parallel_requests),
  }
  const [form, setForm] = useState(was)
  const update = useAct<UpdateKeyBody, unknown>({
    method: 'POST',
    path: '/key/update',
    done: 'Limits set',
  })
  const budget = readDollarsOrNone(form.budget)
  const rpm = readWholeOrNone(form.rpm)
  const tpm = readWholeOrNone(form.tpm)
  const parallel = readWhole(form.parallel)
  const isWrong =
    budget === undefined || rpm === undefined || tpm === undefined || parallel === null || parallel < 1
  const changed = fields.filter(({ name }) => form[name].trim() !== was[name])
  const save = () => {
    if (isWrong) return
    const isChanged = (name: FieldName) => changed.some(each => each.name === name)
    update.mutate(
      {
        key: row.token,
        ...(isChanged('budget') ? { max_budget: budget } : {}),
        ...(isChanged('rpm') ? { rpm_limit: rpm } : {}),
        ...(isChanged('tpm') ? { tpm_limit: tpm } : {}),
        ...(isChanged('parallel') ? { max_parallel_requests: parallel } : {}),
      },
      { onSuccess: onClose },
    )
  }
  const errors: Readonly<Record<FieldName, string | null>> = {
    budget: budget === undefined ? 'Write dollars, such as 5 or 12.50.' : null,
    rpm: rpm === undefined ? 'Write a whole number.' : null,
    tpm: tpm === undefined ? 'Write a whole number.' : null,
    parallel: parallel === null || parallel < 1 ? 'Write a whole number, at least 1.' : null,
  }
  return (
    <ConfirmDialog
      title={
        <>
          Limits of {row.key_alias === '' ? null : <ForeignText text={row.key_alias} most={32} />}{' '}
          <code>{row.key_name}</code>
        </>
      }
      verb="Set the limits"
      isReady={!isWrong && changed.length > 0}
      isPending={update.isPending}
      error={update.error}
      onConfirm={save}
      onClose={onClose}
    >
      {fields.map(({ name, label, isNeeded }, index) => (
        <TextInput
          key={name}
          label={label}
          placeholder={isNeeded ? '' : 'no limit'}
          value={form[name]}
          onChange={event => setForm({ ...form, [name]: event.currentTarget.value })}
          error={errors[name]}
          inputMode={name === 'budget' ? 'decimal' : 'numeric'}
          autoComplete="off"
          {...(index === 0 ? { 'data-autofocus': true } : {})}
        />
      ))}
      <section className="sunken-box" aria-live="polite">
        <h3>What will change</h3>
        {changed.length === 0 ? (
          <p className="muted small">Nothing yet.</p>
        ) : (
          <ul className="changes">
            {changed.map(({ name, label }) => (
              <li key={name}>
                <span className="muted">{label}:</span> {was[name] === '' ? 'none' : was[name]} →{' '}
                <span className="strong">{form[name].trim() === '' ? 'none' : form[name].trim()}</span>
              </li>
            ))}
          </ul>
        )}
      </section>
    </ConfirmDialog>
  )
}

const fields = [
  { name: 'budget', label: 'Budget, dollars', isNeeded: false },
  { name: 'rpm', label: 'Requests a minute', isNeeded: false },
  { name: 'tpm', label: 'Tokens a minute', isNeeded: false },
  { name: 'parallel', label: 'Calls at once', isNeeded: true },
] as const
type FieldName = (typeof fields)[number]['name']
