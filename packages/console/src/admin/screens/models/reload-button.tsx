// Reads the file of models again: shows which models and prices would be others, and puts them in force.

import type { CatalogReload } from '@fairgate/contracts/management/catalog.ts'
import { RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { countOf } from '../../../format/number.ts'
import { ActDialog } from '../../../show/act-dialog.tsx'
import { IconButton } from '../../../show/icon-button.tsx'
import { describeModelChange } from './describe-model-change.tsx'

export function ReloadButton() {
  const [isOpen, setOpen] = useState(false)
  const [said, setSaid] = useState<string | null>(null)
  return (
    <>
      <span className="muted small" role="status">
        {said}
      </span>
      <IconButton
        icon={RefreshCw}
        onClick={() => {
          setSaid(null)
          setOpen(true)
        }}
      >
        Read the catalog again
      </IconButton>
      {isOpen ? (
        <ActDialog
          title="Read the catalog again"
          request={{ method: 'POST', path: '/catalog/reload', body: {}, isInQuery: true }}
          verb="Put it in force"
          asksReason={false}
          undo="Putting the old file back and reading it again undoes it."
          describe={describeModelChange}
          whenNothing="No model is another. Keys of upstreams that stand in files are read again too."
          onDone={reply => setSaid(describeReload(reply as CatalogReload))}
          onClose={() => setOpen(false)}
        >
          <p>No call is dropped: calls that run keep the prices they were admitted with.</p>
        </ActDialog>
      ) : null}
    </>
  )
}

function describeReload({ added, removed, changed, models, warnings }: CatalogReload): string {
  const parts = [
    added.length > 0 ? `${added.length} added` : null,
    removed.length > 0 ? `${removed.length} removed` : null,
    changed.length > 0 ? `${changed.length} changed` : null,
  ].filter(part => part !== null)
  const warning =
    warnings.length === 0
      ? ''
      : ` ${countOf(warnings.length, 'list')} of teams and keys name a model that is gone.`
  return `${parts.length === 0 ? 'Nothing has changed' : parts.join(', ')}; ${countOf(models, 'model')} now.${warning}`
}
