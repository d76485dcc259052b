// Health of each part of the server. Each light opens the findings and their fixes.

import type { ReadinessItem, ReadinessReport } from '@fairgate/contracts/management/readiness.ts'
import { Button } from '@mantine/core'
import { ChevronDown } from 'lucide-react'
import { useState } from 'react'
import { readOf, useAction, useRead } from '../../../api/use-read.ts'
import { useRefresh } from '../../../live/live-context.tsx'
import { Card } from '../../../show/card.tsx'
import { CopyButton } from '../../../show/copy-button.tsx'
import { SideDialog } from '../../../show/dialog.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { Light, type LightTone } from '../../../show/light.tsx'
import { LightSign } from '../../../show/light-sign.tsx'
import { Moment } from '../../../show/moment.tsx'
import { Loaded } from '../../../show/states.tsx'

const tones: Readonly<Record<ReadinessItem['state'], LightTone>> = {
  ok: 'ok',
  warning: 'warn',
  fault: 'blocked',
}

export function ReadinessCard() {
  const readiness = useRead(readOf<ReadinessReport>('/readiness'))
  useRefresh('readiness', [['/readiness']])
  const [shown, setShown] = useState<string | null>(null)
  const [isWhole, setWhole] = useState(false)
  const item = readiness.data?.items.find(({ part }) => part === shown)
  return (
    <Card
      title="Readiness"
      note={
        readiness.data === undefined ? undefined : (
          <>
            at <Moment at={readiness.data.as_of} as="clock" />
          </>
        )
      }
    >
      <Loaded read={readiness} what="Readiness" height={220}>
        {({ items }) => {
          const sound = items.filter(({ state }) => state === 'ok')
          const rest = items
            .filter(({ state }) => state !== 'ok')
            .sort(one => (one.state === 'fault' ? -1 : 1))
          return (
            <>
              <ul className="readiness">
                {(isWhole ? [...rest, ...sound] : rest).map(each => (
                  <ReadinessRow key={each.part} item={each} open={setShown} />
                ))}
              </ul>
              {sound.length === 0 ? null : (
                <button
                  type="button"
                  className="readiness-row"
                  aria-expanded={isWhole}
                  onClick={() => setWhole(!isWhole)}
                >
                  <LightSign tone="ok" label="" size={15} />
                  <span className="muted grow">
                    {rest.length === 0
                      ? `All ${sound.length} parts are healthy`
                      : `${sound.length} others are healthy`}
                  </span>
                  <ChevronDown size={14} aria-hidden className="readiness-more" />
                </button>
              )}
            </>
          )
        }}
      </Loaded>
      {item === undefined ? null : <ReadinessDrawer item={item} onClose={() => setShown(null)} />}
    </Card>
  )
}

/** Healthy parts fit on one line; other texts are shown in full. */
function ReadinessRow({
  item: { part, state, text },
  open,
}: {
  readonly item: ReadinessItem
  readonly open: (part: string) => void
}) {
  return (
    <li>
      <button type="button" className="readiness-row" onClick={() => open(part)}>
        <Light tone={tones[state]} label={part} size={15} />
        <span className="grow">
          <span className="strong readiness-part">{part.replaceAll('_', ' ')}</span>{' '}
          <ForeignText text={text} most={300} className="muted" />
        </span>
      </button>
    </li>
  )
}

function ReadinessDrawer({ item, onClose }: { readonly item: ReadinessItem; readonly onClose: () => void }) {
  const check = useAction<Record<string, never>, unknown>({
    method: 'POST',
    path: `/readiness/${encodeURIComponent(item.part)}/check`,
    changes: ['/readiness'],
  })
  return (
    <SideDialog title={item.part.replaceAll('_', ' ')} onClose={onClose}>
      <div className="stack">
        <p className="muted small">
          Since <Moment at={item.since} /> · checked <Moment at={item.checked_at} as="ago" />
        </p>
        <ul className="stack">
          {item.findings.map(({ state, text, fix }) => (
            <li key={text} className="sunken-box">
              <span className="row">
                <Light tone={tones[state]} label={state} />
                <ForeignText text={text} />
              </span>
              {fix === null ? null : (
                <div className="row-between">
                  <ForeignText text={fix} most={800} className="small" />
                  <CopyButton text={fix} isIcon />
                </div>
              )}
            </li>
          ))}
        </ul>
        {check.error === null ? null : <p role="alert">{check.error.message}</p>}
        <Button variant="default" loading={check.isPending} onClick={() => check.mutate({})}>
          Check now
        </Button>
      </div>
    </SideDialog>
  )
}
