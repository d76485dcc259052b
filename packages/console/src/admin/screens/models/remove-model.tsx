// Dialog that removes a model from the catalog file, and lists the teams that still use it.

import type { SpendReport } from '@fairgate/contracts/spend/spend-report.ts'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { readOf, useRead } from '../../../api/use-read.ts'
import { countOf, formatCount } from '../../../format/number.ts'
import { useServerNow } from '../../../live/live-context.tsx'
import { ActionDialog } from '../../../show/action-dialog.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { Loaded } from '../../../show/states.tsx'
import { describeModelChange } from './describe-model-change.tsx'
import { FileInstead, restoreModels } from './edit-model.tsx'

const dayMs = 86_400_000
const maxTeams = 5

export function RemoveModel({ model, onClose }: { readonly model: string; readonly onClose: () => void }) {
  const models = { [model]: null }
  return (
    <ActionDialog
      title={`Remove ${model}`}
      request={{ method: 'POST', path: '/catalog/edit', body: { models } }}
      verb="Remove model"
      isDanger
      describe={describeModelChange}
      undo={<FileInstead models={models} />}
      takeBack={restoreModels}
      onClose={onClose}
    >
      <p>
        New calls to <code>{model}</code> are refused at once. Running calls will finish, and past spend
        stays. To give teams time to move, edit the model and set a retirement date instead.
      </p>
      <Users model={model} />
    </ActionDialog>
  )
}

function Users({ model }: { readonly model: string }) {
  const now = useServerNow(60_000)
  const [from] = useState(() => new Date(now - dayMs).toISOString())
  const read = useRead(readOf<SpendReport>('/spend', { by: 'team', model, from, limit: maxTeams }))
  return (
    <section className="sunken-box">
      <h3>Calls in the last 24 hours</h3>
      <Loaded read={read} what="The model's calls" height={20} lines={2}>
        {({ items, total: { count, calls } }) =>
          count === 0 ? (
            <p className="muted">No team has called this model.</p>
          ) : (
            <>
              <p>
                {countOf(calls, 'call')} from {countOf(count, 'team')}
              </p>
              <ul className="changes">
                {items.map(({ team_id, team_alias, calls: own }) => (
                  <li key={team_id}>
                    <ForeignText text={team_alias ?? team_id ?? ''} most={40} />: {countOf(own, 'call')}
                  </li>
                ))}
              </ul>
              {count > items.length ? (
                <Link to="/console/spend" search={{ by: 'team', model, range: 'day' }}>
                  and {formatCount(count - items.length)} more
                </Link>
              ) : null}
            </>
          )
        }
      </Loaded>
    </section>
  )
}
