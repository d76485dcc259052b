// Changes a model in the file of models, or adds one like it: what would change is shown first.

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
import { ActDialog } from '../../../show/act-dialog.tsx'
import { IconButton } from '../../../show/icon-button.tsx'
import type { PlannedRequest } from '../../../show/send-planned.ts'
import { TextField } from '../../../show/text-field.tsx'
import { useToast } from '../../../show/toaster.tsx'
import { saveFile } from '../teams/save-file.ts'
import { describeModelChange } from './describe-model-change.tsx'
import { buildEdit, isAmount, isCount, isDay, type ModelDraft } from './model-draft.ts'

/** `isNew`: a further model with the prices and upstream of this one. */
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
    // What costs as input or output does goes without saying, in the file too.
    prices: Object.fromEntries(choosePrices(model.price).map(([unit, usd]) => [unit, String(usd)])),
    rpm: model.rpm_limit === null ? '' : String(model.rpm_limit),
    tpm: model.tpm_limit === null ? '' : String(model.tpm_limit),
    retiresOn: isNew ? '' : (model.retires_on ?? ''),
  })
  const edit = buildEdit(model, draft, isNew)
  const set = (part: Partial<ModelDraft>) => setDraft({ ...draft, ...part })
  return (
    <ActDialog
      title={isNew ? `Add a model like ${model.id}` : `Edit ${model.id}`}
      request={{ method: 'POST', path: '/catalog/edit', body: edit === null ? null : { models: edit } }}
      verb={isNew ? 'Add the model' : 'Save the model'}
      describe={describeModelChange}
      undo={edit === null ? null : <FileInstead models={edit} />}
      takeBack={restoreModels}
      onClose={onClose}
    >
      <p className="muted small">
        Running calls keep the prices that they were admitted with. The file of models is changed; its
        comments stay.
      </p>
      {isNew ? (
        <>
          <TextField
            label="Id"
            description="As teams call it"
            value={draft.id}
            onChange={text => set({ id: text.trim() })}
            required
          />
          <TextField
            label="Upstream id"
            description={`As ${model.upstream} calls it`}
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
            error={isAmount(draft.prices[unit] ?? '') ? null : 'Write dollars, such as 0.30'}
            onChange={text => set({ prices: { ...draft.prices, [unit]: text.trim() } })}
          />
        ))}
        <TextField
          label="Requests a minute, all teams"
          placeholder="no limit"
          value={draft.rpm}
          error={isCount(draft.rpm) ? null : 'Write a whole number'}
          onChange={text => set({ rpm: text.trim() })}
        />
        <TextField
          label="Tokens a minute, all teams"
          placeholder="no limit"
          value={draft.tpm}
          error={isCount(draft.tpm) ? null : 'Write a whole number'}
          onChange={text => set({ tpm: text.trim() })}
        />
        <TextField
          label="Retires on"
          placeholder="2026-12-31"
          value={draft.retiresOn}
          error={isDay(draft.retiresOn) ? null : 'Write a day, such as 2026-12-31'}
          onChange={text => set({ retiresOn: text.trim() })}
        />
      </div>
    </ActDialog>
  )
}

/** What the edit answers takes it back. */
export function restoreModels(reply: unknown): readonly PlannedRequest[] {
  const { undo: models } = reply as EditCatalogReply
  return [{ method: 'POST', path: '/catalog/edit', body: { models } }]
}

/** For a server that may not write its file, and for who keeps the file elsewhere. */
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
      Download the file instead
    </IconButton>
  )
}
