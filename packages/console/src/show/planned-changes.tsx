// Lists the changes an action would make. Many changes are grouped by kind, and each group can be expanded.

import type { PlannedChange } from '@fairgate/contracts/management/planned-action.ts'
import type { ReactNode } from 'react'
import { formatMoney } from '../format/money.ts'
import { countOf, formatCount } from '../format/number.ts'
import { formatMoment } from '../format/time.ts'
import { ForeignText } from './foreign.tsx'
import { useZone } from './zone-context.tsx'

/** More changes than this are grouped by kind. */
const maxLines = 12
/** A browser takes seconds to lay out a list of ten thousand lines. */
const maxOpened = 500

export function PlannedChanges({
  changes,
  describe,
  whenNothing = 'No changes.',
}: {
  readonly changes: readonly PlannedChange[]
  /** By default subject, what, from and to. */
  readonly describe?: ((change: PlannedChange) => ReactNode) | undefined
  readonly whenNothing?: string | undefined
}) {
  if (changes.length === 0) return <p className="muted">{whenNothing}</p>
  const line = (change: PlannedChange) => (
    <li key={`${change.what} ${change.subject}`}>
      {describe === undefined ? <Change change={change} /> : describe(change)}
    </li>
  )
  if (changes.length <= maxLines) return <ul className="changes">{changes.map(line)}</ul>
  return (
    <ul className="changes">
      {[...Map.groupBy(changes, ({ what }) => what)].map(([what, own]) => {
        const [first] = own
        if (own.length === 1 && first !== undefined) return line(first)
        return (
          <li key={what}>
            <details>
              <summary>
                <Sum what={what} changes={own} />
              </summary>
              <ul className="changes">{own.slice(0, maxOpened).map(line)}</ul>
              {own.length > maxOpened ? (
                <p className="muted small">and {formatCount(own.length - maxOpened)} more</p>
              ) : null}
            </details>
          </li>
        )
      })}
    </ul>
  )
}

/** One line for all changes of a kind, such as `36 members: none → new`, with the values they have in common. */
function Sum({ what, changes }: { readonly what: string; readonly changes: readonly PlannedChange[] }) {
  const one = (member: 'from' | 'to') => {
    const values = new Set(changes.map(change => change[member]))
    const [value = null] = values
    return values.size === 1 ? <ChangeValue what={what} value={value} /> : 'various'
  }
  return (
    <>
      <span className="strong">{nameKind(what)}</span>: {countOf(changes.length, 'change')}, {one('from')} →{' '}
      {one('to')}
    </>
  )
}

function Change({ change }: { readonly change: PlannedChange }) {
  return (
    <>
      {change.subject === 'event' ? null : (
        <>
          <ForeignText text={change.subject} most={60} className="strong" />{' '}
        </>
      )}
      <ChangedValues change={change} />
    </>
  )
}

/** A change without its subject, for dialogs that already name it. */
export function ChangedValues({ change: { what, from, to, count } }: { readonly change: PlannedChange }) {
  return (
    <>
      <span className="muted">
        <ForeignText text={nameKind(what)} most={80} />
        {count > 1 ? ` (${formatCount(count)})` : ''}:
      </span>{' '}
      <ChangeValue what={what} value={from} /> → <ChangeValue what={what} value={to} />
    </>
  )
}

const kinds: Readonly<Record<string, string>> = {
  max_budget_nano: 'budget',
  granted_nano: 'granted in this period',
  rpm_limit: 'requests per minute',
  tpm_limit: 'tokens per minute',
  max_parallel_requests: 'parallel calls',
  budget_duration: 'budget period',
  'board.locked': 'board locked',
  'board.lock_at': 'board locks at',
  'team.name': 'name',
  'team.budget_nano': 'budget',
  'event.cap_nano': 'cap for all teams',
  'phase.budget_nano': 'budget of each team',
  'phase.entries_until': 'late entries until',
  'phase.submissions_until': 'submissions until',
  'event.submission': 'submissions',
}

function nameKind(what: string): string {
  const [kind = what, ...model] = what.split('.')
  if (kind === 'model_rpm_limit') return `${model.join('.')}: requests per minute`
  if (kind === 'model_tpm_limit') return `${model.join('.')}: tokens per minute`
  if (kind === 'model_max_budget_nano') return `${model.join('.')}: budget`
  return kinds[what] ?? what.replaceAll(/[._]/g, ' ')
}

function ChangeValue({ what, value }: { readonly what: string; readonly value: PlannedChange['from'] }) {
  const zone = useZone()
  if (value === null) return <span className="faint">none</span>
  return (
    <span className="strong">
      {typeof value === 'boolean' ? (
        value ? (
          'yes'
        ) : (
          'no'
        )
      ) : typeof value === 'number' ? (
        /_nano(\.|$)/.test(what) ? (
          formatMoney(value, 'nearest')
        ) : (
          formatCount(value)
        )
      ) : isTime(value) ? (
        formatMoment(Date.parse(value), Date.now(), zone)
      ) : (
        <ForeignText text={value === '' ? '–' : value} most={120} />
      )}
    </span>
  )
}

function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)
}
