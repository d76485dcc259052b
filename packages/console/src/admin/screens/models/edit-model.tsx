// Dialog that edits a model in the catalog file or adds a similar one, with a preview.

import type {
  CatalogModelRecord,
  EditCatalogPreview,
  EditCatalogReply,
  ModelEdits,
} from '@fairgate/contracts/management/catalog.ts'
import { Download } from 'lucide-react'
import { useState } from 'react'
import type { RequestFailure } from '../../../api/request.ts'
import { choosePrices, namePrice } from '../../../format/price.ts'
import { usePageParts } from '../../../live/live-context.tsx'
import { ActionDialog } from '../../../show/action-dialog.tsx'
import { IconButton } from '../../../show/icon-button.tsx'
import type { PlannedRequest } from '../../../show/send-planned.ts'
import { TextField } from '../../../show/text-field.tsx'
import { useToast } from '../../../show/toaster.tsx'
import { saveFile } from '../teams/save-file.ts'
import { describeModelChange } from './describe-model-change.tsx'
import { buildEdit, isAmount, isCount, isDay, type ModelDraft } from './model-draft.ts'

/** `isNew`: adds a model that starts with this one's prices and upstream. */
export function EditModel({
  model,
  isNew,
  onClose,
}: {
  readonly model: CatalogModelRecord
  readonly isNew: boolean
  readonly onClose: () => void
}) {
  const [draft, setDraft] = useState<ModelDraft>({
    id: isNew ? '' : model.id,
    upstreamId: model.upstream_id,
    // Prices equal to those of input or output are left out, as in the file.
    prices: Object.fromEntries(choosePrices(model.price).map(([unit, usd]) => [unit, String(usd)])),
    rpm: model.rpm_limit === null ? '' : String(model.rpm_limit),
    tpm: model.tpm_limit === null ? '' : String(model.tpm_limit),
    retiresOn: isNew ? '' : (model.retires_on ?? ''),
  })
  const edit = buildEdit(model, draft, isNew)
  const set = (part: Partial<ModelDraft>) => setDraft({ ...draft, ...part })
  return (
    <ActionDialog
      title={isNew ? `Add a model like ${model.id}` : `Edit ${model.id}`}
      request={{ method: 'POST', path: '/catalog/edit', body: edit === null ? null : { models: edit } }}
      verb={isNew ? 'Add model' : 'Save model'}
      describe={describeModelChange}
      undo={edit === null ? null : <FileInstead models={edit} />}
      takeBack={restoreModels}
      onClose={onClose}
    >
      <p className="muted small">
        Running calls keep the prices they were admitted with. This edits the catalog file and keeps its
        comments.
      </p>
      {isNew ? (
        <>
          <TextField
            label="Id"
            description="The name that teams use"
            value={draft.id}
            onChange={text => set({ id: text.trim() })}
            required
          />
          <TextField
            label="Upstream id"
            description={`The name that ${model.upstream} uses`}
            value={draft.upstreamId}
            onChange={text => set({ upstreamId: text.trim() })}
            required
          />
        </>
      ) : null}
      <div className="grid two-columns">
        {Object.keys(draft.prices).map(unit => (
          <TextField
            key={unit}
            label={namePrice(unit)}
            leftSection="$"
            value={draft.prices[unit] ?? ''}
            error={isAmount(draft.prices[unit] ?? '') ? null : 'Enter an amount in dollars, such as 0.30'}
            onChange={text => set({ prices: { ...draft.prices, [unit]: text.trim() } })}
          />
        ))}
        <TextField
          label="Requests per minute, all teams"
          placeholder="no limit"
          value={draft.rpm}
          error={isCount(draft.rpm) ? null : 'Enter a whole number'}
          onChange={text => set({ rpm: text.trim() })}
        />
        <TextField
          label="Tokens per minute, all teams"
          placeholder="no limit"
          value={draft.tpm}
          error={isCount(draft.tpm) ? null : 'Enter a whole number'}
          onChange={text => set({ tpm: text.trim() })}
        />
        <TextField
          label="Retires on"
          placeholder="2026-12-31"
          value={draft.retiresOn}
          error={isDay(draft.retiresOn) ? null : 'Enter a date such as 2026-12-31'}
          onChange={text => set({ retiresOn: text.trim() })}
        />
      </div>
    </ActionDialog>
  )
}

/** Builds the undo request from the edit's reply. */
export function restoreModels(reply: unknown): readonly PlannedRequest[] {
  const { undo: models } = reply as EditCatalogReply
  return [{ method: 'POST', path: '/catalog/edit', body: { models } }]
}

/** For a server that cannot write its file, and for organisers who keep the file elsewhere. */
export function FileInstead({ models }: { readonly models: ModelEdits }) {
  const { send } = usePageParts()
  const toast = useToast()
  const save = () => {
    const body = { models, dry_run: true }
    send<EditCatalogPreview>('POST', '/catalog/edit', { body }).then(
      ({ file }) => saveFile('models.yaml', 'application/yaml', file),
      (failure: RequestFailure) => toast({ text: failure.message, isBad: true }),
    )
  }
  return (
    <IconButton icon={Download} variant="subtle" size="xs" onClick={save}>
      Download file instead
    </IconButton>
  )
}
