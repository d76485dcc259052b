// Describes a planned change to a model, with one line per changed price unit.

import type { PlannedChange } from '@fairgate/contracts/management/planned-action.ts'
import type { ReactNode } from 'react'
import { ForeignText } from '../../../show/foreign.tsx'
import { listMemberChanges } from './list-member-changes.ts'

export function describeModelChange({ what, subject, from, to }: PlannedChange): ReactNode {
  const model = <ForeignText text={subject} most={60} className="strong" />
  if (what === 'model') return to === null ? <>{model} removed</> : <>{model} added</>
  return (
    <>
      {model}{' '}
      {listMemberChanges(what.replace(/^model\./, ''), from, to).map(change => (
        <div key={change.name}>
          <span className="muted">{change.name}:</span> <ForeignText text={change.from} most={60} /> →{' '}
          <ForeignText text={change.to} most={60} className="strong" />
        </div>
      ))}
    </>
  )
}
