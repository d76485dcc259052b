// Button that reloads the catalog file, after a preview of the changed models and prices.

import type { CatalogReload } from '@fairgate/contracts/management/catalog.ts'
import { RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { countOf } from '../../../format/number.ts'
import { ActionDialog } from '../../../show/action-dialog.tsx'
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
        Reload catalog
      </IconButton>
      {isOpen ? (
        <ActionDialog
          title="Reload catalog"
          request={{ method: 'POST', path: '/catalog/reload', body: {}, isInQuery: true }}
          verb="Reload catalog"
          asksReason={false}
          undo="To undo, restore the old file and reload it."
          describe={describeModelChange}
          whenNothing="No models changed. Upstream keys in files will be reloaded too."
          onDone={reply => setSaid(describeReload(reply as CatalogReload))}
          onClose={() => setOpen(false)}
        >
          <p>No calls are dropped. Running calls keep the prices they were admitted with.</p>
        </ActionDialog>
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
      : ` ${countOf(warnings.length, 'team or key list names', 'team or key lists name')} a removed model.`
  return `${parts.length === 0 ? 'No changes' : parts.join(', ')}; ${countOf(models, 'model')} now.${warning}`
}
